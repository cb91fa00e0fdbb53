// How a legacy session opens, as a pure machine: initialize alone, its answer, initialized, and a fence behind which
// calls may start. spec 2025-11-25 basic/lifecycle#initialization
import { find, isNull, valueOf, type Frame } from '../jsonrpc/frame.ts';
import { isLegacyVersion, legacyVersions, type LegacyVersion } from '../protocol/versions.ts';
import { parseInitializeResult, type ServerProfile } from '../protocol/server-profile.ts';

export type HandshakeState =
  | { readonly name: 'initializing'; readonly offered: LegacyVersion; readonly mayOfferAgain: boolean }
  | { readonly name: 'fencing'; readonly profile: ServerProfile }
  | { readonly name: 'open'; readonly profile: ServerProfile }
  | { readonly name: 'over'; readonly reason: string };

export type HandshakeEvent =
  | { readonly name: 'answer'; readonly frame: Frame }
  | { readonly name: 'fence passed' }
  | { readonly name: 'ended'; readonly reason: string };

type HandshakeEffect = 'initialize' | 'initialized and fence' | 'open' | 'fail';

export interface HandshakeStep {
  readonly state: HandshakeState;
  readonly effect: HandshakeEffect | undefined;
}

export const firstHandshake: HandshakeState = {
  name: 'initializing',
  offered: legacyVersions[0],
  mayOfferAgain: true,
};

export function handshakeStep(state: HandshakeState, event: HandshakeEvent): HandshakeStep {
  if (event.name === 'ended') {
    const isNews = state.name !== 'over' && state.name !== 'open';
    return { state: { name: 'over', reason: event.reason }, effect: isNews ? 'fail' : undefined };
  }
  if (state.name === 'initializing' && event.name === 'answer') return answered(state, event.frame);
  if (state.name === 'fencing' && event.name === 'fence passed')
    return { state: { name: 'open', profile: state.profile }, effect: 'open' };
  return { state, effect: undefined };
}

function answered(state: HandshakeState & { name: 'initializing' }, frame: Frame): HandshakeStep {
  if (find(frame.members, 'error') !== undefined) {
    const next = state.mayOfferAgain ? olderVersion(state.offered, frame) : undefined;
    if (next === undefined) return failed('the server refused initialize');
    return { state: { name: 'initializing', offered: next, mayOfferAgain: false }, effect: 'initialize' };
  }
  const parsed = parseInitializeResult(frame);
  if (!parsed.ok) return failed(parsed.reason);
  return { state: { name: 'fencing', profile: parsed.profile }, effect: 'initialized and fence' };
}

function failed(reason: string): HandshakeStep {
  return { state: { name: 'over', reason }, effect: 'fail' };
}

/** The newest version that a refusal names in `data.supported`, or else the next older one. */
function olderVersion(offered: LegacyVersion, refusal: Frame): LegacyVersion | undefined {
  const data = find(find(refusal.members, 'error')?.members, 'data');
  const named = data && !isNull(refusal.bytes, data) ? valueOf(refusal.bytes, data) : undefined;
  const supported: unknown = (named as { supported?: unknown } | undefined)?.supported;
  const known = Array.isArray(supported) ? supported.filter(isLegacyVersion) : [];
  if (known.length > 0) return legacyVersions.find((version) => known.includes(version));
  return legacyVersions[legacyVersions.indexOf(offered) + 1];
}
