// Everything that can go wrong, all the time, under load: servers that die, hang, talk nonsense and stop in the middle of
// an answer; clients that vanish, never answer, answer twice and with the states of others. What happened is recorded,
// and afterwards held against the invariants. `CHAOS_CALLS` and `CHAOS_DEATHS` say for how long.
import { setTimeout as sleep } from 'node:timers/promises';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { Bridge } from '../../src/bridge/bridge.ts';
import { systemClock, type Clock } from '../../src/clock.ts';
import type { HttpFace } from '../../src/faces/http.ts';
import { StdioFace } from '../../src/faces/stdio.ts';
import { silentLogger as log } from '../../src/log.ts';
import { isAlive } from '../support/child.ts';
import type { Message } from '../support/scripted-upstream.ts';
import { localFace } from '../support/http-harness.ts';
import {
  callParams,
  questionIn,
  requestBytes,
  retryParams,
  send,
  type LabCall,
  type Question,
} from './calls.ts';
import { bent } from './grammar.ts';
import { Ledger } from './ledger.ts';
import { Random } from './random.ts';
import { labServer } from './lab-server.ts';
import { RawConnection } from './raw-http.ts';
import { breachesOf, type TraceEvent } from './trace.ts';

const callCount = Number(process.env['CHAOS_CALLS'] ?? 2000);
const deathCount = Number(process.env['CHAOS_DEATHS'] ?? 40);

/** Server starts are delayed by seconds where servers die and die: here a second takes 2 ms. */
const haste = 500;
const hastyClock: Clock = {
  now: () => Date.now() * haste,
  after: (ms, run) => systemClock.after(ms / haste, run),
  afterInput: (ms, run) => systemClock.afterInput(ms / haste, run),
};
const times = Object.fromEntries(
  Object.entries({
    requestTimeoutMs: 700,
    maxRequestMs: 5000,
    startTimeoutMs: 20_000,
    fenceMs: 250,
    inputTtlMs: 1000,
    parkingWindowMs: 5,
    outcomeTtlMs: 2000,
    attributionTimeoutMs: 300,
    queueTimeoutMs: 3000,
    quarantineMs: 60_000,
  }).map(([name, ms]) => [name, ms * haste]),
);

/** How many of a thousand calls are of which plan. */
const plans: readonly (readonly [string, number])[] = [
  ['echo', 547],
  ['slow', 100],
  ['progress', 60],
  ['ask', 90],
  ['ask twice', 30],
  ['garbage', 50],
  ['twice', 30],
  ['changed', 30],
  ['big', 40],
  ['hang', 3],
  ['die', 8],
  ['answer and die', 5],
  ['half an answer', 4],
  ['close stdin', 3],
];

function pickPlan(random: Random): string {
  let at = random.below(1000);
  for (const [plan, share] of plans) {
    if (at < share) return plan;
    at -= share;
  }
  return 'echo';
}

const garbage = 'garbage';

class Chaos {
  readonly random = new Random();
  readonly ledger = new Ledger();
  readonly trace: TraceEvent[] = [];
  readonly oddities: string[] = [];
  readonly bridge: Bridge;
  private readonly face: HttpFace;
  private port = 0;
  private tokenCount = 0;
  private states: Question[] = [];

  constructor() {
    const upstream = labServer({ LEDGER: this.ledger.file });
    this.bridge = new Bridge({ upstream, clock: hastyClock, options: times });
    this.face = localFace(this.bridge);
  }

  async start(): Promise<void> {
    this.port = Number(new URL(await this.face.listen()).port);
  }

  async stop(): Promise<void> {
    await this.bridge.close(0);
    await this.face.close();
  }

  get isDone(): boolean {
    return this.ledger.tokens.length >= callCount && this.ledger.pids.length > deathCount;
  }

  /** One after the other, until enough has happened. */
  async worker(): Promise<void> {
    const connection = new RawConnection(this.port);
    while (!this.isDone) {
      if (this.random.chance(2)) await this.sendGarbage();
      await this.call(connection, this.next());
    }
    connection.close();
  }

  /** A client on stdio that has several calls running and cancels some; its questions would all be one party's. */
  async stdioWorker(): Promise<void> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    new StdioFace({ bridge: this.bridge, input, output, maxMessageBytes: 1024 * 1024, log });
    const waiting = new Map<string, (message: Message) => void>();
    createInterface({ input: output }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      if (message.method !== undefined) return;
      if (!waiting.has(message.id)) this.oddities.push(`stdio: an answer to nobody: ${line.slice(0, 200)}`);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    });
    const write = (message: object): void =>
      void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const one = async (): Promise<void> => {
      const call = this.next();
      if (call.plan.startsWith('ask')) return;
      const { token } = call;
      this.trace.push({ kind: 'sent', token, round: 0 });
      const answer = new Promise<Message>((resolve) => waiting.set(token, resolve));
      write({ id: token, method: 'tools/call', params: callParams(call) });
      if (this.random.chance(10)) {
        await sleep(this.random.below(5));
        if (waiting.delete(token)) {
          // What is written crosses with an answer that is on its way; that one is to nobody then.
          waiting.set(token, () => undefined);
          write({ method: 'notifications/cancelled', params: { requestId: token } });
          this.trace.push({ kind: 'cancelled', token, round: 0 });
          return;
        }
      }
      await this.record(call, 0, await answer);
    };
    while (!this.isDone) await Promise.all([one(), one(), one(), one()]);
    input.end();
  }

  /** Opens listen streams and leaves them without a word. */
  async listener(): Promise<void> {
    const params = {
      ...callParams({ token: 'listener', plan: '' }),
      notifications: { toolsListChanged: true, resourceSubscriptions: ['lab://a'] },
    };
    while (!this.isDone) {
      const connection = new RawConnection(this.port);
      const ended = connection.request(requestBytes('subscriptions/listen', params));
      await Promise.race([ended, sleep(this.random.below(300))]);
      connection.close();
      await ended;
    }
  }

  /** Kills the server that was started last, out of nowhere. */
  async killer(): Promise<void> {
    while (!this.isDone) {
      await sleep(200 + this.random.below(1000));
      const pid = this.ledger.read().pids.at(-1);
      if (pid !== undefined && isAlive(pid))
        process.kill(pid, this.random.pick(['SIGKILL', 'SIGTERM', 'SIGSEGV']));
    }
  }

  private next(): LabCall {
    this.tokenCount += 1;
    if (this.tokenCount % 50 === 0) this.ledger.read();
    return { token: `t${String(this.tokenCount)}`, plan: pickPlan(this.random), ms: this.random.below(20) };
  }

  private async call(
    connection: RawConnection,
    call: LabCall,
    round = 0,
    params = callParams(call),
  ): Promise<void> {
    const { token } = call;
    this.trace.push({ kind: 'sent', token, round });
    const answer = send(connection, requestBytes('tools/call', params, token));
    if (this.random.chance(4)) {
      await Promise.race([answer, sleep(this.random.below(8))]);
      connection.close();
    }
    const message = await answer;
    if (message === undefined) this.trace.push({ kind: 'cancelled', token, round });
    else await this.record(call, round, message, connection);
  }

  private async record(
    { ...call }: LabCall,
    round: number,
    message: Message,
    connection?: RawConnection,
  ): Promise<void> {
    const { token } = call;
    const question = questionIn(message);
    if (message.id !== token) this.oddities.push(`${token}: an answer with the id ${String(message.id)}`);
    if (message.error !== undefined) {
      const { reason } = message.error.data;
      this.trace.push({ kind: 'error', token, round, reason });
      if (reason === 'upstream_unavailable') await sleep(20);
    } else if (question === undefined)
      this.trace.push({
        kind: 'result',
        token,
        round,
        text: (message.result.content[0].text as string).slice(0, 100),
      });
    else {
      this.trace.push({ kind: 'question', token, round, about: question.about });
      if (connection !== undefined) await this.goOn(connection, call, round, question);
    }
  }

  private async goOn(
    connection: RawConnection,
    call: LabCall,
    round: number,
    question: Question,
  ): Promise<void> {
    const { random } = this;
    if (random.chance(5)) this.states = [...this.states.slice(-20), question];
    // The human has gone for lunch.
    if (random.chance(10)) return;
    if (random.chance(20)) await this.tryState(call, question);
    const params = retryParams(call, question, `yes-${call.token}`);
    if (random.chance(15)) await this.retryTwice(connection, call, round + 1, params);
    else await this.call(connection, call, round + 1, params);
  }

  /** The same retry twice at once is one retry: both get the same. */
  private async retryTwice(
    connection: RawConnection,
    call: LabCall,
    round: number,
    params: object,
  ): Promise<void> {
    const other = new RawConnection(this.port);
    const twin = send(other, requestBytes('tools/call', params, call.token));
    await this.call(connection, call, round, params);
    const first = this.trace.findLast((event) => event.token === call.token && event.kind === 'result');
    const second = await twin;
    other.close();
    const said = second?.result?.content?.[0].text;
    if (first?.kind === 'result' && first.round === round && said !== undefined && said !== first.text)
      this.oddities.push(`${call.token}: the same retry had two outcomes`);
  }

  /** A state that was changed, or is another call's, must be refused. */
  private async tryState(call: LabCall, { state: own, ...question }: Question): Promise<void> {
    const { random } = this;
    const foreign =
      random.chance(50) || this.states.length === 0 ? bent(random, own) : random.pick(this.states).state;
    if (foreign === own) return;
    const connection = new RawConnection(this.port);
    const params = retryParams(call, { ...question, state: foreign }, 'stolen');
    const answer = await send(connection, requestBytes('tools/call', params));
    connection.close();
    if (answer !== undefined && answer.error === undefined)
      this.oddities.push(`${call.token}: went on with a state that is not its own`);
  }

  private async sendGarbage(): Promise<void> {
    const connection = new RawConnection(this.port);
    const { random } = this;
    const bytes = requestBytes('tools/call', callParams({ token: garbage, plan: 'echo' }));
    const at = random.below(bytes.length);
    const answered = connection.request(
      Buffer.from(bent(random, bytes.toString('latin1').slice(at)), 'latin1'),
    );
    await Promise.race([answered, sleep(5)]);
    connection.close();
    await answered;
  }
}

describe('chaos', { timeout: 7_200_000 }, () => {
  it(`breaches no invariant in ${String(callCount)} calls and ${String(deathCount)} deaths`, async () => {
    const chaos = new Chaos();
    await chaos.start();
    const workers = Array.from({ length: 14 }, () => chaos.worker());
    await Promise.all([...workers, chaos.stdioWorker(), chaos.listener(), chaos.listener(), chaos.killer()]);
    await expect
      .poll(() => chaos.bridge.counts, { timeout: 20_000 })
      .toMatchObject({ calls: 0, listens: 0, parked: 0 });
    await chaos.stop();
    const { tokens, pids } = chaos.ledger.read();
    // Bent garbage may come out straight, and then it is a call like any other that nobody waits for.
    const runs = tokens.filter((token) => token !== garbage);
    const breaches = [...breachesOf(chaos.trace, runs), ...chaos.oddities.slice(0, 20)];
    const kinds = new Map<string, number>();
    for (const event of chaos.trace) {
      const kind =
        event.kind === 'error'
          ? event.reason
          : event.kind === 'result' && event.text.endsWith(' error')
            ? 'not asked'
            : event.kind;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    process.stdout.write(
      `${String(tokens.length)} calls run, ${String(pids.length - 1)} deaths, seed ${String(chaos.random.seed)}, ` +
        `${JSON.stringify(Object.fromEntries(kinds))}\n`,
    );
    expect(breaches).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    chaos.ledger.remove();
  });
});
