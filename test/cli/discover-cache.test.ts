// What the command line keeps of a server beyond its own process.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BridgeProcess, fixture } from '../support/child.ts';
import { hello, initialized } from '../support/legacy-client.ts';

let home = '';
let starts = '';
const folder = (): string => join(home, 'mcp-bridge', 'discover');
const startCount = (): number => readFileSync(starts, 'utf8').length;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcp-bridge-cache-'));
  starts = join(home, 'starts');
  writeFileSync(starts, '');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

function start(more: readonly string[] = [], serverArgs: readonly string[] = []): BridgeProcess {
  const server = [process.execPath, fixture('counting-starts.js'), ...serverArgs];
  return new BridgeProcess(['--env', `STARTS=${starts}`, ...more, '--', ...server], {
    XDG_CACHE_HOME: home,
    MCP_BRIDGE_NO_DISCOVER_CACHE: undefined as unknown as string,
  });
}

async function ended(bridge: BridgeProcess): Promise<void> {
  bridge.child.stdin.end();
  expect(await bridge.exit).toBe(0);
}

async function discoverOnce(bridge: BridgeProcess): Promise<any> {
  const { result } = await bridge.request('server/discover');
  await ended(bridge);
  return result;
}

describe('server/discover', () => {
  it('starts the server once, and is answered without it from then on', async () => {
    expect((await discoverOnce(start())).capabilities).toEqual({ tools: {} });
    expect(startCount()).toBe(1);
    expect((await discoverOnce(start())).capabilities).toEqual({ tools: {} });
    expect(startCount()).toBe(1);
    const [file, ...others] = readdirSync(folder());
    expect(others).toEqual([]);
    expect(statSync(join(folder(), file!)).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
  });

  it('is another one for other arguments, other names of variables, and another folder', async () => {
    await discoverOnce(start());
    await discoverOnce(start([], ['--more']));
    await discoverOnce(start(['--env', 'MORE=1']));
    await discoverOnce(start(['--cwd', home]));
    expect(startCount()).toBe(4);
    await discoverOnce(start(['--env', 'MORE=2']));
    expect(startCount()).toBe(4);
  });

  it('is answered from a wrong file no longer than until the first start', async () => {
    await discoverOnce(start());
    const file = join(folder(), readdirSync(folder())[0]!);
    const lie =
      '{"result":{"protocolVersion":"2025-06-18","capabilities":{"prompts":{}},"serverInfo":{"name":"x","version":"1"}}}';
    writeFileSync(file, lie);
    const bridge = start();
    expect((await bridge.request('server/discover')).result.capabilities).toEqual({ prompts: {} });
    expect((await bridge.request('tools/list')).result.tools).toHaveLength(1);
    expect((await bridge.request('server/discover')).result.capabilities).toEqual({ tools: {} });
    await ended(bridge);
    expect((await discoverOnce(start())).capabilities).toEqual({ tools: {} });
  });

  it('is kept of what a legacy client was told, too', async () => {
    const bridge = start();
    bridge.isChecking = false;
    const first = bridge.nextLine();
    bridge.child.stdin.write(`${hello()}\n`);
    await first;
    bridge.child.stdin.write(`${initialized}\n`);
    await ended(bridge);
    expect((await discoverOnce(start())).capabilities).toEqual({ tools: {} });
    expect(startCount()).toBe(1);
  });

  it('is kept of no server where the user does not want it, or the folder cannot be written', async () => {
    await discoverOnce(start(['--no-discover-cache']));
    expect(readdirSync(home)).toEqual(['starts']);
    writeFileSync(join(home, 'mcp-bridge'), 'a file');
    await discoverOnce(start());
    await discoverOnce(start());
    expect(startCount()).toBe(3);
  });
});
