// A task that a modern client follows by itself (the extension io.modelcontextprotocol/tasks), for one of 2025-11-25 on the
// legacy server: what comes of that is fetched at once, as its questions come no other way, and kept until it is asked for.
import { randomUUID } from 'node:crypto';
import type { BridgeError } from '../errors.ts';
import { sizeOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { entry, toObject } from '../jsonrpc/object-edit.ts';
import type { Method } from '../protocol/methods.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Question } from '../session/open-questions.ts';
import type { AskingRequest } from '../session/requests.ts';
import type { Session } from '../session/session.ts';
import { completeResult } from '../translate/result-up.ts';
import { taskEntries, type LegacyTask } from '../translate/task-up.ts';
import { answersOf } from './answers.ts';
import type { CallQuestions } from './call-questions.ts';
import type { BridgeContext } from './context.ts';
import { lost, outcomeOf, type Outcome } from './outcome.ts';
import type { AskedQuestion } from './parked-call.ts';
import { askStatus, cancelTask, statusPatienceMs, taskResult } from './task-requests.ts';
import { answerOf } from './upstream-answer.ts';

/** The call that became a task. */
export interface TaskOrigin {
  readonly session: Session;
  readonly request: ModernRequest;
  readonly method: Method;
  readonly principal: string;
  readonly domain: string;
  readonly askerName: string;
  /** The id under which the call was written. */
  readonly original: number;
  readonly questions: CallQuestions;
}

type Ending =
  | { readonly status: 'completed' | 'failed'; readonly outcome: Outcome }
  | { readonly status: 'cancelled'; readonly outcome: undefined };

export class ClientTask {
  readonly id = randomUUID();
  private readonly context: BridgeContext;
  private readonly origin: TaskOrigin;
  private readonly open = new IdTable<AskedQuestion & { readonly stopTimer: () => void }, string>();
  private readonly untilEnded = new Set<() => void>();
  private task: LegacyTask;
  private ending: Ending | undefined;
  private requestId: number | undefined;

  constructor(context: BridgeContext, task: LegacyTask, origin: TaskOrigin) {
    this.context = context;
    this.task = task;
    this.origin = origin;
    this.follow();
  }

  get principal(): string {
    return this.origin.principal;
  }

  get isOver(): boolean {
    return this.ending !== undefined;
  }

  get ttlMs(): number | null {
    return this.task.ttlMs;
  }

  get bytes(): number {
    const ended = this.ending?.outcome === undefined ? 0 : sizeOf(this.ending.outcome.body);
    return this.origin.request.frame.bytes.length + ended;
  }

  /** What the call is answered with. */
  created(): Outcome {
    const entries = taskEntries(this.task, this.id, 'working');
    return this.result([entry('resultType', [taskResultType]), ...entries]);
  }

  /** `tasks/get`: what the server says now, unless there is news that it has no better knowledge of. */
  async state(): Promise<Outcome> {
    if (this.ending === undefined && this.open.size === 0) await this.askServer();
    const { ending } = this;
    if (ending !== undefined) return this.described(ending.status, ...outcomeEntries(ending));
    const asked = this.open.all();
    if (asked.length === 0) return this.described('working');
    const requests = toObject(asked.map(({ key, body }) => entry(key, body)));
    return this.described('input_required', entry('inputRequests', requests));
  }

  /** `tasks/update`: good answers reach the server; others leave their questions open. */
  update(request: ModernRequest): Outcome {
    const { session } = this.origin;
    const answers = answersOf(request, this.open.all(), session.profile.version);
    for (const asked of this.open.all()) {
      const answer = answers.get(asked.key);
      if (answer === undefined) continue;
      this.close(asked.question);
      session.asking.reply(asked.question, answer);
    }
    return this.result([complete]);
  }

  /** `tasks/cancel` */
  cancel(): Outcome {
    if (this.ending === undefined) {
      this.cancelUpstream('The client cancelled the task');
      this.end({ status: 'cancelled', outcome: undefined });
    }
    return this.result([complete]);
  }

  /** Ends the task from this side. */
  abandon(error: BridgeError): void {
    if (this.ending !== undefined) return;
    this.cancelUpstream(error.message);
    this.end({ status: 'failed', outcome: outcomeOf(error) });
  }

  private follow(): void {
    const { session, domain, askerName, original, questions } = this.origin;
    const request = taskResult(this.task, original);
    const call: AskingRequest = {
      domain,
      askerName,
      onStarted: (id) => {
        this.requestId = id;
      },
      onAnswer: (frame) => {
        this.onAnswer(frame);
      },
      onLost: (loss) => {
        this.end({ status: 'failed', outcome: lost(loss) });
      },
      onQuestion: (question) => {
        this.onQuestion(question);
      },
      onWithdrawn: (questionKey) => {
        this.open.get(questionKey)?.stopTimer();
        this.open.delete(questionKey);
      },
      canBeAsked: (question) => questions.canBeAsked(question),
    };
    session.follow(call, request);
  }

  private onAnswer(frame: Frame): void {
    const { request, method, session } = this.origin;
    const outcome = answerOf(frame, request, method, session.profile, undefined);
    this.end({ status: outcome.kind === 'result' ? 'completed' : 'failed', outcome });
  }

  private onQuestion(question: Question): void {
    const { session, questions } = this.origin;
    const asked = questions.receive(question);
    if (typeof asked === 'string') {
      session.asking.replyError(question, asked);
      return;
    }
    const stopTimer = this.context.clock.after(this.context.limits.inputTtlMs, () => {
      this.open.delete(question.id.key);
      session.asking.refuse(question, 'The question was not answered in time');
    });
    this.open.set(question.id.key, { ...asked, stopTimer });
  }

  private close({ id }: Question): void {
    this.open.get(id.key)?.stopTimer();
    this.open.delete(id.key);
  }

  private async askServer(): Promise<void> {
    const task = await askStatus(this.origin.session, this.task, this.context.clock);
    if (this.ending !== undefined || task === undefined) return;
    this.task = task;
    // Its result is on its way; and so may be the end of a task that the server has cancelled.
    if (['completed', 'failed', 'cancelled'].includes(task.status)) await this.ended();
    if (task.status === 'cancelled' && !this.isOver) this.end({ status: 'cancelled', outcome: undefined });
  }

  private ended(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        stop();
        this.untilEnded.delete(settle);
        resolve();
      };
      const stop = this.context.clock.after(statusPatienceMs, settle);
      this.untilEnded.add(settle);
    });
  }

  private cancelUpstream(why: string): void {
    const { session } = this.origin;
    cancelTask(session, this.task, this.context.clock);
    if (this.requestId !== undefined) session.cancel(this.requestId, why);
  }

  private end(ending: Ending): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    const { session } = this.origin;
    for (const { question } of this.open.all()) {
      this.close(question);
      session.asking.refuse(question, 'The task is over');
    }
    for (const settle of [...this.untilEnded]) settle();
  }

  private described(status: string, ...more: readonly Chunks[]): Outcome {
    return this.result([complete, ...taskEntries(this.task, this.id, status), ...more]);
  }

  private result(entries: readonly Chunks[]): Outcome {
    return { kind: 'result', body: completeResult(entries, this.origin.session.profile.serverInfo) };
  }
}

const taskResultType = Buffer.from('"task"');
const complete = entry('resultType', [Buffer.from('"complete"')]);

function outcomeEntries({ outcome }: Ending): readonly Chunks[] {
  if (outcome === undefined) return [];
  return [entry(outcome.kind === 'result' ? 'result' : 'error', outcome.body)];
}
