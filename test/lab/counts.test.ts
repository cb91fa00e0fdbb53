// Clients that are there and then are not, by the thousand: everything that is counted goes back to nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bridge } from '../../src/bridge/bridge.ts';
import type { HttpFace } from '../../src/faces/http.ts';
import { localFace } from '../support/http-harness.ts';
import { callParams, questionIn, requestBytes, send } from './calls.ts';
import { labServer } from './lab-server.ts';
import { RawConnection } from './raw-http.ts';

const nothing = { calls: 0, listens: 0, parked: 0, upstream: 0 };
let bridge: Bridge;
let face: HttpFace;
let port = 0;
let tokenCount = 0;

beforeAll(async () => {
  const upstream = labServer();
  // On a quick machine all of a thousand questions, and the one before them, are open before the first expires.
  const limits = { maxParked: 2000, maxParkedPerPrincipal: 2000 };
  const options = { ...limits, quarantineMs: 300, inputTtlMs: 2000, outcomeTtlMs: 100, parkingWindowMs: 1 };
  bridge = new Bridge({ upstream, options });
  face = localFace(bridge);
  port = Number(new URL(await face.listen()).port);
  await send(new RawConnection(port), requestBytes('tools/list', callParams({ token: '', plan: '' })));
});

afterAll(async () => {
  await bridge.close(0);
  await face.close();
});

function callBytes(plan: string, ms = 0): Buffer {
  tokenCount += 1;
  return requestBytes('tools/call', callParams({ token: `t${String(tokenCount)}`, plan, ms }));
}

const listenBytes = (): Buffer =>
  requestBytes('subscriptions/listen', {
    ...callParams({ token: '', plan: '' }),
    notifications: { toolsListChanged: true, resourceSubscriptions: ['lab://a'] },
  });

const zero = (): Promise<unknown> => expect.poll(() => bridge.counts, { timeout: 20_000 }).toEqual(nothing);

/** What the process holds, but for what is being closed. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return { sockets: counts['TCPSocketWrap'] ?? 0, children: counts['ProcessWrap'] ?? 0 };
}

describe('the counts go back to nothing', () => {
  // Field bugs 42 and 133.
  it('when 1,000 clients, half of them listening, vanish without a FIN', async () => {
    const connections = Array.from({ length: 1000 }, () => new RawConnection(port));
    const ends = connections.map((connection, index) =>
      connection.request(index % 2 === 0 ? listenBytes() : callBytes('hang')),
    );
    await expect.poll(() => bridge.counts, { timeout: 20_000 }).toMatchObject({ calls: 500, listens: 500 });
    for (const connection of connections) connection.close();
    await Promise.all(ends);
    await zero();
    await expect.poll(held, { timeout: 10_000 }).toMatchObject({ children: 1 });
  });

  it('when 1,000 questions are never answered', async () => {
    const ask = async (times: number): Promise<void> => {
      const connection = new RawConnection(port);
      for (let count = 0; count < times; count += 1) {
        const answer = await send(connection, callBytes('ask'));
        expect(questionIn(answer!)).toBeDefined();
      }
      connection.close();
    };
    // The first asks by itself: before the tool is known to ask, of several at once one would be refused.
    await ask(1);
    let most = 0;
    const watching = setInterval(() => (most = Math.max(most, bridge.counts.parked)), 10);
    await Promise.all(Array.from({ length: 8 }, () => ask(125)));
    clearInterval(watching);
    expect(most).toBeGreaterThan(100);
    await zero();
  });

  // Field bug 41: one child all the while.
  it('when 10,000 calls are aborted, by a server that answers none of them', async () => {
    const abort = async (): Promise<void> => {
      for (let count = 0; count < 625; count += 1) {
        const connection = new RawConnection(port);
        const answer = connection.request(callBytes('hang'));
        while (connection.isConnecting) await sleep(1);
        await new Promise((resolve) => setImmediate(resolve));
        connection.close();
        await answer;
      }
    };
    await Promise.all(Array.from({ length: 16 }, abort));
    await zero();
    const after = await send(new RawConnection(port), callBytes('echo'));
    expect(after!.result.content[0].text).toBe(`t${String(tokenCount)}`);
    await expect.poll(held, { timeout: 10_000 }).toMatchObject({ children: 1 });
  });
});
