// The keys that seal request states: the first seals, all open. Keys are secrets: they are never logged or shown.
import { randomBytes } from 'node:crypto';

const keyBytes = 32;
const keyName = /^[A-Za-z0-9_-]{1,32}$/;

interface Key {
  readonly name: string;
  readonly secret: Buffer;
}

export interface KeyRing {
  readonly sealing: Key;
  find(name: string): Key | undefined;
}

export type ParsedKeyRing =
  { readonly ok: true; readonly ring: KeyRing } | { readonly ok: false; readonly reason: string };

function toRing(keys: readonly [Key, ...Key[]]): KeyRing {
  const byName = new Map(keys.map((key) => [key.name, key]));
  return { sealing: keys[0], find: (name) => byName.get(name) };
}

/** A ring with one key of its own, good for the life of the process. */
export function createKeyRing(): KeyRing {
  return toRing([{ name: 'process', secret: randomBytes(keyBytes) }]);
}

/** Reads `name:base64,name:base64` (commas or line breaks); each key has 32 bytes. */
export function parseKeyRing(text: string): ParsedKeyRing {
  const keys: Key[] = [];
  for (const part of text.split(/[,\n]/).map((each) => each.trim())) {
    if (part === '') continue;
    const colon = part.indexOf(':');
    const name = part.slice(0, colon);
    const secret = Buffer.from(part.slice(colon + 1), 'base64');
    const place = `key ${String(keys.length + 1)}`;
    if (colon === -1 || !keyName.test(name))
      return { ok: false, reason: `${place} is not of the form name:base64` };
    if (secret.length !== keyBytes) return { ok: false, reason: `${place} does not have 32 bytes` };
    if (keys.some((key) => key.name === name))
      return { ok: false, reason: `${place} has the name of another` };
    keys.push({ name, secret });
  }
  const [first, ...others] = keys;
  if (first === undefined) return { ok: false, reason: 'there is no key' };
  return { ok: true, ring: toRing([first, ...others]) };
}
