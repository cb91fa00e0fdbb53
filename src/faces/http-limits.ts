// What the HTTP face bears, with the defaults. Times are milliseconds.

export interface HttpFaceLimits {
  readonly maxMessageBytes: number;
  /** How many bytes of bodies may be on their way in, and of answers on their way out, for all clients together. */
  readonly maxHeldBytes: number;
  /** How many connections may be open. More are closed at once. */
  readonly maxConnections: number;
  /** How long a request may take to come: its headers, and all of it. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** A client that takes nothing of what waits for it in this time is cut off. */
  readonly stallMs: number;
  /** After this silence a comment is sent, so that nothing on the way cuts the stream. */
  readonly keepAliveMs: number;
}

export const httpFaceDefaults: HttpFaceLimits = {
  maxMessageBytes: 4 * 1024 * 1024,
  maxHeldBytes: 256 * 1024 * 1024,
  maxConnections: 3000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  stallMs: 60_000,
  keepAliveMs: 15_000,
};
