// Texts without end that are nearly right, at everything that reads what others write. Each target has an oracle: it is
// not enough that nothing crashes. `FUZZ_FRAMES` texts for each target; a failure names its seed, for `LAB_SEED`.
import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Bridge } from '../../src/bridge/bridge.ts';
import { createKeyRing } from '../../src/continuation/key-ring.ts';
import { open, seal, type Continuation } from '../../src/continuation/request-state.ts';
import { find, parseFrame, valueOf, type Frame } from '../../src/jsonrpc/frame.ts';
import { LineSplitter } from '../../src/jsonrpc/line-splitter.ts';
import { metadata, settled, StdioClient } from '../support/harness.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { EchoUpstream } from './echo-upstream.ts';
import { bent, corpus, value } from './grammar.ts';
import { Random } from './random.ts';

const frameCount = Number(process.env['FUZZ_FRAMES'] ?? 20_000);
const batch = 1000;

/** Runs `run` for each of the texts, and lets others run now and then. */
async function fuzz(run: (random: Random, index: number) => void): Promise<void> {
  const random = new Random();
  for (let index = 0; index < frameCount; index += 1) {
    try {
      run(random, index);
    } catch (error) {
      throw new Error(`seed ${String(random.seed)}, text ${String(index)}`, { cause: error });
    }
    if (index % batch === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const nearlyFrame = (random: Random): string => {
  const start = random.chance(80) ? random.pick(corpus) : value(random);
  if (random.chance(10)) return start;
  return random.chance(70) ? bent(random, start) : bent(random, bent(random, start));
};

/** The bytes of a text, now and then with one that no text has. */
function toBytes(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > 0 && random.chance(5)) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

function checkMembers(
  { bytes, members }: Pick<Frame, 'bytes' | 'members'>,
  oracle: Record<string, unknown>,
): void {
  const keys = new Set(members.map(({ key }) => key));
  expect(keys.size).toBe(Object.keys(oracle).length);
  for (const key of keys) {
    const member = find(members, key)!;
    const expected = Object.getOwnPropertyDescriptor(oracle, key)?.value as unknown;
    if (!isDeepStrictEqual(valueOf(bytes, member), expected)) throw new Error(`member ${key} is another`);
    if (member.members !== undefined)
      checkMembers({ bytes, members: member.members }, expected as Record<string, unknown>);
  }
}

function parse(bytes: Buffer): { readonly value?: unknown } {
  try {
    return { value: JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) };
  } catch {
    return {};
  }
}

function depthOf(json: unknown): number {
  let depth = 0;
  let level: readonly unknown[] = [json];
  for (; level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return depth;
}

describe(`texts that are nearly frames, ${String(frameCount)} of them`, { timeout: 7_200_000 }, () => {
  it('are read as JSON.parse reads them, or refused', async () => {
    let frames = 0;
    await fuzz((random) => {
      const bytes = toBytes(random, nearlyFrame(random));
      const oracle = parse(bytes);
      const parsed = parseFrame(Buffer.from(bytes));
      if (parsed.ok) {
        frames += 1;
        expect(parsed.frame.bytes.includes(0x0a)).toBe(false);
        checkMembers(parsed.frame, oracle.value as Record<string, unknown>);
        return;
      }
      const isObject =
        typeof oracle.value === 'object' && oracle.value !== null && !Array.isArray(oracle.value);
      if (isObject && isUtf8(bytes) && depthOf(oracle.value) <= 1000)
        throw new Error(`refused: ${parsed.reason}`);
    });
    expect(frames).toBeGreaterThan(frameCount / 10);
  });

  it('are cut into lines wherever they are cut into chunks', async () => {
    await fuzz((random, index) => {
      if (index % 10 !== 0) return;
      const bytes = Buffer.from(Array.from({ length: 10 }, () => nearlyFrame(random)).join('\n'));
      const text = bytes.toString('utf8');
      const lines: string[] = [];
      const splitter = new LineSplitter(100_000, {
        onLine: (line) => lines.push(Buffer.concat(line).toString('utf8')),
        onOversize: () => lines.push('oversize'),
      });
      for (let at = 0; at < bytes.length;) {
        const end = at + 1 + random.below(random.pick([1, 10, 100, 10_000]));
        splitter.push(bytes.subarray(at, end));
        at = end;
      }
      splitter.end();
      expect(lines).toEqual(text.split('\n').filter((line) => !/^[ \t\r]*$/.test(line)));
    });
  });

  it('open no request state that was not sealed', async () => {
    const ring = createKeyRing();
    const continuation: Continuation = {
      upstream: 'u',
      instance: 'i',
      call: 'c',
      round: 1,
      principal: 'p',
      digest: 'd',
      expiresAt: 1000,
    };
    let state = seal(ring, continuation);
    const foreign = seal(createKeyRing(), continuation);
    await fuzz((random, index) => {
      if (index % batch === 0) state = seal(ring, continuation);
      const other = random.chance(90) ? bent(random, state) : bent(random, foreign);
      const opened = open(ring, other, 0);
      expect(opened.ok).toBe(other === state);
      if (opened.ok) expect(opened.continuation).toEqual(continuation);
    });
    expect(open(ring, state, 1000).ok).toBe(false);
  });

  it('at the stdio face bring each good request its own answer, once', async () => {
    const random = new Random();
    for (let done = 0; done < frameCount; done += batch) await stdioBatch(random, done);
  });
});

interface Batch {
  readonly seed: number;
  readonly sent: readonly string[];
  /** The markers of the good requests, by the texts of their ids. */
  readonly expected: ReadonlyMap<string, number>;
}

/** One connection: good requests among bent ones, each with an id and a marker of its own. */
async function stdioBatch(random: Random, from: number): Promise<void> {
  const upstream = new EchoUpstream();
  const clock = new ManualClock();
  const bridge = new Bridge({ upstream, clock });
  const client = new StdioClient(bridge);
  client.isChecking = false;
  await client.request({ method: 'server/discover', id: 'first' });
  const expected = new Map<string, number>();
  const sent = ['"first"'];
  for (let index = from; index < from + batch; index += 1) {
    const id = random.chance(40) ? goodId(random, index) : undefined;
    if (id !== undefined) expected.set(id, index);
    // Half a character is none any more when it is written.
    sent.push(Buffer.from(textFor(random, id, index).replaceAll('\n', ' ')).toString('utf8'));
    client.write(`${sent.at(-1)!}\n`);
    if (index % 50 === 0) await settled();
  }
  for (let turn = 0; turn < 4; turn += 1) {
    await settled();
    clock.advance(25);
  }
  await settled();
  checkAnswers(client.lines, { seed: random.seed, sent, expected });
  for (const marker of expected.values()) expect([marker, upstream.runs.get(marker)]).toEqual([marker, 1]);
  expect((await client.request({ method: 'tools/list', id: 'last' })).error).toBeUndefined();
  const closed = bridge.close(0);
  clock.advance(0);
  await closed;
}

/** No bent text can come to have such an id. */
function goodId(random: Random, index: number): string {
  const number = String(index);
  const ids = [
    `1000${number}`,
    `"g${number}"`,
    `"\\u0061${number}"`,
    `9007199254${String(1_000_000 + index)}`,
  ];
  return random.pick(ids);
}

function textFor(random: Random, id: string | undefined, index: number): string {
  const params = JSON.stringify({ name: 'a', arguments: { marker: index }, _meta: metadata() });
  const good = `{"jsonrpc":"2.0","id":${id ?? '"bent"'},"method":"tools/call","params":${params}}`;
  if (id !== undefined) return good;
  return random.chance(50) ? bent(random, good) : nearlyFrame(random);
}

function checkAnswers(lines: readonly string[], { seed, sent, expected }: Batch): void {
  const answers = new Map<string, number>();
  for (const line of lines) {
    const { method, id, result } = JSON.parse(line);
    if (method !== undefined || id === undefined) continue;
    const idText = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,]+),"(?:result|error)"/.exec(line)![1]!;
    answers.set(idText, (answers.get(idText) ?? 0) + 1);
    const marker = expected.get(idText);
    // What a bent text says its id is may well come back, in its own words.
    if (marker === undefined && !sent.some((text) => text.includes(idText)))
      throw new Error(`seed ${String(seed)}: an answer to nobody: ${line.slice(0, 200)}`);
    if (marker !== undefined && result?.content[0].text !== String(marker))
      throw new Error(`seed ${String(seed)}: the answer of another: ${line.slice(0, 300)}`);
  }
  for (const id of expected.keys()) expect([id, answers.get(id), seed]).toEqual([id, 1, seed]);
}
