import { describe, expect, it } from 'vitest';
import { parseInitializeResult } from '../../src/protocol/server-profile.ts';
import { toDiscoverResult } from '../../src/translate/discover.ts';
import { frameOf, textOf } from '../support/frames.ts';

const parse = (result: object) =>
  parseInitializeResult(frameOf(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));
const discover = (result: object): any => {
  const parsed = parse({ protocolVersion: '2025-11-25', ...result });
  if (!parsed.ok) throw new Error(parsed.reason);
  return JSON.parse(textOf(toDiscoverResult(parsed.profile, { ttlMs: 60_000, cacheScope: 'private' })));
};

describe('parseInitializeResult', () => {
  // Field bugs 6, 7 and 14.
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('takes version %s', (protocolVersion) => {
    expect(parse({ protocolVersion })).toMatchObject({ ok: true, profile: { version: protocolVersion } });
  });

  it.each([
    [{}],
    [{ protocolVersion: '2023-01-01' }],
    [{ protocolVersion: null }],
    [{ protocolVersion: '2026-07-28' }],
  ])('refuses %j with a reason to read', (result) => {
    expect(parse(result)).toMatchObject({ ok: false, reason: expect.stringContaining('version') });
  });
});

describe('toDiscoverResult', () => {
  // Rule 5; field bug 124.
  it('mirrors what the server promised and invents nothing', () => {
    const capabilities = {
      tools: { listChanged: true },
      resources: {},
      experimental: { 'acme/x': { big: 1 } },
      tasks: { list: {} },
      logging: {},
    };
    const result = discover({
      capabilities,
      instructions: 'Be kind',
      serverInfo: { name: 'a', version: '1', title: 'A' },
    });
    expect(result.capabilities).toEqual({
      tools: { listChanged: true },
      resources: {},
      experimental: { 'acme/x': { big: 1 } },
      logging: {},
    });
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      instructions: 'Be kind',
    });
    expect(result._meta).toEqual({
      'io.modelcontextprotocol/serverInfo': { name: 'a', version: '1', title: 'A' },
    });
  });

  it('makes the best of thin and odd answers', () => {
    expect(discover({ capabilities: null }).capabilities).toEqual({});
    expect(discover({ capabilities: { tools: true, prompts: false, resources: null } }).capabilities).toEqual(
      { tools: {} },
    );
    expect(discover({ capabilities: { tools: { listChanged: 'yes' } } }).capabilities).toEqual({ tools: {} });
    expect(discover({ serverInfo: { name: 5 } })._meta['io.modelcontextprotocol/serverInfo'].name).toBe(
      'unnamed legacy server',
    );
  });
});
