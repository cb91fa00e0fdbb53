// A legacy client on a stdio face that serves both eras, inside the process: it writes lines and reads lines.
import { PassThrough } from 'node:stream';
import { Bridge } from '../../src/bridge/bridge.ts';
import { StdioFace } from '../../src/faces/stdio.ts';
import { silentLogger } from '../../src/log.ts';
import { RelayedSession, type OpenRelay } from '../../src/relay/relayed-session.ts';
import type { Upstream } from '../../src/upstream/port.ts';
import { settled } from './harness.ts';
import { ManualClock } from './manual-clock.ts';
import { ScriptedUpstream, type Message, type Script, type ScriptedServer } from './scripted-upstream.ts';

export function relayTo(upstream: Upstream, clock: ManualClock, maxCalls = 1000): OpenRelay {
  const options = { upstream, clock, log: silentLogger, startTimeoutMs: 60_000, maxCalls };
  return (handlers) => new RelayedSession(options, handlers);
}

export const hello = (protocolVersion = '2025-11-25'): string =>
  `{"jsonrpc":"2.0", "id":"hello","method":"initialize","params":{"protocolVersion":"${protocolVersion}","capabilities":{"roots":{}},"clientInfo":{"name":"old","version":"1"}}}`;
export const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

export class LegacyClient {
  readonly clock = new ManualClock();
  readonly upstream: ScriptedUpstream;
  readonly bridge: Bridge;
  readonly face: StdioFace;
  readonly lines: string[] = [];
  readonly input = new PassThrough();

  constructor(script: Script = {}, maxCalls?: number) {
    this.upstream = new ScriptedUpstream(script);
    this.bridge = new Bridge({ upstream: this.upstream, clock: this.clock });
    const output = new PassThrough();
    this.face = new StdioFace({
      bridge: this.bridge,
      input: this.input,
      output,
      maxMessageBytes: 1024 * 1024,
      log: silentLogger,
      openRelay: relayTo(this.upstream, this.clock, maxCalls),
    });
    let rest = '';
    output.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n');
      rest = parts.pop()!;
      this.lines.push(...parts);
    });
  }

  /** Sends lines, and lets happen what comes of them. */
  async send(...lines: string[]): Promise<void> {
    for (const line of lines) this.input.write(`${line}\n`);
    await settled();
  }

  get server(): ScriptedServer {
    return this.upstream.server;
  }

  get last(): Message {
    return JSON.parse(this.lines.at(-1)!) as Message;
  }
}

/** One whose handshake is over; what it has said and heard is forgotten. */
export async function openLegacyClient(script: Script = {}, maxCalls?: number): Promise<LegacyClient> {
  const client = new LegacyClient(script, maxCalls);
  await client.send(hello(script.version), initialized);
  client.lines.length = 0;
  client.server.rawReceived.length = 0;
  return client;
}
