// Bearer tokens of clients: who presents one of them is the principal of that name. Tokens are kept as digests, so
// that looking one up takes no time that would say how much of it was right. RFC 6750
import { createHash } from 'node:crypto';

const lineText = /^([\w.-]{1,64}):([\w\-.~+/]+=*)$/;

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');

export class Tokens {
  private readonly principals = new Map<string, string>();

  /** `tokens` as pairs of principal and token. */
  constructor(tokens: Iterable<readonly [string, string]>) {
    for (const [principal, token] of tokens) this.principals.set(digestOf(token), principal);
  }

  /** Whose token an `Authorization` header has. */
  principalOf(authorization: string | undefined): string | undefined {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return token === undefined ? undefined : this.principals.get(digestOf(token));
  }
}

/** Reads `name:token` lines; a principal may have several. Throws an Error that says what would be right. */
export function parseTokens(text: string): Tokens {
  const tokens: [string, string][] = [];
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, principal, token] = lineText.exec(line) ?? [];
    if (principal === undefined || token === undefined)
      throw new Error('a token is like "name:token", one on a line');
    tokens.push([principal, token]);
  }
  if (tokens.length === 0) throw new Error('at least one token');
  return new Tokens(tokens);
}
