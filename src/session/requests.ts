// What a session is asked to send, and what becomes of it.
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import type { HeaderLines } from '../upstream/port.ts';
import type { Carrier } from './asking-calls.ts';

/** Why a request has no answer and will have none. */
export interface Loss {
  /** `session`: it is over. `request`: of this request alone. `refused`: the server had not let it run. */
  readonly kind: 'session' | 'request' | 'refused';
  /** Short, and may be shown. */
  readonly reason: string;
}

/** What becomes of a request. Exactly one of `onAnswer` and `onLost` comes, once. */
export interface RequestHandlers {
  readonly onAnswer: (frame: Frame) => void;
  readonly onLost: (loss: Loss) => void;
  readonly onProgress?: (frame: Frame) => void;
  /** A log message that belongs to this request for certain. */
  readonly onLogMessage?: (frame: Frame) => void;
  /** Any other notification that belongs to this request for certain. */
  readonly onNotification?: (method: string, frame: Frame) => void;
  /** The server has said something of the task that this request is for. */
  readonly onTaskStatus?: () => void;
}

export interface RequestOptions {
  /** No client waits for it. */
  readonly isOwn?: boolean;
  /** As in `Link.send`. */
  readonly lines?: HeaderLines;
  /** The progress token that goes on to be this request's, where it is not its own. */
  readonly original?: number;
}

/** What becomes of a request whose handler may ask. */
export interface AskingRequest extends RequestHandlers, Carrier {
  readonly domain: string;
  readonly askerName: string;
  /** It was written, under this id. */
  readonly onStarted: (id: number) => void;
}

/** A request whose handler may ask, and that has its turn: tools/call, prompts/get, resources/read. */
export interface AskingCall extends AskingRequest {
  readonly build: (id: number) => Chunks;
  /** It waited for its turn longer than the queue time-out, and was not written. */
  readonly onQueueTimeout: () => void;
}

/** The request for what comes of a task that a call has become. */
export interface TaskRequest {
  readonly taskId: string;
  /** The id, and progress token, under which the call was written. */
  readonly original: number;
  readonly build: (id: number) => Chunks;
}
