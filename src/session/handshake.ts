// How a legacy session opens, as a pure machine: initialize alone, its answer, initialized, and a fence behind which
// calls may start. spec 2025-11-25 basic/lifecycle#initialization
import { find, isNull, stringMember, valueOf, type Frame } from '../jsonrpc/frame.ts';
import { isModernCode } from '../protocol/error-codes.ts';
import { modernProfile, parseInitializeResult, type ServerProfile } from '../protocol/server-profile.ts';
import { isModernVersion, legacyVersions, modernVersion, type LegacyVersion } from '../protocol/versions.ts';

export type HandshakeState =
  /** `offered`: the versions so far, the latest last. */
  | { readonly name: 'initializing'; readonly offered: readonly LegacyVersion[] }
  | { readonly name: 'fencing'; readonly profile: ServerProfile }
  | { readonly name: 'open'; readonly profile: ServerProfile }
  | { readonly name: 'over'; readonly reason: string };

export type HandshakeEvent =
  | { readonly name: 'answer'; readonly frame: Frame }
  | { readonly name: 'fence passed' }
  | { readonly name: 'ended'; readonly reason: string };

type HandshakeEffect = 'initialize' | 'initialized and fence' | 'open' | 'open modern' | 'fail';

export interface HandshakeStep {
  readonly state: HandshakeState;
  readonly effect: HandshakeEffect | undefined;
}

/** A session with a server that is known to be modern has no handshake. */
export const modernOpen: HandshakeStep = {
  state: { name: 'open', profile: modernProfile },
  effect: 'open modern',
};

export const firstHandshake: HandshakeState = {
  name: 'initializing',
  offered: [legacyVersions[0]],
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
    if (isOfModernServer(frame)) return modernOpen;
    const named = namedVersions(frame);
    const next = nextVersion(state.offered, named);
    if (next === undefined) return failed(refusedBy(state.offered, named));
    return { state: { name: 'initializing', offered: [...state.offered, next] }, effect: 'initialize' };
  }
  const parsed = parseInitializeResult(frame);
  if (!parsed.ok) return failed(parsed.reason);
  return { state: { name: 'fencing', profile: parsed.profile }, effect: 'initialized and fence' };
}

/**
 * How a server of the modern era refuses an `initialize`: by an error that only that era has, or that names versions of
 * it. spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions
 */
function isOfModernServer(refusal: Frame): boolean {
  const { bytes } = refusal;
  const error = find(refusal.members, 'error')?.members;
  const code = find(error, 'code');
  if (code !== undefined && isModernCode(valueOf(bytes, code))) return true;
  const message = stringMember(bytes, error, 'message') ?? '';
  return message.includes(modernVersion) || namedVersions(refusal).some(isModernVersion);
}

function failed(reason: string): HandshakeStep {
  return { state: { name: 'over', reason }, effect: 'fail' };
}

/** What a refusal says in `data.supported`. */
function namedVersions(refusal: Frame): readonly string[] {
  const data = find(find(refusal.members, 'error')?.members, 'data');
  const value = data && !isNull(refusal.bytes, data) ? valueOf(refusal.bytes, data) : undefined;
  const supported: unknown = (value as { supported?: unknown } | undefined)?.supported;
  if (!Array.isArray(supported)) return [];
  return supported.filter((each) => typeof each === 'string' && /^\d{4}-\d\d-\d\d$/.test(each)) as string[];
}

/** The newest that the server names and was not offered yet; where it names none, the next older one. */
function nextVersion(offered: readonly LegacyVersion[], named: readonly string[]): LegacyVersion | undefined {
  return legacyVersions.find(
    (version) => !offered.includes(version) && (named.length === 0 || named.includes(version)),
  );
}

function refusedBy(offered: readonly string[], named: readonly string[]): string {
  const theirs = named.length === 0 ? '' : `; it names ${named.slice(0, 8).join(', ')}`;
  return `the server refused initialize (offered ${offered.join(', ')}${theirs})`;
}
