// Garbage from both sides of one bridge at once. Nothing may crash, nothing that is no frame may come out on either
// side, and a good call is served afterwards.
import { describe, expect, it } from 'vitest';
import { openHarness, settled } from '../support/harness.ts';
import { bent, corpus } from './grammar.ts';
import { Random } from './random.ts';

const frameCount = Number(process.env['FUZZ_FRAMES'] ?? 20_000);
const batch = 50;

async function both(random: Random): Promise<void> {
  const { client, upstream, clock, bridge } = await openHarness();
  client.isChecking = false;
  for (let index = 0; index < batch; index += 1) {
    const frame = random.pick(corpus);
    const text = (random.chance(25) ? frame : bent(random, frame)).replaceAll('\n', ' ');
    if (random.chance(50)) client.write(`${text}\n`);
    else upstream.server.sayRaw(text);
    if (random.chance(20)) await settled();
    if (random.chance(15)) clock.advance(30);
  }
  await settled();
  const answer = client.request({ method: 'tools/call', params: { name: 'last' }, id: 'last' });
  await settled();
  // The scripted server throws on a line that is no frame.
  const call = upstream.server.rawReceived
    .map((line) => JSON.parse(line))
    .find(({ params }) => params?.name === 'last');
  upstream.server.text(call, 'ok');
  clock.advance(30);
  expect((await answer).result.content[0].text).toBe('ok');
  for (const line of client.lines) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
  const closed = bridge.close(0);
  clock.advance(0);
  await closed;
}

describe(`garbage from both sides, ${String(frameCount)} frames`, { timeout: 7_200_000 }, () => {
  it('crashes nothing, and a good call is served afterwards', async () => {
    const random = new Random();
    for (let done = 0; done < frameCount; done += batch)
      await both(random).catch((error: unknown) => {
        throw new Error(`seed ${String(random.seed)}, after ${String(done)} frames`, { cause: error });
      });
  });
});
