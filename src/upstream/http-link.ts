// What the two transports over HTTP have in common: what they are told, and what they hold until the server is ready.
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { Undelivered } from './port.ts';

export interface HttpLinkOptions {
  readonly label: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Larger messages of the server are thrown away and reported. */
  readonly maxMessageBytes: number;
  /** Once aborted, the server is not waited for any more. */
  readonly hurry: AbortSignal;
}

/** A frame on its way, as it was given to the link. */
export interface Sent {
  readonly body: Buffer;
  readonly requestId: number | undefined;
  readonly onUndelivered: Undelivered | undefined;
}

/** Of a refusal only so much is read. */
export const maxRefusalBytes = 64 * 1024;
