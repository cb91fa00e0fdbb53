// Whether a session is still alive, where a server says something that may mean either: a ping tells, and runs nothing.
import type { Clock } from '../clock.ts';
import { find, stringMember, toBytes, valueOf, type Frame } from '../jsonrpc/frame.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import { RequestExchange } from './request-exchange.ts';

const patienceMs = 5000;
const maxMessageBytes = 64 * 1024;
/** What servers give as "no such session": the official SDKs and their imitators. */
const sessionCodes: readonly unknown[] = [-32000, -32001, -32003];
const methodNotFound = -32601;

function errorCode(frame: Frame): unknown {
  const code = find(find(frame.members, 'error')?.members, 'code');
  return code && valueOf(frame.bytes, code);
}

/** Whether the code of an error may say that the session is gone. The same codes are used for other things as well. */
export function hasSessionCode(frame: Frame): boolean {
  return sessionCodes.includes(errorCode(frame));
}

/** The same for an answer that is not refused by HTTP, so that only its words can tell it from the call's own error. */
export function isSessionError(frame: Frame): boolean {
  const error = find(frame.members, 'error')?.members;
  return hasSessionCode(frame) && /\bsession\b/i.test(stringMember(frame.bytes, error, 'message') ?? '');
}

export class SessionProbe {
  private readonly endpoint: HttpEndpoint;
  private readonly clock: Clock;
  private asking: Promise<boolean> | undefined;
  private count = 0;
  private abandon: () => void = () => undefined;

  constructor(endpoint: HttpEndpoint, clock: Clock) {
    this.endpoint = endpoint;
    this.clock = clock;
  }

  /** False as well where nothing can be learnt. One question for all who ask at once. */
  isGone(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  stop(): void {
    this.abandon();
  }

  private ask(): Promise<boolean> {
    this.count += 1;
    const body = toBytes({ jsonrpc: '2.0', id: `mcp-bridge-${String(this.count)}`, method: 'ping' });
    return new Promise((resolve) => {
      const settle = (isGone: boolean): void => {
        stopTimer();
        ping.stop();
        resolve(isGone);
      };
      const learnNothing = (): void => {
        settle(false);
      };
      const ping = new RequestExchange(
        this.endpoint,
        { clock: this.clock, maxMessageBytes },
        {
          onHead: () => true,
          onFrame: (frame) => {
            settle(isSessionError(frame));
          },
          onRefused: (status, frames) => {
            settle(status === 404 || (status === 400 && !frames.some(isUnknownMethod)));
          },
          onOversize: learnNothing,
          onAccepted: learnNothing,
          onEnd: learnNothing,
        },
      );
      const stopTimer = this.clock.after(patienceMs, learnNothing);
      this.abandon = learnNothing;
      ping.start(body);
    });
  }
}

function isUnknownMethod(frame: Frame): boolean {
  return errorCode(frame) === methodNotFound;
}
