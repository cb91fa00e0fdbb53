// What a legacy server said of itself at its last start, kept beyond the process: a client that only asks what the
// server can do, as some do in a process of its own, need not wait for it to start.
import { parseFrame } from '../jsonrpc/frame.ts';
import { parseInitializeResult, type ServerProfile } from '../protocol/server-profile.ts';

/** Where the answer to `initialize` is kept. Neither function throws. */
export interface DiscoverStore {
  readonly read: () => Buffer | undefined;
  /** Undefined: what is kept is not true any more. */
  readonly write: (answer: Buffer | undefined) => void;
}

/** The profile that was kept; undefined when there is none that can be read. */
export function rememberedProfile(store: DiscoverStore | undefined): ServerProfile | undefined {
  const bytes = store?.read();
  const parsed = bytes && parseFrame(bytes);
  if (parsed?.ok !== true) return undefined;
  const answer = parseInitializeResult(parsed.frame);
  return answer.ok ? answer.profile : undefined;
}
