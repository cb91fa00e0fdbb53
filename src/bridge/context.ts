// What every method of the bridge works with.
import type { Clock } from '../clock.ts';
import type { KeyRing } from '../continuation/key-ring.ts';
import type { Logger } from '../log.ts';
import type { SessionPool } from '../session/pool.ts';
import type { CacheScope } from '../translate/result-up.ts';
import type { CallTimes } from './call-clock.ts';
import type { ListCache } from './list-cache.ts';
import type { LoadLimits } from './load.ts';
import type { LogLevels } from './log-levels.ts';
import type { ParkedCalls } from './parked-calls.ts';
import type { KnownTools } from './known-tools.ts';
import type { Tasks } from './tasks.ts';

export interface BridgeLimits extends CallTimes, LoadLimits {
  /** How long a question may wait for its answer. */
  readonly inputTtlMs: number;
  /** How many calls may wait for answers at once. */
  readonly maxParked: number;
  readonly maxParkedPerPrincipal: number;
  /** Questions that come within this time of each other are shown together. */
  readonly parkingWindowMs: number;
  /** How long the outcome of a retry is kept for the same retry presented again. */
  readonly outcomeTtlMs: number;
  readonly cacheTtlMs: number;
  readonly cacheScope: CacheScope;
}

export interface BridgeContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: BridgeLimits;
  readonly pool: SessionPool;
  readonly keyRing: KeyRing;
  /** Names the upstream in request states. */
  readonly upstream: string;
  /** Names this bridge process in request states. */
  readonly instance: string;
  readonly parked: ParkedCalls;
  readonly levels: LogLevels;
  readonly lists: ListCache;
  readonly knownTools: KnownTools;
  readonly tasks: Tasks;
}
