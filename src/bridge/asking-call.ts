// One call that may ask, from its first request to its end: drives the machine of parked-call.ts, performs its effects
// on the legacy session, and brings each outcome to whoever waits for it.
import { randomUUID } from 'node:crypto';
import { seal } from '../continuation/request-state.ts';
import type { BridgeError } from '../errors.ts';
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import { isDeclared, union, type Capabilities } from '../protocol/client-capabilities.ts';
import type { Method } from '../protocol/methods.ts';
import { paramString, type ModernRequest } from '../protocol/modern-request.ts';
import type { Question } from '../session/open-questions.ts';
import type { Loss, Session } from '../session/session.ts';
import { toInputRequest } from '../translate/input-request.ts';
import { toInputRequired } from '../translate/input-required.ts';
import { toLegacyRequest } from '../translate/request-down.ts';
import { isErrorResult } from '../translate/result-up.ts';
import { toUrlElicitations } from '../translate/url-required.ts';
import { answersOf } from './answers.ts';
import { CallClock } from './call-clock.ts';
import type { BridgeContext } from './context.ts';
import { Deliveries } from './deliveries.ts';
import { lost, outcomeOf, type Caller, type Outcome, type Responder } from './outcome.ts';
import {
  callStep,
  type AskedQuestion,
  type CallEffect,
  type CallEvent,
  type CallState,
} from './parked-call.ts';
import {
  callLost,
  inputExpired,
  missingCapability,
  queueTimeout,
  refusedState,
  timedOut,
  tooManyParked,
} from '../protocol/refusals.ts';
import { digestOfAnswers, digestOfRequest } from './request-digest.ts';
import { settleQuestion, type QuestionEffect } from './settle-question.ts';
import { answerOf } from './upstream-answer.ts';
import { declined, UrlRefusal, urlNeeds } from './url-refusal.ts';
import { Waiter } from './waiter.ts';

const maxNameLength = 256;

export class AskingCall {
  private readonly context: BridgeContext;
  private readonly method: Method;
  private readonly caller: Caller;
  private readonly first: ModernRequest;
  private readonly onRefused: () => void;
  private readonly key = randomUUID();
  private readonly clock: CallClock;
  private readonly deliveries: Deliveries;
  private readonly firstWaiter: Waiter;
  private readonly keyUses = new Map<string, number>();
  private state: CallState = { name: 'running', round: 0 };
  private session: Session | undefined;
  private id: number | undefined;
  private digest: string | undefined;
  private capabilities: Capabilities;
  private missing: Capabilities = {};
  /** What the server wants to have opened before the call can run. */
  private refusal: UrlRefusal | undefined;
  private leaveQueue: (() => void) | undefined;
  private hasMoved = false;
  private stopWindow: () => void = () => undefined;
  private stopInputTimer: () => void = () => undefined;

  /** `onRefused`: the server has not run the call, which is to be started again, on another session if need be. */
  constructor(
    context: BridgeContext,
    method: Method,
    request: ModernRequest,
    caller: Caller,
    responder: Responder,
    onRefused: () => void,
  ) {
    this.context = context;
    this.onRefused = onRefused;
    this.method = method;
    this.caller = caller;
    this.first = request;
    this.capabilities = request.capabilities;
    this.firstWaiter = new Waiter(request, responder);
    this.deliveries = new Deliveries(context.clock, context.limits.outcomeTtlMs, this.firstWaiter);
    this.clock = new CallClock(context.clock, context.limits, () => {
      this.giveUp('The request took too long', outcomeOf(timedOut()));
    });
  }

  /** What will be remembered as an asker if this call asks. */
  get askerName(): string {
    const { method } = this.first;
    const name = (paramString(this.first, this.method.nameParam ?? 'name') ?? '').slice(0, maxNameLength);
    // Resources are many; those of one scheme come from one place.
    return method === 'resources/read'
      ? `${method} ${name.slice(0, name.indexOf(':'))}`
      : `${method} ${name}`;
  }

  get principal(): string {
    return this.caller.principal;
  }

  /** What it holds as long as it lives. */
  get bytes(): number {
    return this.first.frame.bytes.length;
  }

  /** Writes the call upstream, in its turn. */
  start(session: Session): void {
    if (this.state.name === 'ended') return;
    this.session = session;
    for (const waiter of this.deliveries.waiters) this.useLevel(waiter);
    this.leaveQueue = session.call({
      domain: this.caller.domain,
      askerName: this.askerName,
      build: (id) => toLegacyRequest(this.first, id, id),
      onStarted: (id) => {
        this.id = id;
        this.clock.run();
      },
      onQueueTimeout: () => {
        this.dispatch({ name: 'lost', outcome: outcomeOf(queueTimeout()) });
      },
      onAnswer: (frame) => {
        this.onAnswer(frame, session);
      },
      onLost: (loss) => {
        this.onLost(loss);
      },
      onProgress: (frame) => {
        this.clock.touch();
        for (const waiter of this.deliveries.waiters) waiter.onProgress(frame);
      },
      onLogMessage: (frame) => {
        for (const waiter of this.deliveries.waiters) waiter.onLogMessage(frame);
      },
      onQuestion: (question) => {
        this.onQuestion(question, session);
      },
      onWithdrawn: (questionKey) => {
        this.dispatch({ name: 'withdrawn', questionKey });
      },
      canBeAsked: (question) => {
        const input = toInputRequest(question.frame, question.kind);
        return input !== undefined && isDeclared(this.capabilities, input.needs);
      },
    });
  }

  private onAnswer(frame: Frame, session: Session): void {
    const elicitations = session.profile.version === '2025-11-25' ? toUrlElicitations(frame) : undefined;
    if (elicitations === undefined)
      this.dispatch({ name: 'outcome', outcome: this.finalOutcome(frame, session) });
    else if (!isDeclared(this.capabilities, urlNeeds))
      this.dispatch({ name: 'outcome', outcome: outcomeOf(missingCapability(urlNeeds)) });
    else this.askForUrls(elicitations);
  }

  /** The server has run nothing and wants a user to open something first: then the call is to be run. */
  private askForUrls(elicitations: readonly Frame[]): void {
    this.refusal = new UrlRefusal();
    for (const frame of elicitations) {
      const input = toInputRequest(frame, 'elicitation');
      if (input === undefined) continue;
      const question = this.refusal.questionOf(frame);
      this.dispatch({ name: 'asked', asked: { key: this.uniqueKey(input.key), question, body: input.body } });
    }
  }

  private onLost(loss: Loss): void {
    const isUntouched = this.state.name === 'running' && this.state.round === 0;
    if (loss.kind === 'refused' && isUntouched && !this.hasMoved) {
      this.hasMoved = true;
      this.id = undefined;
      this.clock.pause();
      this.firstWaiter.releaseLevel();
      this.onRefused();
      return;
    }
    this.dispatch({ name: 'lost', outcome: lost(loss) });
    this.context.parked.forget(this.key);
  }

  /** The call could not be started. */
  fail(error: unknown): void {
    this.dispatch({ name: 'lost', outcome: outcomeOf(error) });
  }

  /** The first request is given up by its client. */
  cancelFirst(): void {
    this.leave(0, this.firstWaiter);
  }

  /** A retry of round `round`. Returns how its client gives it up. Throws what the retry is to be refused with. */
  retry(round: number, request: ModernRequest, responder: Responder): () => void {
    const waiter = new Waiter(request, responder);
    const answersDigest = digestOfAnswers(request);
    this.useLevel(waiter);
    try {
      if (!this.deliveries.replay(round, answersDigest, waiter)) this.answer(round, answersDigest, waiter);
    } catch (error) {
      waiter.releaseLevel();
      throw error;
    }
    return () => {
      this.leave(round, waiter);
    };
  }

  /** Ends the call from this side: its questions are answered as cancelled, the server is told. */
  end(error: BridgeError): void {
    this.giveUp(error.message, outcomeOf(error));
    this.context.parked.forget(this.key);
  }

  /** Good answers go to the server when the call's turn has come. */
  private answer(round: number, answersDigest: string, waiter: Waiter): void {
    const { state, session, id } = this;
    if (state.name !== 'parked' || state.round !== round) throw refusedState('request_state_expired');
    if (session === undefined || id === undefined) return;
    this.capabilities = waiter.request.capabilities;
    this.deliveries.begin(round, answersDigest, waiter);
    const answers = answersOf(waiter.request, state.asked, session.profile.version);
    // What goes straight back to the client tells the server nothing, and needs no turn.
    const hasReplies = state.asked.length + state.answered.length > 0;
    if (answers.size < state.asked.length || (!hasReplies && state.joined.length > 0)) {
      this.dispatch({ name: 'answers', answers });
      return;
    }
    this.leaveQueue = session.asking.resume(id, {
      start: () => {
        this.dispatch({ name: 'answers', answers });
      },
      giveUp: () => {
        this.leaveQueue = undefined;
        this.deliveries.settle(outcomeOf(queueTimeout()));
        this.deliveries.undo(round);
      },
    });
  }

  /** A client gives its request up. The call is given up with the last one that waits for it. */
  private leave(round: number, waiter: Waiter): void {
    if (!this.deliveries.leave(round, waiter)) return;
    this.leaveQueue?.();
    // A retry whose turn has not come has changed nothing: it may be presented again.
    if (this.state.name === 'parked') this.deliveries.undo(round);
    else this.giveUp('The client cancelled the request', outcomeOf(callLost()));
  }

  private giveUp(why: string, outcome: Outcome | undefined): void {
    this.dispatch({ name: 'given up', why, outcome });
  }

  private onQuestion(question: Question, session: Session): void {
    const input = toInputRequest(question.frame, question.kind);
    if (input === undefined) {
      session.asking.replyError(question, 'The params of the request are not an object');
      return;
    }
    if (!isDeclared(this.capabilities, input.needs)) {
      this.missing = union(this.missing, input.needs);
      session.asking.replyError(question, `The client does not support this ${question.kind} request`);
      return;
    }
    const asked = { key: this.uniqueKey(input.key), question, body: input.body };
    const given = this.state.name === 'parked' ? undefined : this.givenAnswer(asked, session);
    if (given !== undefined) session.asking.reply(question, given);
    else this.dispatch({ name: 'asked', asked });
  }

  /** The first request may bring answers along, under the keys that the questions will have. */
  private givenAnswer(asked: AskedQuestion, session: Session): Chunks | undefined {
    return answersOf(this.first, [asked], session.profile.version).get(asked.key);
  }

  private uniqueKey(key: string): string {
    const use = (this.keyUses.get(key) ?? 0) + 1;
    this.keyUses.set(key, use);
    return use === 1 ? key : this.uniqueKey(`${key}-${String(use)}`);
  }

  private finalOutcome(frame: Frame, session: Session): Outcome {
    const outcome = answerOf(frame, this.first, this.method, session.profile, undefined);
    const isMissing = Object.keys(this.missing).length > 0;
    if (!isMissing || (outcome.kind === 'result' && !isErrorResult(frame))) return outcome;
    return outcomeOf(missingCapability(this.missing));
  }

  private dispatch(event: CallEvent): void {
    const wasEnded = this.state.name === 'ended';
    const { state, effects } = callStep(this.state, event);
    this.state = state;
    for (const effect of effects) this.perform(effect);
    if (state.name === 'ended' && !wasEnded) this.finish();
  }

  private perform(effect: CallEffect): void {
    const { context } = this;
    switch (effect.name) {
      case 'open window':
        this.stopWindow = context.clock.afterInput(context.limits.parkingWindowMs, () => {
          this.dispatch({ name: 'window closed' });
        });
        return;
      case 'close window':
        this.stopWindow();
        return;
      case 'show':
        this.show(effect.round, effect.asked);
        return;
      case 'reply':
      case 'refuse':
      case 'disown':
        this.settleQuestion(effect);
        return;
      case 'go on':
        this.goOn();
        return;
      case 'cancel upstream':
        this.cancelUpstream(effect.why);
        return;
      case 'settle':
        this.deliveries.settle(effect.outcome);
    }
  }

  private settleQuestion(effect: QuestionEffect): void {
    if (this.refusal?.takes(effect) !== true && this.session !== undefined)
      settleQuestion(this.session, effect);
  }

  private goOn(): void {
    this.stopInputTimer();
    this.context.parked.unpark(this);
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal === undefined) this.clock.run();
    else if (refusal.isAccepted) {
      this.id = undefined;
      this.onRefused();
    } else this.dispatch({ name: 'outcome', outcome: declined(this.first, this.session) });
  }

  private cancelUpstream(why: string): void {
    if (this.id !== undefined) this.session?.cancel(this.id, why);
  }

  private show(round: number, asked: readonly AskedQuestion[]): void {
    const { context, session, id } = this;
    if (session === undefined || id === undefined) return;
    const { limits, clock, parked } = context;
    this.clock.pause();
    this.stopInputTimer();
    if (round === 1 && parked.isTooMuch(this)) {
      this.giveUp('Too many questions are open', outcomeOf(tooManyParked()));
      return;
    }
    session.asking.park(id);
    parked.park(this.key, this);
    this.stopInputTimer = clock.after(limits.inputTtlMs, () => {
      this.end(inputExpired());
    });
    this.digest ??= digestOfRequest(this.first);
    const state = seal(context.keyRing, {
      upstream: context.upstream,
      instance: context.instance,
      call: this.key,
      round,
      principal: this.principal,
      digest: this.digest,
      expiresAt: clock.now() + limits.inputTtlMs,
    });
    this.deliveries.settle({
      kind: 'result',
      body: toInputRequired(asked, state, session.profile.serverInfo),
    });
  }

  private finish(): void {
    this.clock.pause();
    this.stopWindow();
    this.stopInputTimer();
    this.context.parked.unpark(this);
    // Only a call that has shown questions can be asked for again.
    if (this.digest === undefined) return;
    const bytes = this.bytes + this.deliveries.keptBytes;
    this.context.parked.keep(this.key, this.context.limits.outcomeTtlMs, bytes);
  }

  private useLevel(waiter: Waiter): void {
    const { logLevel } = waiter.request;
    if (logLevel !== undefined && this.session !== undefined)
      waiter.holdLevel(this.context.levels.acquire(this.session, logLevel));
  }
}
