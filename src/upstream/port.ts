// The port behind which every way to a legacy server hides. A transport moves frames and tells when it is over;
// it knows no session, no method and no client.
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import type { HeaderLines } from './credentials.ts';

export type { HeaderLines };

export interface LinkHandlers {
  /**
   * A frame from the server. `origin` is the id of the request on whose own response stream it came, where the
   * transport has such streams: then it is certain which call it belongs to.
   */
  readonly onFrame: (frame: Frame, origin?: number) => void;
  /** A frame over the size limit was thrown away; these are its first bytes. `origin` as above. */
  readonly onOversize: (start: Buffer, origin?: number) => void;
  /**
   * The response stream of that request has ended: an answer that has not come on it will not come. Whether the
   * request has run is not known. `reason` as in `onClosed`. Only from transports with such streams.
   */
  readonly onStreamEnd: (id: number, reason: string) => void;
  /**
   * The server does not know the session any more. `refused` is the request that it refused for it, unrun. Requests
   * that are under way may still be answered; new ones belong on a new link.
   */
  readonly onSessionGone: (refused?: number) => void;
  /** The link is over, once, whether it was closed or broke. `reason` is for logs and clients: short, no paths. */
  readonly onClosed: (reason: string) => void;
}

/** `reason` as in `onClosed`. */
export type Undelivered = (reason: string) => void;

/** One connection to one server: for stdio, one child process; for Streamable HTTP, one `Mcp-Session-Id`. */
export interface Link {
  /**
   * Writes one frame, whole; `requestId` is its id where it is a request that waits for an answer. After the link is
   * over it does nothing. No handler is ever called from inside it: whoever sends may do its bookkeeping afterwards.
   * `onUndelivered` is told where it is known that the server did not take a frame that has no answer. `lines` are what
   * HTTP has to say of a request to a modern server beside its body.
   */
  send(frame: Chunks, requestId?: number, onUndelivered?: Undelivered, lines?: HeaderLines): void;
  /**
   * The handshake has settled on this version; the next frame is `notifications/initialized`. A modern version: there
   * is no session, and from here on every request is one of its own.
   */
  negotiated?(version: string): void;
  /** No answer to that request is wanted any more: what is kept open for it may go. */
  abandon?(requestId: number): void;
  /** Whether `lines` are of use. */
  readonly takesLines?: boolean;
  /** So much waits to be taken by the server that nothing more should be sent. Only where that can be. */
  readonly isBacklogged?: boolean;
  /** Calls once when the server has taken what waited, or the link is over. */
  onceTaken?(run: () => void): void;
  /** Nobody takes what the server says: as little as may be is read of it until `resume`. */
  pause?(): void;
  resume?(): void;
  /** Ends the connection and all that came with it. Resolves when nothing of it is left, in bounded time. */
  close(): Promise<void>;
}

export interface Upstream {
  /** For logs and request states; holds no secrets. */
  readonly label: string;
  /** Starts a connection. Failures come by `onClosed`, never as an exception. */
  open(handlers: LinkHandlers): Link;
}
