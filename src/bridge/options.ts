// What a user can set of a bridge, with the defaults. Times are milliseconds.
import { text } from '../jsonrpc/frame.ts';
import type { PoolOptions } from '../session/pool.ts';
import type { BridgeLimits } from './context.ts';

export interface BridgeOptions
  extends
    BridgeLimits,
    Pick<
      PoolOptions,
      | 'attributionTimeoutMs'
      | 'queueTimeoutMs'
      | 'quarantineMs'
      | 'protocol'
      | 'startTimeoutMs'
      | 'fenceMs'
      | 'maxSessions'
      | 'staticRoots'
      | 'clientInfo'
    > {
  /** Patterns (`acme/*`) of methods that are no part of the modern revision and are let through. */
  readonly forwardedMethods: readonly string[];
}

const second = 1000;
const minute = 60 * second;

export const bridgeDefaults: BridgeOptions = {
  requestTimeoutMs: minute,
  maxRequestMs: 30 * minute,
  protocol: 'auto',
  startTimeoutMs: minute,
  fenceMs: 250,
  inputTtlMs: 10 * minute,
  maxParked: 1000,
  maxParkedPerPrincipal: 1000,
  maxCalls: 1000,
  maxCallsPerPrincipal: 1000,
  maxListens: 1000,
  maxListensPerPrincipal: 1000,
  maxHeldBytes: 256 * 1024 * 1024,
  parkingWindowMs: 25,
  outcomeTtlMs: minute,
  attributionTimeoutMs: 10 * second,
  queueTimeoutMs: minute,
  quarantineMs: 30 * second,
  maxSessions: 1,
  cacheTtlMs: minute,
  cacheScope: 'private',
  staticRoots: undefined,
  forwardedMethods: [],
  clientInfo: { name: 'mcp-bridge', version: '0' },
};

/** The answer to `roots/list` for roots that the user gave. */
export function toStaticRoots(uris: readonly string[]): Buffer | undefined {
  return uris.length === 0 ? undefined : text(JSON.stringify({ roots: uris.map((uri) => ({ uri })) }));
}
