// One call that may ask, from its first request to its end: drives the machine of parked-call.ts, performs its effects
// on the legacy session, and brings each outcome to whoever waits for it.
import type { BridgeError } from '../errors.ts';
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import { isDeclared } from '../protocol/client-capabilities.ts';
import type { Method } from '../protocol/methods.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Question } from '../session/open-questions.ts';
import type { AskingCall as SessionCall, Loss } from '../session/requests.ts';
import type { Session } from '../session/session.ts';
import { toInputRequired } from '../translate/input-required.ts';
import { toLegacyRequest } from '../translate/request-down.ts';
import { toUrlElicitations } from '../translate/url-required.ts';
import { createdTask, type LegacyTask } from '../translate/task-up.ts';
import { answersOf } from './answers.ts';
import { CallQuestions } from './call-questions.ts';
import { askerNameOf, wantedTaskTtlMs, type CallMode } from './call-mode.ts';
import { taskResult } from './task-requests.ts';
import { TaskWatch } from './task-watch.ts';
import { CallClock } from './call-clock.ts';
import type { BridgeContext } from './context.ts';
import { Deliveries } from './deliveries.ts';
import { lost, outcomeOf, type Caller, type Responder } from './outcome.ts';
import { passOn } from './pass-on.ts';
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
import { ShownRounds } from './shown-rounds.ts';
import { digestOfAnswers } from './request-digest.ts';
import { settleQuestion, type QuestionEffect } from './settle-question.ts';
import { finalAnswerOf } from './upstream-answer.ts';
import { declined, UrlRefusal, urlNeeds } from './url-refusal.ts';
import { Waiter } from './waiter.ts';

const cancelled = 'The client cancelled the request';

export class AskingCall implements SessionCall {
  /** What will be remembered as an asker if this call asks. */
  readonly askerName: string;
  readonly method: Method;
  /** The request that it came with. */
  readonly first: ModernRequest;
  private readonly context: BridgeContext;
  private readonly caller: Caller;
  private readonly onRefused: (call: AskingCall) => void;
  private readonly clock: CallClock;
  private readonly deliveries: Deliveries;
  private readonly questions: CallQuestions;
  private readonly shown: ShownRounds;
  private state: CallState = { name: 'running', round: 0 };
  private session: Session | undefined;
  private id: number | undefined;
  private mode: CallMode = 'plain';
  /** Of the task that the call has become. */
  private watch: TaskWatch | undefined;
  /** What the server wants to have opened before the call can run. */
  private refusal: UrlRefusal | undefined;
  private leaveQueue: (() => void) | undefined;
  private cancelPassedOn: (() => void) | undefined;
  private hasMoved = false;
  private stopWindow: (() => void) | undefined;

  /** `onRefused`: the server has not run the call, which is to be started again, on another session if need be. */
  constructor(
    context: BridgeContext,
    method: Method,
    request: ModernRequest,
    caller: Caller,
    responder: Responder,
    onRefused: (call: AskingCall) => void,
  ) {
    this.context = context;
    this.onRefused = onRefused;
    this.method = method;
    this.caller = caller;
    this.first = request;
    this.askerName = askerNameOf(request, method);
    this.questions = new CallQuestions(request);
    this.shown = new ShownRounds(context, this, request);
    const { outcomeTtlMs } = context.limits;
    this.deliveries = new Deliveries(context.clock, outcomeTtlMs, new Waiter(request, responder));
    this.clock = new CallClock(context.clock, context.limits, () => {
      this.dispatch({ name: 'given up', why: 'The request took too long', outcome: outcomeOf(timedOut()) });
    });
  }

  get principal(): string {
    return this.caller.principal;
  }

  get bytes(): number {
    return this.first.frame.bytes.length;
  }

  get domain(): string {
    return this.caller.domain;
  }

  /** Writes the call upstream, in its turn. */
  start(session: Session, mode: CallMode = 'plain'): void {
    if (this.state.name === 'ended') return;
    this.session = session;
    this.mode = mode;
    for (const waiter of this.deliveries.waiters) waiter.useLevel(this.context.levels, session);
    this.leaveQueue = session.call(this);
  }

  /** The server is modern by now: the call is passed on to it as it is. */
  passOn(session: Session): void {
    if (this.state.name === 'ended') return;
    this.cancelPassedOn = passOn(this.context, this.first, session, {
      notify: (method, params) => {
        for (const { responder } of this.deliveries.waiters) responder.notify(method, params);
      },
      answer: (outcome) => {
        this.dispatch({ name: 'outcome', outcome });
      },
    });
  }

  build(id: number): Chunks {
    return toLegacyRequest(this.first, id, id, this.mode === 'plain' ? undefined : wantedTaskTtlMs);
  }

  onStarted(id: number): void {
    this.id = id;
    this.leaveQueue = undefined;
    this.clock.run();
  }

  onQueueTimeout(): void {
    this.dispatch({ name: 'lost', outcome: outcomeOf(queueTimeout()) });
  }

  onProgress(frame: Frame): void {
    this.clock.touch();
    for (const waiter of this.deliveries.waiters) waiter.onProgress(frame);
  }

  onTaskStatus(): void {
    this.clock.touch();
  }

  onLogMessage(frame: Frame): void {
    for (const waiter of this.deliveries.waiters) waiter.onLogMessage(frame);
  }

  onWithdrawn(questionKey: string): void {
    this.dispatch({ name: 'withdrawn', questionKey });
  }

  canBeAsked(question: Question): boolean {
    return this.questions.canBeAsked(question);
  }

  private onTask(task: LegacyTask, session: Session): void {
    const { id: original } = this;
    if (original === undefined) return;
    if (this.mode === 'follow') this.follow(task, original, session);
    else {
      const { first: request, method, caller, askerName, questions, context } = this;
      const origin = { session, request, method, ...caller, askerName, original, questions };
      this.dispatch({ name: 'outcome', outcome: context.tasks.create(context, task, origin) });
    }
  }

  /** Its client knows no tasks: what comes of it is the call's own result. */
  private follow(task: LegacyTask, original: number, session: Session): void {
    this.watch = new TaskWatch(this.context.clock, session, task, () => {
      this.clock.touch();
    });
    session.follow(this, taskResult(task, original));
  }

  onAnswer(frame: Frame): void {
    const { session } = this;
    if (session === undefined) return;
    const task = this.mode === 'plain' || this.watch !== undefined ? undefined : createdTask(frame);
    if (task !== undefined) {
      this.onTask(task, session);
      return;
    }
    const elicitations = session.profile.version === '2025-11-25' ? toUrlElicitations(frame) : undefined;
    if (elicitations === undefined)
      this.dispatch({
        name: 'outcome',
        outcome: finalAnswerOf(frame, this.first, this.method, session.profile, this.questions.missing),
      });
    else if (!isDeclared(this.questions.capabilities, urlNeeds))
      this.dispatch({ name: 'outcome', outcome: outcomeOf(missingCapability(urlNeeds)) });
    else this.askForUrls(elicitations);
  }

  /** The server has run nothing and wants a user to open something first: then the call is to be run. */
  private askForUrls(elicitations: readonly Frame[]): void {
    this.refusal = new UrlRefusal();
    for (const frame of elicitations) {
      const asked = this.questions.receive(this.refusal.questionOf(frame));
      if (typeof asked !== 'string') this.dispatch({ name: 'asked', asked });
    }
  }

  onLost(loss: Loss): void {
    const isUntouched = this.state.name === 'running' && this.state.round === 0;
    if (loss.kind === 'refused' && isUntouched && !this.hasMoved) {
      this.hasMoved = true;
      this.id = undefined;
      this.clock.pause();
      for (const waiter of this.deliveries.waiters) waiter.releaseLevel();
      this.onRefused(this);
      return;
    }
    this.dispatch({ name: 'lost', outcome: lost(loss) });
    this.shown.forget();
  }

  fail(error: unknown): void {
    this.dispatch({ name: 'lost', outcome: outcomeOf(error) });
  }

  /** The first request is given up by its client. */
  cancelFirst(): void {
    for (const waiter of this.deliveries.waitersOf(0)) this.leave(0, waiter);
  }

  /** A retry of round `round`. Returns how its client gives it up. Throws what the retry is to be refused with. */
  retry(round: number, request: ModernRequest, responder: Responder): () => void {
    const waiter = new Waiter(request, responder);
    const answersDigest = digestOfAnswers(request);
    if (this.session !== undefined) waiter.useLevel(this.context.levels, this.session);
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
    this.dispatch({ name: 'given up', why: error.message, outcome: outcomeOf(error) });
    this.shown.forget();
  }

  /** Good answers go to the server when the call's turn has come. */
  private answer(round: number, answersDigest: string, waiter: Waiter): void {
    const { state, session, id } = this;
    if (state.name !== 'parked' || state.round !== round) throw refusedState('request_state_expired');
    if (session === undefined || id === undefined) return;
    this.questions.request = waiter.request;
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
    else this.dispatch({ name: 'given up', why: cancelled, outcome: outcomeOf(callLost()) });
  }

  onQuestion(question: Question): void {
    const { session } = this;
    if (session === undefined) return;
    const asked = this.questions.receive(question);
    if (typeof asked === 'string') {
      session.asking.replyError(question, asked);
      return;
    }
    // The first request may bring answers along.
    const brought =
      this.state.name === 'parked' ? undefined : answersOf(this.first, [asked], session.profile.version);
    const given = brought?.get(asked.key);
    if (given !== undefined) session.asking.reply(question, given);
    else this.dispatch({ name: 'asked', asked });
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
          this.stopWindow = undefined;
          this.dispatch({ name: 'window closed' });
        });
        return;
      case 'close window':
        this.stopWindow?.();
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
    this.shown.unpark();
    const { refusal } = this;
    this.refusal = undefined;
    if (refusal === undefined) this.clock.run();
    else if (refusal.isAccepted) {
      this.watch?.stop();
      this.watch = undefined;
      this.id = undefined;
      this.onRefused(this);
    } else this.dispatch({ name: 'outcome', outcome: declined(this.first, this.session) });
  }

  private cancelUpstream(why: string): void {
    this.watch?.cancel();
    this.cancelPassedOn?.();
    if (this.id !== undefined) this.session?.cancel(this.id, why);
  }

  private show(round: number, asked: readonly AskedQuestion[]): void {
    const { session, id } = this;
    if (session === undefined || id === undefined) return;
    this.clock.pause();
    const state = this.shown.park(round, () => {
      this.end(inputExpired());
    });
    if (state === undefined) {
      const outcome = outcomeOf(tooManyParked());
      this.dispatch({ name: 'given up', why: 'Too many questions are open', outcome });
      return;
    }
    session.asking.park(id);
    const body = toInputRequired(asked, state, session.profile.serverInfo);
    this.deliveries.settle({ kind: 'result', body });
  }

  private finish(): void {
    this.clock.pause();
    this.watch?.stop();
    this.stopWindow?.();
    // Nothing is to be kept for a call that has shown nothing.
    this.shown.end(this.deliveries.keptBytes);
  }
}
