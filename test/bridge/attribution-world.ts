// A world of callers, calls and a legacy server in which one random choice after the other is made. It records every
// breach of what must hold, with the truth that only the server knows.
import { Bridge } from '../../src/bridge/bridge.ts';
import type { ListenResponder, Outcome } from '../../src/bridge/outcome.ts';
import { join } from '../../src/jsonrpc/frame.ts';
import { silentLogger } from '../../src/log.ts';
import { requestWith } from '../support/frames.ts';
import { settled } from '../support/harness.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { ScriptedUpstream, type Message, type ScriptedServer } from '../support/scripted-upstream.ts';
import type { Caller, Handler, Scenario } from './attribution-scenario.ts';

type Action = () => void | Promise<void>;

const inputTtlMs = 100_000;
const quarantineMs = 30_000;
const stepMs = 5000;
const requestTimeoutMs = 1_000_000;

export class AttributionWorld {
  /** Everything that must not happen and did. */
  readonly faults: string[] = [];
  /** Questions that were failed closed because nobody could tell whose they were. */
  refusedCount = 0;
  private readonly scenario: Scenario;
  private readonly clock = new ManualClock();
  private readonly upstream: ScriptedUpstream;
  private readonly bridge: Bridge;
  private readonly handlers: Handler[] = [];
  private readonly callers: Caller[] = [];
  private readonly forgottenAt = new Map<ScriptedServer, number>();
  private readonly executions = new Map<number, number>();
  private readonly truth = new Map<
    string,
    { readonly domain: string; readonly handler: Handler; readonly server: ScriptedServer }
  >();
  private started = 0;
  private questionCount = 0;

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.upstream = new ScriptedUpstream({
      on: (message, server) => this.onMessage(message, server),
    });
    this.bridge = new Bridge({
      upstream: this.upstream,
      clock: this.clock,
      log: {
        ...silentLogger,
        warn: (_, message) => {
          if (message.startsWith('cannot tell whose')) this.refusedCount += 1;
        },
      },
      options: {
        maxSessions: scenario.maxSessions,
        inputTtlMs,
        quarantineMs,
        maxRequestMs: 10_000_000,
        requestTimeoutMs,
      },
    });
  }

  async run(): Promise<void> {
    if (this.scenario.isWarm) await this.warmUp();
    for (const choice of this.scenario.choices) {
      const actions = this.possibleActions();
      if (actions.length === 0) break;
      await actions[choice % actions.length]!();
      await settled();
    }
    await this.finish();
  }

  /** Each tool that asks has asked once, alone. */
  private async warmUp(): Promise<void> {
    for (const [index, plan] of this.scenario.plans.entries()) {
      if (plan.length === 0) continue;
      this.startCall(1000 + index, 'warm', this.toolOf(index), [1]);
      await settled();
      for (let step = 0; step < 12; step += 1) {
        for (const handler of [...this.handlers]) this.stepHandler(handler);
        await settled();
        this.clock.advance(30);
        for (const caller of this.callers) if (caller.asked !== undefined) this.retry(caller);
        await settled();
      }
    }
    this.refusedCount = 0;
  }

  private toolOf(index: number): string {
    return this.scenario.plans[index]!.length === 0 ? `plain${String(index)}` : `asker${String(index % 3)}`;
  }

  private possibleActions(): Action[] {
    const waitShort = (): void => {
      this.clock.advance(30);
    };
    const actions: Action[] = [waitShort, ...this.serverActions(), ...this.clientActions()];
    return this.scenario.mayFail ? [...actions, ...this.failures()] : actions;
  }

  private clientActions(): Action[] {
    const { plans, domainCount } = this.scenario;
    const retries = this.callers
      .filter(({ asked }) => asked !== undefined)
      .map((caller) => () => {
        this.retry(caller);
      });
    if (this.started >= plans.length) return retries;
    const start = (): void => {
      const index = this.started;
      this.started += 1;
      this.startCall(index, `domain ${String(index % domainCount)}`, this.toolOf(index), [...plans[index]!]);
    };
    return [start, ...retries];
  }

  private serverActions(): Action[] {
    const { mayFail, keepsAssumptions } = this.scenario;
    return this.handlers.flatMap((handler) => {
      const step = (): void => {
        this.stepHandler(handler);
      };
      const withdraw = (): void => {
        this.withdraw(handler);
      };
      if (handler.open.size === 0 || !keepsAssumptions) return [step];
      return mayFail ? [withdraw] : [];
    });
  }

  private failures(): Action[] {
    const actions: Action[] = this.callers
      .filter(({ isWaiting }) => isWaiting)
      .map((caller) => () => {
        this.giveUp(caller);
      });
    if (this.clock.now() % 7 === 0)
      actions.push(
        () => {
          this.crash();
        },
        () => {
          this.forget();
        },
      );
    if (this.clock.now() % 5 === 0)
      actions.push(
        () => this.advanceFar(11_000),
        () => this.advanceFar(inputTtlMs),
      );
    return actions;
  }

  /** In small steps, as time comes: who is told of something hears it before the next thing falls due. */
  private async advanceFar(ms: number): Promise<void> {
    for (let step = 0; step < ms; step += stepMs) {
      this.clock.advance(Math.min(stepMs, ms - step));
      await settled();
    }
  }

  private startCall(call: number, domain: string, tool: string, plan: number[]): void {
    const caller: Caller = {
      call,
      domain,
      tool,
      asked: undefined,
      isWaiting: false,
      isOver: false,
      cancel: () => undefined,
    };
    this.callers.push(caller);
    this.send(caller, `"name":"${tool}","arguments":{"call":${String(call)},"plan":${JSON.stringify(plan)}}`);
  }

  private argumentsOf(caller: Caller): string {
    const plan = caller.call >= 1000 ? [1] : this.scenario.plans[caller.call];
    return `"name":"${caller.tool}","arguments":{"call":${String(caller.call)},"plan":${JSON.stringify(plan)}}`;
  }

  private retry(caller: Caller): void {
    const { asked } = caller;
    if (asked === undefined) return;
    caller.asked = undefined;
    const answers = Object.fromEntries(
      asked.keys.map((key) => [key, { action: 'accept', content: { from: caller.domain } }]),
    );
    const retried = `${this.argumentsOf(caller)},"requestState":${JSON.stringify(asked.state)},"inputResponses":${JSON.stringify(answers)}`;
    this.send(caller, retried);
  }

  private send(caller: Caller, params: string): void {
    let answerCount = 0;
    caller.isWaiting = true;
    const responder: ListenResponder = {
      notify: () => undefined,
      answer: (outcome) => {
        answerCount += 1;
        if (answerCount > 1) this.faults.push(`call ${String(caller.call)} was answered twice`);
        caller.isWaiting = false;
        this.onOutcome(caller, outcome);
      },
      canTakeMore: () => true,
      onceDrained: () => undefined,
    };
    const identity = { domain: caller.domain, principal: caller.domain };
    const cancel = this.bridge.serve(requestWith('tools/call', params), identity, responder);
    caller.cancel = () => {
      cancel();
      answerCount += 1;
    };
  }

  private onOutcome(caller: Caller, outcome: Outcome): void {
    const body = JSON.parse(join(outcome.body).toString('utf8'));
    if (outcome.kind === 'error' || body.resultType !== 'input_required') {
      // A refused retry leaves the call where it was; here it means that the call is over.
      caller.isOver = true;
      const call = body.content?.[0]?.text as string | undefined;
      if (call !== undefined && call !== String(caller.call))
        this.faults.push(`call ${String(caller.call)} got the result of call ${call}`);
      return;
    }
    const keys = Object.keys(body.inputRequests);
    for (const key of keys) {
      const question = body.inputRequests[key].params.message as string;
      const truth = this.truth.get(question)!;
      if (truth.domain !== caller.domain)
        this.faults.push(`${question} of ${truth.domain} was shown to ${caller.domain}`);
    }
    caller.asked = { state: body.requestState, keys };
  }

  private giveUp(caller: Caller): void {
    caller.cancel();
    caller.isWaiting = false;
    caller.isOver = true;
  }

  private crash(): void {
    const server = this.upstream.servers.find((each) => !each.isClosed);
    server?.exit();
    for (const handler of [...this.handlers]) if (handler.server === server) this.drop(handler);
  }

  private forget(): void {
    const server = this.upstream.servers.find((each) => !each.isClosed && !each.isForgotten);
    if (server === undefined) return;
    server.forget();
    this.forgottenAt.set(server, this.clock.now());
  }

  private onMessage(message: Message, server: ScriptedServer): boolean {
    if (message.method === 'tools/call') {
      const { call, plan } = message.params.arguments as { call: number; plan: number[] };
      const count = (this.executions.get(call) ?? 0) + 1;
      this.executions.set(call, count);
      if (count > 1) this.faults.push(`call ${String(call)} was executed twice`);
      this.handlers.push({
        server,
        message,
        call,
        rounds: [...plan],
        open: new Set(),
        cancelledAt: undefined,
      });
      return true;
    }
    if (message.method === 'notifications/cancelled') {
      const handler = this.handlers.find(
        (each) => each.server === server && each.message.id === message.params.requestId,
      );
      if (handler !== undefined) handler.cancelledAt = this.clock.now();
      return true;
    }
    if (message.method === undefined) this.onAnswer(message);
    return false;
  }

  private onAnswer(message: Message): void {
    const truth = this.truth.get(message.id as string);
    if (truth === undefined) return;
    const from = message.result?.content?.from as string | undefined;
    if (from !== undefined && from !== truth.domain)
      this.faults.push(`${String(message.id)} of ${truth.domain} was answered by ${from}`);
    if (!truth.handler.open.delete(message.id as string) && this.scenario.keepsAssumptions) {
      // An answer that crosses a withdrawal is harmless; a second answer is not.
      if (this.answered.has(message.id as string))
        this.faults.push(`${String(message.id)} was answered twice`);
    }
    this.answered.add(message.id as string);
  }

  private readonly answered = new Set<string>();

  /** The next thing that a handler does: ask, or end. */
  private stepHandler(handler: Handler): void {
    // The server hears of a cancel up to one step of the clock after it was said.
    const isPastQuarantine =
      handler.cancelledAt !== undefined && this.clock.now() - handler.cancelledAt >= quarantineMs - stepMs;
    const count = handler.rounds.shift();
    if (count === undefined || isPastQuarantine || this.isDeaf(handler)) {
      this.drop(handler);
      handler.server.text(handler.message, String(handler.call));
      return;
    }
    for (let each = 0; each < count; each += 1) this.ask(handler);
  }

  /** Of a session that the server has forgotten it hears no cancel: after a while it must not ask any more. */
  private isDeaf({ server, call }: Handler): boolean {
    const forgottenAt = this.forgottenAt.get(server);
    if (forgottenAt === undefined) return false;
    const isOver = this.callers.some((caller) => caller.call === call && caller.isOver);
    return isOver || this.clock.now() - forgottenAt > stepMs;
  }

  private ask(handler: Handler): void {
    const domain = this.callers.find((caller) => caller.call === handler.call)!.domain;
    this.questionCount += 1;
    const question = `question ${String(this.questionCount)}`;
    handler.open.add(question);
    this.truth.set(question, { domain, handler, server: handler.server });
    const requestedSchema = { type: 'object', properties: { from: { type: 'string' } } };
    const { streams } = this.scenario;
    const isExact = streams === 'all' || (streams === 'some' && this.questionCount % 2 === 0);
    handler.server.say(
      { id: question, method: 'elicitation/create', params: { message: question, requestedSchema } },
      isExact ? handler.message.id : undefined,
    );
  }

  /** The server's own time-out: it does not want the answers any more, and goes on. */
  private withdraw(handler: Handler): void {
    for (const requestId of handler.open)
      handler.server.say({ method: 'notifications/cancelled', params: { requestId } });
    handler.open.clear();
  }

  private drop(handler: Handler): void {
    this.handlers.splice(this.handlers.indexOf(handler), 1);
  }

  /** No more failures: everything that has begun must come to its end. */
  private async finish(): Promise<void> {
    for (let turn = 0; turn < 400 && !this.isQuiet(); turn += 1) {
      for (const caller of this.callers) if (caller.asked !== undefined) this.retry(caller);
      await settled();
      for (const handler of [...this.handlers]) {
        if (handler.open.size === 0) this.stepHandler(handler);
        // No answer reaches it any more.
        else if (handler.server.isForgotten) this.drop(handler);
      }
      await settled();
      this.clock.advance(turn % 10 === 9 ? 11_000 : 30);
      await settled();
    }
    // A session that is forgotten takes no answers: when a sibling carried the question, only time ends its asker.
    if (this.forgottenAt.size > 0) this.clock.advance(requestTimeoutMs);
    this.checkEnds();
    const closed = this.bridge.close(0);
    this.clock.advance(0);
    await closed;
  }

  private checkEnds(): void {
    for (const caller of this.callers)
      if (caller.isWaiting) this.faults.push(`call ${String(caller.call)} never ended`);
    for (const [question, { handler, server }] of this.truth)
      if (!server.isClosed && !server.isForgotten && handler.open.has(question))
        this.faults.push(`${question} was never answered`);
  }

  private isQuiet(): boolean {
    return (
      this.handlers.length === 0 &&
      this.callers.every((caller) => !caller.isWaiting && caller.asked === undefined)
    );
  }
}
