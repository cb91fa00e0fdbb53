import { describe, expect, it } from 'vitest';
import { parseCount, parseDuration, parseSize, splitWords } from '../../src/cli/parse-values.ts';
import { parseSettings, type Settings } from '../../src/cli/settings.ts';
import type { UrlSettings } from '../../src/cli/upstream-settings.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

function parse(...argv: string[]): { settings?: Settings; exitCode?: number; text: string } {
  let text = '';
  const write = (more: string): void => void (text += more);
  try {
    return { settings: parseSettings(argv, {}, '1.2.3', { out: write, err: write }), text };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { exitCode: error.exitCode, text: text + error.message };
  }
}

describe('wrong use', () => {
  it.each([
    [[], '--upstream'],
    [['--upstream', 'a', '--', 'b'], 'not both'],
    [['--upstream', 'node "x'], 'quotes are closed'],
    [['--upstream', 'https://'], 'not a URL'],
    [['--upstream', 'https://user:secret@old.example/mcp'], '--header'],
    [['--upstream', 'https://old.example/', '--header', 'no colon'], 'Name: value'],
    [['--upstream', 'https://old.example/', '--header', 'X-A: b\r\nX-C: d'], 'one line'],
    [['--upstream', 'https://old.example/', '--header', 'Mcp-Session-Id: x'], 'by the bridge'],
    [['--upstream', 'https://old.example/', '--header-file', '/nowhere/at/all'], 'cannot be read'],
    [['--upstream', 'https://old.example/', '--ca-file', '/nowhere/at/all'], 'cannot be read'],
    [['--upstream', 'https://old.example/', '--oauth', 'client-credentials'], '--oauth-client-id'],
    [['--upstream', 'https://old.example/', '--oauth', 'password'], 'authorization-code'],
    [['--upstream', 'a', '--header', 'X-A: b'], 'at a URL'],
    [['--upstream', 'a', '--port', '70000'], '65535'],
    [['--upstream', 'a', '--input-ttl', '10'], 'like 500ms'],
    [['--upstream', 'a', '--input-ttl', '99999h'], '24 days'],
    [['--upstream', 'a', '--max-parked', '0'], 'whole number'],
    [['--upstream', 'a', '--max-message-bytes', '1kb'], '512KiB'],
    [['--upstream', 'a', '--cache-scope', 'all'], 'private'],
    [['--upstream', 'a', '--log-level', 'loud'], 'debug'],
    [['--upstream', 'a', '--port', '1', '--path', 'mcp'], '--path'],
    [['--upstream', 'a', '--port', '1', '--host', '0.0.0.0'], '--allow-unauthenticated'],
    [['--upstream', 'a', '--state-key-file', '/no/such/file'], 'cannot be read'],
    [['--upstream', 'a', '--port', '1', '--allowed-host', 'https://mcp.example'], 'like mcp.example'],
    [['--upstream', 'a', '--port', '1', '--allowed-host', 'a,b/'], 'like mcp.example'],
    [['--upstream', 'a', '--port', '1', '--allowed-origin', 'app.example'], 'like https://app.example'],
    [['--upstream', 'a', '--port', '1', '--allowed-origin', 'https://a.example/page'], 'https://app'],
    [['--upstream', 'a', '--port', '1', '--allowed-origin', 'https://a.example:99999'], 'https://app'],
    [['--upstream', 'a', '--legacy-sse'], '--port'],
    [['--upstream', 'a', '--port', '1', '--legacy-sse', '--no-legacy-face'], 'contradict'],
    [['--upstream', 'a', '--port', '1', '--legacy-sse', '--path', '/sse'], '--path'],
    [['--upstream', 'a', '--protocol', 'new'], 'modern'],
    [['--upstream', 'a', '--max-legacy-sessions', '0'], 'whole number'],
    [['--nonsense'], '--nonsense'],
  ])('%j is told of, with exit code 2', (argv, text) => {
    const parsed = parse(...argv);
    expect(parsed.exitCode).toBe(2);
    expect(parsed.text).toContain(text);
    expect(parsed.text).not.toMatch(/\n\s+at /);
  });

  it('of a state key shows no key', () => {
    let message = '';
    try {
      parseSettings(['--upstream', 'a'], { MCP_BRIDGE_STATE_KEYS: 'k:c2VjcmV0' }, '1', {
        out: () => undefined,
        err: () => undefined,
      });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('32 bytes');
    expect(message).not.toContain('c2VjcmV0');
  });
});

describe('good use', () => {
  it('has the documented defaults', () => {
    const { settings } = parse('--upstream', 'node old.js');
    expect(settings).toMatchObject({
      upstream: { kind: 'command', command: 'node', args: ['old.js'] },
      http: undefined,
      hasLegacyFace: true,
      maxClientMessageBytes: 4 * 1024 * 1024,
      maxServerMessageBytes: 64 * 1024 * 1024,
      bridge: {
        inputTtlMs: 600_000,
        maxParked: 1000,
        attributionTimeoutMs: 10_000,
        requestTimeoutMs: 60_000,
        maxRequestMs: 1_800_000,
        startTimeoutMs: 60_000,
        protocol: 'auto',
        maxSessions: 1,
        queueTimeoutMs: 60_000,
        quarantineMs: 30_000,
        cacheTtlMs: 60_000,
        cacheScope: 'private',
        staticRoots: undefined,
      },
    });
  });

  it('serves legacy clients over HTTP as it is told', () => {
    const plain = parse('--port', '0', '--', 'x').settings!;
    expect(plain.http).toMatchObject({
      hasLegacySse: false,
      maxLegacySessions: 100,
      legacyIdleMs: 1_800_000,
    });
    const more = ['--legacy-sse', '--max-legacy-sessions', '5', '--legacy-idle-timeout', '1m'];
    expect(parse('--port', '0', ...more, '--', 'x').settings!.http).toMatchObject({
      hasLegacySse: true,
      maxLegacySessions: 5,
      legacyIdleMs: 60_000,
    });
    const without = parse('--no-legacy-face', '--no-discover-cache', '--', 'x').settings!;
    expect([without.hasLegacyFace, without.discoverFolder]).toEqual([false, undefined]);
  });

  it('takes a host beyond loopback when told so, and roots as paths or URIs', () => {
    const { settings } = parse(
      '--port',
      '0',
      '--host',
      '0.0.0.0',
      '--allow-unauthenticated',
      '--root',
      '/a b',
      '--root',
      'file:///c',
      '--',
      'x',
    );
    expect(settings!.http).toMatchObject({ host: '0.0.0.0', isLoopback: false });
    expect(JSON.parse(settings!.bridge.staticRoots!.toString())).toEqual({
      roots: [{ uri: 'file:///a%20b' }, { uri: 'file:///c' }],
    });
  });

  it('takes names and origins as people write them, and keeps them as clients send them', () => {
    const hosts = ['MCP.Example', 'b.example:8080', '[FD00::1]:80'].flatMap((host) => [
      '--allowed-host',
      host,
    ]);
    const origins = ['HTTPS://App.Example:443/', 'http://a.example:8080', 'vscode-webview://1A/'].flatMap(
      (origin) => ['--allowed-origin', origin],
    );
    expect(parse('--port', '0', ...hosts, ...origins, '--', 'x').settings!.http).toMatchObject({
      allowedHosts: ['mcp.example', 'b.example', '[fd00::1]'],
      allowedOrigins: ['https://app.example', 'http://a.example:8080', 'vscode-webview://1A'],
    });
  });

  it('takes a URL, with headers that belong to it and proxies from the environment', () => {
    const environment = { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'localhost', XDG_STATE_HOME: '/state' };
    const argv = [
      '--upstream',
      'https://old.example/mcp?a=b#c',
      '--header',
      'X-Api-Key:  k: 1 ',
      '--oauth-scope',
      'x',
    ];
    const silent = { out: (): void => undefined, err: (): void => undefined };
    const upstream = parseSettings(argv, environment, '1', silent).upstream as UrlSettings;
    expect(upstream.url.href).toBe('https://old.example/mcp?a=b');
    expect(upstream.headers).toEqual({ 'x-api-key': 'k: 1' });
    expect(upstream.proxies).toEqual({ http: undefined, https: 'http://proxy:1', except: 'localhost' });
    expect(upstream.oauth).toMatchObject({
      scope: 'x',
      isClientCredentials: false,
      folder: '/state/mcp-bridge/oauth',
    });
  });

  it.each([
    ['--header', 'Authorization: Bearer t'],
    ['--oauth', 'off'],
  ])('asks nobody for a token with %s %s', (...option) => {
    const { settings } = parse('--upstream', 'https://old.example/mcp', ...option);
    expect((settings!.upstream as UrlSettings).oauth).toBeUndefined();
  });

  it('gives help and version with exit code 0', () => {
    expect(parse('--help')).toMatchObject({ exitCode: 0, text: expect.stringContaining('--upstream') });
    expect(parse('--version')).toMatchObject({ exitCode: 0, text: '1.2.3\n' });
  });
});

describe('values', () => {
  it('are read as a person writes them', () => {
    expect(['500ms', '30s', '10m', '1h'].map(parseDuration)).toEqual([500, 30_000, 600_000, 3_600_000]);
    expect(['10', '1KiB', '4MiB', '1GiB', '7B'].map(parseSize)).toEqual([
      10, 1024, 4_194_304, 1_073_741_824, 7,
    ]);
    expect(parseCount('0', 0, 5)).toBe(0);
  });

  it.each([
    ['a  b\tc', ['a', 'b', 'c']],
    ['', []],
    ['\'a b\'c "d"', ['a bc', 'd']],
    ['"a\\"b\\\\c\\d"', ['a"b\\c\\d']],
    ["'a\\b'", ['a\\b']],
    ['a\\ b', ['a b']],
    ['\'\' ""', ['', '']],
    ['$HOME `x` *', ['$HOME', '`x`', '*']],
  ])('words of %j', (command, words) => {
    expect(splitWords(command)).toEqual(words);
  });

  it.each(["'a", '"a', 'a\\', '"a\\"'])('no words of %j', (command) => {
    expect(() => splitWords(command)).toThrow(/quotes/);
  });
});
