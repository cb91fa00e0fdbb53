// Calls through whatever a server over HTTP can do to them, in any order and all at once: each gets one answer, and
// none runs twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../src/upstream/credentials.ts';
import { FakeHttpServer, type Exchange } from '../support/fake-http-server.ts';
import { httpHarness, isCall, textOf } from '../support/upstream-harness.ts';

const faults = [
  'none',
  'stream',
  'reset',
  'cut',
  'end',
  '502',
  'expired before',
  'expired after',
  'refused',
] as const;
type Fault = (typeof faults)[number];

/** Those behind which the call must have an answer of its own. */
const harmless: readonly Fault[] = ['none', 'stream', 'expired before', 'expired after', 'refused'];
const expected = (fault: Fault): RegExp =>
  harmless.includes(fault) ? /^upstream_(?:exited|unavailable)$/ : /^upstream_/;
const runs = Number(process.env['PROPERTY_RUNS'] ?? 40);

class World {
  key = 0;
  /** Credentials that are others each time. */
  readonly credentials: Credentials = {
    headers: () => this.lines,
    renew: () => {
      this.lines = { 'x-key': String(this.key) };
      return Promise.resolve(true);
    },
  };
  private lines = { 'x-key': '0' };

  serve(exchange: Exchange): boolean {
    if (!isCall(exchange)) return false;
    const { name } = exchange.message.params as { readonly name: string };
    const fault = name.slice(name.indexOf(' ') + 1) as Fault;
    const { server, response, headers } = exchange;
    const isFirst = !this.seen.has(name);
    this.seen.add(name);
    if (fault === 'expired before' && isFirst) server.sessions.clear();
    if (!server.sessions.has(headers['mcp-session-id'] as string)) return false;
    if (fault === 'refused' && isFirst) {
      this.key += 1;
      response.writeHead(401).end();
      return true;
    }
    server.runs.set(name, (server.runs.get(name) ?? 0) + 1);
    this.act(exchange, fault, name);
    return true;
  }

  private readonly seen = new Set<string>();

  private act({ response, stream, text, server }: Exchange, fault: Fault, name: string): void {
    switch (fault) {
      case 'reset':
        response.socket!.destroy();
        return;
      case 'cut':
        stream().raw('data: {"jsonrpc":');
        response.socket!.end();
        return;
      case 'end':
        stream().end();
        return;
      case '502':
        response.writeHead(502).end();
        return;
      case 'expired after':
        text(name);
        server.sessions.clear();
        return;
      case 'none':
      case 'stream':
      case 'expired before':
      case 'refused':
        text(name);
    }
  }
}

describe('calls through faults', { timeout: 3_600_000 }, () => {
  it('get one answer each, and none runs twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom(...faults), { minLength: 1, maxLength: 8 }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (rounds) => {
          const world = new World();
          const server = await new FakeHttpServer({ on: (exchange) => world.serve(exchange) }).start();
          const { client, close } = httpHarness(server.url, { credentials: world.credentials });
          let number = 0;
          for (const round of rounds) {
            const names = round.map((fault) => `${String((number += 1))} ${fault}`);
            const answers = await Promise.all(names.map((name) => client.call(name)));
            answers.forEach((answer, index) => {
              const name = names[index]!;
              if (answer.result !== undefined) expect(textOf(answer)).toBe(name);
              // A session that goes a second time under a call, or in the middle of its handshake, is told of.
              else expect(answer.error.data.reason).toMatch(expected(round[index]!));
            });
          }
          for (const [name, count] of server.runs) expect([name, count]).toEqual([name, 1]);
          await close();
          await server.stop();
        },
      ),
      { numRuns: runs, plugins: [fc.timeout(60_000)] },
    );
  });
});
