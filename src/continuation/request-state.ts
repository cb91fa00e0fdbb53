// Seals what a retry must prove into the opaque request state, and opens it again. The state passes through the
// client, so everything about it is hostile until AES-256-GCM has said otherwise.
// spec 2026-07-28 basic/patterns/mrtr#server-requirements (4), (5)
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

/** The checked content of a request state: which parked call it continues, and who may do so with what. */
export interface Continuation {
  readonly upstream: string;
  /** The bridge process that holds the parked call. */
  readonly instance: string;
  readonly call: string;
  readonly round: number;
  readonly principal: string;
  /** Digest of the method and its salient params. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type OpenedState =
  | { readonly ok: true; readonly continuation: Continuation }
  | { readonly ok: false; readonly reason: 'request_state_invalid' | 'request_state_expired' };

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const maxStateLength = 4096;
const invalid: OpenedState = { ok: false, reason: 'request_state_invalid' };

export function seal(ring: KeyRing, continuation: Continuation): string {
  const { name, secret } = ring.sealing;
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, secret, nonce, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(name));
  const { upstream, instance, call, round, principal, digest, expiresAt } = continuation;
  const content = JSON.stringify([upstream, instance, call, round, principal, digest, expiresAt]);
  const sealed = Buffer.concat([
    nonce,
    sealing.update(content, 'utf8'),
    sealing.final(),
    sealing.getAuthTag(),
  ]);
  return `${name}.${sealed.toString('base64url')}`;
}

/** Opens a state that this ring has sealed. `now` decides whether it has expired. */
export function open(ring: KeyRing, state: string, now: number): OpenedState {
  if (state.length > maxStateLength) return invalid;
  const dot = state.indexOf('.');
  const key = ring.find(state.slice(0, Math.max(dot, 0)));
  if (key === undefined) return invalid;
  const encoded = state.slice(dot + 1);
  const sealed = Buffer.from(encoded, 'base64url');
  // Decoders stop at the first bad character; only the one canonical spelling is ours.
  if (sealed.toString('base64url') !== encoded || sealed.length <= nonceBytes + tagBytes) return invalid;
  const content = decrypt(key.name, key.secret, sealed);
  if (content === undefined) return invalid;
  const continuation = toContinuation(content);
  if (now >= continuation.expiresAt) return { ok: false, reason: 'request_state_expired' };
  return { ok: true, continuation };
}

function decrypt(name: string, secret: Buffer, sealed: Buffer): string | undefined {
  const opening = createDecipheriv(cipher, secret, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  opening.setAAD(Buffer.from(name));
  opening.setAuthTag(sealed.subarray(-tagBytes));
  const body = sealed.subarray(nonceBytes, -tagBytes);
  try {
    return opening.update(body, undefined, 'utf8') + opening.final('utf8');
  } catch {
    return undefined;
  }
}

/** What opens under one of our keys was written by `seal`, so its shape is known. */
function toContinuation(content: string): Continuation {
  const [upstream, instance, call, round, principal, digest, expiresAt] = JSON.parse(content) as [
    string,
    string,
    string,
    number,
    string,
    string,
    number,
  ];
  return { upstream, instance, call, round, principal, digest, expiresAt };
}
