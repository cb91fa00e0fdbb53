// Requests that are nearly right at the HTTP face: every one that comes whole gets one response that HTTP and JSON-RPC
// know, and no answer is another's.
import { describe, expect, it } from 'vitest';
import { Bridge } from '../../src/bridge/bridge.ts';
import { metadata } from '../support/harness.ts';
import { headersFor, localFace } from '../support/http-harness.ts';
import { EchoUpstream } from './echo-upstream.ts';
import { bent, corpus } from './grammar.ts';
import { Random } from './random.ts';
import { RawConnection, type RawResponse } from './raw-http.ts';

const requestCount = Number(process.env['FUZZ_FRAMES'] ?? 10_000);
const connectionCount = 8;
const statuses = [200, 202, 204, 400, 403, 404, 405, 406, 408, 413, 415, 431, 503];

interface Made {
  readonly bytes: Buffer;
  readonly text: string;
  /** Set for a request that nothing was done to. */
  readonly marker: number | undefined;
  /** It does not come whole: whoever waited for a response would wait for long. */
  readonly isCut: boolean;
}

const oddLines = [
  'X: y',
  'Accept: */*',
  'Accept: text/event-stream',
  'Mcp-Session-Id: 5',
  'Origin: null',
  'Host: evil.test',
  'Transfer-Encoding: chunked',
  'Content-Length: 5',
  'Expect: 100-continue',
  'Connection: close',
  'Mcp-Name: =?base64?YQ==?=',
  'Mcp-Name: =?base64?%?=',
  'MCP-Protocol-Version: 2025-11-25',
  ': x',
  'A',
  `L: ${'x'.repeat(17_000)}`,
];
const starts = [
  'GET /mcp',
  'PUT /mcp',
  'DELETE /mcp',
  'OPTIONS /mcp',
  'POST /',
  'POST http://localhost/mcp',
  'POST //mcp',
  'PRI *',
  'post /mcp',
];

function make(random: Random, number: number): Made {
  const isGood = random.chance(40);
  // No bent request can come to have the marker of a good one.
  const marker = isGood ? 1_000_000 + number : 'bent';
  const params = { name: 'a', arguments: { marker }, _meta: metadata() };
  const message = { jsonrpc: '2.0', id: marker, method: 'tools/call', params };
  const good = JSON.stringify(message);
  const lines = [
    'Host: localhost',
    'Content-Type: application/json',
    ...Object.entries(headersFor(message)).map(([name, value]) => `${name}: ${value}`),
  ];
  if (typeof marker === 'number') return toMade('POST /mcp', Buffer.byteLength(good), lines, good, marker);
  const body = random.chance(30) ? good : random.chance(50) ? bent(random, good) : random.pick(corpus);
  for (let count = random.below(3); count > 0; count -= 1) spoil(random, lines);
  const start = random.chance(10) ? random.pick(starts) : 'POST /mcp';
  const error = random.chance(5) ? random.below(20) - 10 : 0;
  return toMade(start, Math.max(0, Buffer.byteLength(body) + error), lines, body, undefined);
}

/** Takes a line out, puts one in, changes one or says one twice. */
function spoil(random: Random, lines: string[]): void {
  const at = random.below(lines.length);
  const line = lines[at] ?? '';
  const others = [
    [],
    [random.pick(oddLines), line],
    // An empty line would end the headers.
    [bent(random, line).replace(/[\r\n]/g, '') || 'A: b'],
    [line, line],
  ];
  lines.splice(at, 1, ...random.pick(others));
}

function toMade(
  start: string,
  length: number,
  lines: readonly string[],
  body: string,
  marker: number | undefined,
): Made {
  const head = lines.join('\r\n');
  const text = `${start} HTTP/1.1\r\nContent-Length: ${String(length)}\r\n${head}\r\n\r\n${body}`;
  const isCut =
    length !== Buffer.byteLength(body) ||
    /^(?:transfer-encoding|content-length|expect)/im.test(head) ||
    body.includes('subscriptions/listen');
  return { bytes: Buffer.from(text), text, marker, isCut };
}

function check({ text, marker }: Made, response: RawResponse | undefined): void {
  if (response === undefined) throw new Error('no response');
  const { status, headers, body } = response;
  expect(statuses).toContain(status);
  expect(headers).not.toMatch(/mcp-session-id|^set-cookie/im);
  if (marker !== undefined) {
    expect([status, JSON.parse(body).id]).toEqual([200, marker]);
    expect(JSON.parse(body).result.content[0].text).toBe(String(marker));
    return;
  }
  if (body === '' || /text\/event-stream/.test(headers) || text.startsWith('HEAD')) return;
  const answer = JSON.parse(body);
  expect(answer.jsonrpc).toBe('2.0');
  expect(body).not.toMatch(/node_modules|\bat \w+ \(|\.ts:/);
}

describe(`requests that are nearly right, ${String(requestCount)} of them`, { timeout: 7_200_000 }, () => {
  it('get one response each, and it is theirs', async () => {
    const upstream = new EchoUpstream();
    const bridge = new Bridge({ upstream });
    const face = localFace(bridge);
    const port = Number(new URL(await face.listen()).port);
    const seed = new Random();
    let next = 0;
    const work = async (): Promise<void> => {
      const connection = new RawConnection(port);
      while (next < requestCount) {
        next += 1;
        const made = make(seed, next);
        if (made.isCut) {
          // A connection on which a request has come in part is in no known state.
          const response = connection.request(made.bytes);
          if (seed.chance(50)) await new Promise((resolve) => setImmediate(resolve));
          connection.close();
          await response;
          continue;
        }
        const response = await connection.request(made.bytes);
        try {
          check(made, response);
        } catch (error) {
          throw new Error(
            `seed ${String(seed.seed)}: ${JSON.stringify(made.text)}\n${JSON.stringify(response)}`,
            { cause: error },
          );
        }
        if (made.marker !== undefined) {
          expect(upstream.runs.get(made.marker)).toBe(1);
          upstream.runs.delete(made.marker);
        }
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: connectionCount }, work));
    await expect
      .poll(() => bridge.counts, { timeout: 5000 })
      .toEqual({ calls: 0, listens: 0, parked: 0, upstream: 0 });
    await bridge.close(0);
    await face.close();
  });
});
