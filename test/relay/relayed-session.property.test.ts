// Whatever a legacy client and its server say to each other passes the relay byte by byte and in its order; what the
// relay says itself are answers that the server will not give.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RelayedSession } from '../../src/relay/relayed-session.ts';
import { join, parseFrame, type Frame } from '../../src/jsonrpc/frame.ts';
import { silentLogger } from '../../src/log.ts';
import type { LinkHandlers } from '../../src/upstream/port.ts';
import { ManualClock } from '../support/manual-clock.ts';

const id = fc.constantFrom('0', '1', '"1"', '""', '"a"', '9007199254740993');
const payload = fc.constantFrom(
  '{}',
  '{"a":1.0,"a":2}',
  '{"big":12345678901234567890,"u":"\\u00e9\\ud83d"}',
  '{ "n" : null }',
);
const fromClient = fc.oneof(
  fc
    .tuple(id, payload)
    .map(([key, params]) => `{"jsonrpc":"2.0","id":${key},"method":"tools/call","params":${params}}`),
  fc.tuple(id, payload).map(([key, result]) => `{"id":${key},"jsonrpc":"2.0","result":${result}}`),
  payload.map((params) => `{"jsonrpc":"2.0","method":"notifications/x","params":${params}}`),
  id.map((key) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${key}}}`),
);
const fromServer = fc.oneof(
  fc.tuple(id, payload).map(([key, result]) => `{"jsonrpc":"2.0","id":${key},"result":${result}}`),
  fc
    .tuple(id, payload)
    .map(
      ([key, params]) => `{"jsonrpc":"2.0","id":${key},"method":"sampling/createMessage","params":${params}}`,
    ),
  payload.map((params) => `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`),
);
const steps = fc.array(
  fc.oneof(
    fc.record({ from: fc.constant('client' as const), text: fromClient }),
    fc.record({ from: fc.constant('server' as const), text: fromServer }),
  ),
  { maxLength: 40 },
);

const frameOf = (text: string): Frame => {
  const parsed = parseFrame(Buffer.from(text));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.frame;
};

interface World {
  readonly relay: RelayedSession;
  readonly server: LinkHandlers;
  readonly toServer: string[];
  readonly toClient: string[];
  /** How often it was said that the session is over. */
  readonly overCount: () => number;
}

function create(): World {
  const toServer: string[] = [];
  const toClient: string[] = [];
  let server: LinkHandlers | undefined;
  let overCount = 0;
  const upstream = {
    label: 'x',
    open: (handlers: LinkHandlers) => {
      server = handlers;
      return {
        send: (frame: readonly Buffer[]) => void toServer.push(join(frame).toString()),
        close: () => Promise.resolve(),
      };
    },
  };
  const options = {
    upstream,
    clock: new ManualClock(),
    log: silentLogger,
    startTimeoutMs: 1000,
    maxCalls: 4,
  };
  const relay = new RelayedSession(options, {
    onFrame: (frame) => void toClient.push(join(frame).toString()),
    onDropped: () => undefined,
    onOver: () => void (overCount += 1),
  });
  return { relay, server: server!, toServer, toClient, overCount: () => overCount };
}

describe('a relayed session', () => {
  it('passes every frame as it is, in order, and refuses only what is in flight already or too much', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { relay, server, toServer, toClient } = create();
        const said = { client: [] as string[], server: [] as string[] };
        for (const { from, text } of list) {
          if (from === 'server') {
            server.onFrame(frameOf(text));
            said.server.push(text);
            continue;
          }
          try {
            relay.take(frameOf(text));
            said.client.push(text);
          } catch (error) {
            expect(error).toMatchObject({
              reason: expect.stringMatching(/^(?:duplicate_id|too_many_calls)$/),
            });
            expect(text).toContain('"method":"tools/call"');
          }
        }
        expect(toServer).toEqual(said.client);
        expect(toClient).toEqual(said.server);
      }),
      { numRuns: 500 },
    );
  });

  it('answers every request once when the server goes, that it has not answered before', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (list, isGone) => {
        const { relay, server, toClient, overCount } = create();
        const due = new Set<string>();
        for (const { from, text } of list) {
          const message = JSON.parse(text) as {
            id?: unknown;
            method?: string;
            params?: { requestId?: unknown };
          };
          const key = JSON.stringify(message.id);
          if (from === 'server') {
            server.onFrame(frameOf(text));
            if (message.method === undefined) due.delete(key);
          } else {
            try {
              relay.take(frameOf(text));
            } catch {
              continue;
            }
            if (message.method === 'tools/call') due.add(key);
            if (message.method === 'notifications/cancelled')
              due.delete(JSON.stringify(message.params?.requestId));
          }
        }
        toClient.length = 0;
        if (isGone) server.onSessionGone();
        server.onClosed('server exited');
        server.onClosed('server exited');
        expect(overCount()).toBe(1);
        const answered = toClient.map((text) => JSON.stringify((JSON.parse(text) as { id: unknown }).id));
        expect(answered.sort()).toEqual([...due].sort());
      }),
      { numRuns: 500 },
    );
  });
});
