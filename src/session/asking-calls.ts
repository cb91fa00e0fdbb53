// The calls of a session that may ask: when each may start, which of them a question belongs to, and what becomes of
// a question that belongs to none. Decides with attribution.ts and admission.ts; writes only answers to questions.
import type { Clock } from '../clock.ts';
import { text, type Chunks } from '../jsonrpc/frame.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import type { Logger } from '../log.ts';
import { methodNotFound } from '../protocol/error-codes.ts';
import { Admission } from './admission.ts';
import { AskingTable, newAsking, type Asking } from './asking.ts';
import { attribute, attributeHeld, toOneOf, type Attribution } from './attribution.ts';
import { OpenQuestions, type Question } from './open-questions.ts';
import { SuspectsFinder } from './suspects.ts';

export interface AskingCallsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** JSON text of the answer to `roots/list` where the user gave roots; no client is asked for them then. */
  readonly staticRoots: Buffer | undefined;
  /** Questions that come within this time of each other count as asked together. */
  readonly parkingWindowMs: number;
  /** How long a question may be held until it is clear whose it is. */
  readonly attributionTimeoutMs: number;
  /** How long a call may wait for its turn. */
  readonly queueTimeoutMs: number;
  /** How long a cancelled call may still be the asker. */
  readonly quarantineMs: number;
  /** Names of what was seen asking, for the life of the upstream; added to here. */
  readonly askers: Set<string>;
}

/** Who carries questions: told of each that is attributed to it. */
export interface Carrier {
  readonly onQuestion: (question: Question) => void;
  /** The server does not want the answer any more. */
  readonly onWithdrawn: (questionKey: string) => void;
  readonly canBeAsked: (question: Question) => boolean;
}

/** A call's turn to be written, or to go on with its answers. */
export interface Turn {
  readonly domain: string;
  /** What is remembered as an asker if it asks. */
  readonly askerName: string;
  readonly start: () => void;
  /** It waited longer than the queue time-out. */
  readonly giveUp: () => void;
}

/** Writes the answer to a question of `call`, where it is known: `member` is `result` or `error`. */
export type WriteAnswer = (
  id: RequestId,
  member: 'result' | 'error',
  body: Chunks,
  call: number | undefined,
) => void;

/** No server has so many tools; one that asks whatever it is called by must not fill the memory. */
const maxAskers = 10_000;
const cancelledAnswer = text('{"action":"cancel"}');
const noRoots = text('{"roots":[]}');

const errorBody = (message: string): Chunks => [text(JSON.stringify({ code: methodNotFound, message }))];

export class AskingCalls {
  private readonly calls = new AskingTable();
  private readonly suspects: SuspectsFinder;
  private readonly questions = new OpenQuestions();
  /** The call that was added last. */
  private newest = 0;
  private readonly admission: Admission;
  private readonly options: AskingCallsOptions;
  private readonly write: WriteAnswer;

  constructor(options: AskingCallsOptions, write: WriteAnswer) {
    this.options = options;
    this.write = write;
    this.suspects = new SuspectsFinder(this.calls, options.askers);
    this.admission = new Admission(
      {
        isHolding: () => this.questions.isHolding,
        isOnlyParty: (domain) => this.calls.isOnlyParty(domain),
        activeAskers: () => this.suspects.activeAskers(),
      },
      options,
    );
  }

  get waitingCount(): number {
    return this.admission.waitingCount;
  }

  /** Whether a call of this domain would neither wait nor, if it is known to ask, have others beside it. */
  isFreeFor(domain: string, askerName: string): boolean {
    return this.admission.isFreeFor(domain, this.options.askers.has(askerName));
  }

  /** Whether the call needs no turn: nothing waits, and it is not known to ask. */
  mayStartAtOnce({ askerName }: Pick<Turn, 'askerName'>): boolean {
    return this.admission.isIdle && !this.options.askers.has(askerName);
  }

  /** Starts the call now or in its turn. The returned function takes it out of the queue. */
  takeTurn(turn: Turn): () => void {
    return this.enter(turn, false);
  }

  /** The call was written upstream: from now on it may be the asker. */
  add(id: number, call: Pick<Turn, 'domain' | 'askerName'> & Carrier, taskId: string | undefined): void {
    this.newest = id;
    this.calls.add(newAsking(id, call, taskId));
  }

  /** The call that a task is followed by. */
  callOfTask(taskId: string | undefined): number | undefined {
    if (taskId === undefined) return undefined;
    return this.calls.all().find((call) => call.taskId === taskId)?.id;
  }

  /** The call's questions are with its client now. */
  park(id: number): void {
    const call = this.calls.get(id);
    if (call !== undefined) this.setParked(call, true);
    this.admission.pump();
  }

  /** A parked call goes on with its answers: `start` is called in its turn. */
  resume(id: number, turn: Pick<Turn, 'start' | 'giveUp'>): () => void {
    const call = this.calls.get(id);
    const start = (): void => {
      if (call !== undefined) this.setParked(call, false);
      turn.start();
    };
    // One that may be running all the while adds nobody to those that may ask.
    if (call?.isWaiting !== true) {
      start();
      return () => undefined;
    }
    return this.enter({ domain: call.domain, askerName: call.askerName, start, giveUp: turn.giveUp }, true);
  }

  /**
   * The call was cancelled, or its answer will not come. Its handler may still ask, so it stays a candidate until its
   * answer comes or the time is over; nobody is shown what it asks. False when it is none of these calls.
   */
  quarantine(id: number, onEnd: () => void): boolean {
    const call = this.calls.get(id);
    if (call === undefined) return false;
    if (call.isQuarantined) return true;
    call.isQuarantined = true;
    this.setParked(call, false);
    call.carrier = this.quarantineCarrier();
    call.stopQuarantine = this.options.clock.after(this.options.quarantineMs, () => {
      this.forget(id);
      onEnd();
      this.admission.pump();
    });
    this.admission.pump();
    return true;
  }

  /** The call's answer was read: it was not the asker of what is held (A2). */
  end(id: number): void {
    if (!this.forget(id)) return;
    for (const { question, suspects } of this.questions.exonerate(id)) {
      const left = suspects.flatMap((suspect) => this.calls.get(suspect) ?? []);
      this.settle(question, attributeHeld(this.suspects.among(left, question), suspects));
    }
    this.admission.pump();
  }

  /** The session is over. */
  clear(): void {
    this.admission.clear();
    this.questions.clear();
    for (const call of this.calls.all()) call.stopQuarantine?.();
    this.calls.clear();
  }

  /** A question has come; `origin` is the call on whose own stream it came, if the transport tells. */
  ask(question: Question, origin: number | undefined): void {
    const { staticRoots } = this.options;
    // A server that uses an id twice at once could never tell the answers apart.
    if (this.questions.has(question)) return;
    if (question.kind === 'roots' && staticRoots !== undefined)
      this.write(question.id, 'result', [staticRoots], origin);
    else {
      const { suspects } = this;
      this.settle(question, attribute(suspects.all(question), suspects.active(question), origin));
    }
  }

  /** The server does not want the answer to that question any more. */
  withdraw(questionKey: string): void {
    const carried = this.questions.carrierOf(questionKey);
    if (!this.release(questionKey)) return;
    if (carried !== undefined) this.calls.get(carried.call)?.carrier.onWithdrawn(questionKey);
    this.admission.pump();
  }

  /** Answers a question, if it is still open. */
  reply(question: Question, result: Chunks): void {
    if (this.questions.has(question)) this.close(question, 'result', result);
  }

  /** Answers a question with an error, so that the server can do without. */
  replyError(question: Question, why: string): void {
    if (this.questions.has(question)) this.close(question, 'error', errorBody(why));
  }

  /** Answers a question that nobody will answer any more: an elicitation as cancelled, others with an error. */
  refuse(question: Question, why: string): void {
    if (question.kind === 'elicitation') this.reply(question, [cancelledAnswer]);
    else this.replyError(question, why);
  }

  /** The call that carried it has ended before it was shown: it is somebody else's, or nobody's (A2). */
  disown(question: Question): void {
    const carried = this.questions.carrierOf(question.id.key);
    if (carried === undefined) return;
    const { isCertain, domain, newest } = carried;
    const others = this.calls.all().filter((call) => call.domain === domain && call.id <= newest);
    this.settle(question, toOneOf(this.suspects.among(isCertain ? [] : others, question)));
  }

  private enter(turn: Turn, isContinuation: boolean): () => void {
    const isAsker = (): boolean => this.options.askers.has(turn.askerName);
    return this.admission.enter({ ...turn, isAsker, isContinuation });
  }

  private forget(id: number): boolean {
    const call = this.calls.get(id);
    if (call === undefined) return false;
    call.stopQuarantine?.();
    this.calls.delete(call);
    return true;
  }

  private setParked(call: Asking, isParked: boolean): void {
    call.isParked = isParked;
    this.calls.update(call);
  }

  private settle(question: Question, attribution: Attribution): void {
    switch (attribution.kind) {
      case 'to':
        this.give(question, attribution);
        return;
      case 'hold':
        this.hold(question, attribution.suspects);
        return;
      case 'refuse':
        if (attribution.reason === 'no call' && question.kind === 'roots')
          this.close(question, 'result', [noRoots]);
        else this.failClosed(question, attribution.reason);
    }
  }

  private give(question: Question, { id, isCertain, isExact }: Attribution & { kind: 'to' }): void {
    const call = this.calls.get(id);
    if (call === undefined) return;
    this.release(question.id.key);
    // Whose question comes on its own stream needs no turns to be told from others.
    if (isExact !== true && this.options.askers.size < maxAskers) this.options.askers.add(call.askerName);
    const { domain } = call;
    this.questions.carry(question, { call: id, isCertain, domain, newest: this.newest });
    if (isCertain) call.certainCount += 1;
    this.gather(call);
    call.carrier.onQuestion(question);
    this.admission.pump();
  }

  /** Of a running call the parking says that its questions are together; a parked one may be asking more of them. */
  private gather(call: Asking): void {
    if (call.isParked) call.openWindows += 1;
    this.calls.update(call);
    if (!call.isParked) return;
    this.options.clock.afterInput(this.options.parkingWindowMs, () => {
      call.openWindows -= 1;
      this.calls.update(call);
      this.admission.pump();
    });
  }

  private hold(question: Question, suspects: readonly number[]): void {
    if (this.questions.has(question)) return;
    const stopTimer = this.options.clock.after(this.options.attributionTimeoutMs, () => {
      this.failClosed(question, 'ambiguous');
    });
    this.questions.hold(question, suspects, stopTimer);
  }

  private failClosed(question: Question, reason: string): void {
    this.options.log.warn(
      { question: question.kind, reason, running: this.calls.size },
      'cannot tell whose question it is; refused',
    );
    const why = 'The client cannot be asked: the question belongs to no single call';
    this.close(question, 'error', errorBody(why));
  }

  /** The question has its answer: nobody carries or holds it any more. */
  private close(question: Question, member: 'result' | 'error', body: Chunks): void {
    const call = this.questions.carrierOf(question.id.key)?.call;
    this.release(question.id.key);
    this.write(question.id, member, body, call);
    this.admission.pump();
  }

  /** The question is open no more, or somebody else's. False when it was not open. */
  private release(questionKey: string): boolean {
    const carried = this.questions.carrierOf(questionKey);
    if (!this.questions.release(questionKey)) return false;
    const call = carried?.isCertain === true ? this.calls.get(carried.call) : undefined;
    if (call !== undefined) {
      call.certainCount -= 1;
      this.calls.update(call);
    }
    return true;
  }

  private quarantineCarrier(): Carrier {
    return {
      onWithdrawn: () => undefined,
      canBeAsked: () => false,
      onQuestion: (question) => {
        this.refuse(question, 'The request was cancelled');
      },
    };
  }
}
