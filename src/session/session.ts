// One initialized session with a legacy server: its ids, and who a frame belongs to. Knows nothing of modern clients,
// faces or translation: frames go in and out as they are.
import { find, methodOf, stringMember, text, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { membersOf, startsWith } from '../jsonrpc/scan.ts';
import { IdTable } from '../jsonrpc/id-table.ts';
import { idOf, parseRequestId, type RequestId } from '../jsonrpc/request-id.ts';
import { methodNotFound } from '../protocol/error-codes.ts';
import { inputKind } from '../protocol/input-kinds.ts';
import { relatedTaskKey, subscriptionIdKey } from '../protocol/meta-keys.ts';
import type { ServerProfile } from '../protocol/server-profile.ts';
import { modernVersion } from '../protocol/versions.ts';
import type { Link } from '../upstream/port.ts';
import { AskingCalls, type AskingCallsOptions } from './asking-calls.ts';
import { toQuestion } from './open-questions.ts';
import type {
  AskingCall,
  AskingRequest,
  Loss,
  RequestHandlers,
  RequestOptions,
  TaskRequest,
} from './requests.ts';

export interface SessionHandlers {
  /** A notification that belongs to no request: changes of lists and resources. */
  readonly onNotification: (method: string, frame: Frame) => void;
  /** The server does not know the session any more: no new work belongs on it. What is under way may still end. */
  readonly onRetired: (session: Session) => void;
  readonly onOver: (session: Session, reason: string) => void;
}

interface Pending {
  readonly handlers: RequestHandlers;
  /** Whose progress token goes on to be this request's. */
  readonly original?: number | undefined;
  /** Asked for by the bridge itself, not by a client. */
  readonly isOwn: boolean;
}

const sessionGone = 'the server has ended the session';
const nothingToLeave = (): void => undefined;

const ignored: RequestHandlers = { onAnswer: () => undefined, onLost: () => undefined };
const answerId = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d+)/;

export class Session {
  readonly profile: ServerProfile;
  readonly asking: AskingCalls;
  private readonly link: Link;
  private readonly options: AskingCallsOptions;
  private readonly handlers: SessionHandlers;
  private readonly pending = new IdTable<Pending>();
  private readonly waiting = new Set<AskingCall>();
  /** The requests for what comes of tasks, by the progress tokens of the calls that have become tasks. */
  private readonly taskRequests = new IdTable<number>();
  private nextId: number;
  private over: string | undefined;
  private isRetired = false;

  /** `firstId` follows the ids that the handshake has used. */
  constructor(
    link: Link,
    profile: ServerProfile,
    firstId: number,
    options: AskingCallsOptions,
    handlers: SessionHandlers,
  ) {
    this.link = link;
    this.profile = profile;
    this.nextId = firstId;
    this.options = options;
    this.handlers = handlers;
    this.asking = new AskingCalls(options, (id, member, body, call) => {
      this.answer(id, member, body, call);
    });
  }

  /** Whether there is no session to speak of: the server is of the modern era. */
  get isModern(): boolean {
    return this.profile.version === modernVersion;
  }

  get isOver(): boolean {
    return this.over !== undefined;
  }

  /** How many requests are in flight or waiting here. */
  get load(): number {
    return this.pending.size + this.asking.waitingCount;
  }

  /** The server is so far behind that nothing more should be asked of it. */
  get isBacklogged(): boolean {
    return this.link.isBacklogged ?? false;
  }

  /** Whether requests go out with header lines of their own. */
  get takesLines(): boolean {
    return this.link.takesLines ?? false;
  }

  /** Calls once when it has caught up, or the link is over. */
  onceTaken(run: () => void): void {
    this.link.onceTaken?.(run);
  }

  /** As little as may be is read of the server until `resume`. */
  pause(): void {
    this.link.pause?.();
  }

  resume(): void {
    this.link.resume?.();
  }

  /** Writes a request that cannot ask. Returns its id. */
  request(
    build: (id: number) => Chunks,
    handlers: RequestHandlers,
    { isOwn = false, lines, original }: RequestOptions = {},
  ): number {
    const id = this.nextId;
    this.nextId += 1;
    if (this.over !== undefined) {
      handlers.onLost({ kind: 'session', reason: this.over });
      return id;
    }
    this.pending.set(id, { handlers, isOwn, original });
    this.link.send(build(id), id, undefined, lines);
    return id;
  }

  /** Writes a call that may ask, now or in its turn. The returned function takes it out of the queue. */
  call(call: AskingCall): () => void {
    if (this.over !== undefined) {
      call.onLost({ kind: 'session', reason: this.over });
      return nothingToLeave;
    }
    if (this.asking.mayStartAtOnce(call)) {
      this.begin(call);
      return nothingToLeave;
    }
    let hasStarted = false as boolean;
    const leave = this.asking.takeTurn({
      domain: call.domain,
      askerName: call.askerName,
      start: () => {
        hasStarted = true;
        this.waiting.delete(call);
        this.begin(call);
      },
      giveUp: () => {
        this.waiting.delete(call);
        call.onQueueTimeout();
      },
    });
    if (hasStarted) return nothingToLeave;
    this.waiting.add(call);
    return () => {
      this.waiting.delete(call);
      leave();
    };
  }

  private begin(call: AskingCall): void {
    const id = this.request((newId) => call.build(newId), call);
    this.asking.add(id, call, undefined);
    call.onStarted(id);
  }

  /**
   * The server has answered a call with a task: writes the request for what comes of it, at once. The task's questions
   * say whose they are, so they need no turns.
   */
  follow(call: AskingRequest, { taskId, original, build }: TaskRequest): void {
    if (this.over !== undefined) {
      call.onLost({ kind: 'session', reason: this.over });
      return;
    }
    const id = this.request(build, call, { original });
    this.taskRequests.set(original, id);
    this.asking.add(id, call, taskId);
    call.onStarted(id);
  }

  /** Gives a request up: the server is told at once, and its late answer is dropped. */
  cancel(id: number, reason: string): void {
    if (this.over !== undefined || !this.pending.has(id)) return;
    this.notify('notifications/cancelled', { requestId: id, reason });
    this.letGo(id);
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.link.send([text(JSON.stringify({ jsonrpc: '2.0', method, params }))]);
  }

  /** A frame from the server; `origin` is the request on whose own stream it came. */
  receive(frame: Frame, origin?: number): void {
    if (this.over !== undefined) return;
    const id = idOf(frame);
    const method = methodOf(frame);
    if (method === undefined) this.onAnswer(id, frame, origin);
    else if (id === undefined) this.onNotification(method, frame, origin);
    else this.onRequest(method, id, frame, origin);
  }

  /** A message of the server was thrown away; if its first bytes say which request it answers, that one fails. */
  receiveOversize(start: Buffer, failure: Frame, origin?: number): void {
    const id = answerId.exec(start.toString('latin1'))?.[1] ?? origin;
    this.options.log.warn(
      { isAnswer: id !== undefined },
      'server sent a message over the size limit; thrown away',
    );
    if (id !== undefined) this.finish(Number(id), failure);
  }

  /** No answer to that request will come any more, if none has. That says nothing of its handler, which may still ask. */
  endRequest(id: number, loss: Loss): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    this.letGo(id);
    pending.handlers.onLost(loss);
    this.endIfDrained();
  }

  /** The server does not know the session any more; `refused` is the request that showed it, which has not run. */
  retire(refused?: number): void {
    if (this.over !== undefined) return;
    if (!this.isRetired) {
      this.isRetired = true;
      this.handlers.onRetired(this);
    }
    if (refused !== undefined) this.take(refused)?.onLost({ kind: 'refused', reason: sessionGone });
    this.endIfDrained();
  }

  /** The link is over: everything that was in flight fails, once. */
  end(reason: string): void {
    if (this.over !== undefined) return;
    this.over = reason;
    this.asking.clear();
    const lost = [...this.pending.all().map((each) => each.handlers), ...this.waiting];
    this.pending.clear();
    this.waiting.clear();
    for (const handlers of lost) handlers.onLost({ kind: 'session', reason });
    this.handlers.onOver(this, reason);
  }

  /** Ends the session and the link under it. */
  close(reason: string): Promise<void> {
    this.end(reason);
    return this.link.close();
  }

  /** What comes on a request's own stream without an id of its own can only be the answer to that request. */
  private onAnswer(id: RequestId | undefined, frame: Frame, origin: number | undefined): void {
    const answered = id === undefined ? origin : Number(id.key);
    if (answered === undefined || !this.finish(answered, frame))
      this.options.log.debug({ hasId: id !== undefined }, 'server answered what is not in flight; dropped');
    else if (answered !== origin) this.link.abandon?.(answered);
  }

  private finish(id: number, frame: Frame): boolean {
    const handlers = this.take(id);
    handlers?.onAnswer(frame);
    this.endIfDrained();
    return handlers !== undefined;
  }

  /** Nobody waits for that request any more. If it may ask, it is kept in mind for as long as it may still do so. */
  private letGo(id: number): void {
    const forget = (): void => {
      this.forgetTask(this.pending.get(id));
      this.pending.delete(id);
      this.link.abandon?.(id);
      this.endIfDrained();
    };
    const { original } = this.pending.get(id) ?? {};
    if (this.asking.quarantine(id, forget))
      this.pending.set(id, { handlers: ignored, isOwn: false, original });
    else forget();
  }

  /** The request is in flight no more: it was not the asker of what is held. */
  private take(id: number): RequestHandlers | undefined {
    const pending = this.pending.get(id);
    if (pending === undefined) return undefined;
    this.pending.delete(id);
    this.forgetTask(pending);
    this.asking.end(id);
    return pending.handlers;
  }

  private forgetTask(pending: Pending | undefined): void {
    if (pending?.original !== undefined) this.taskRequests.delete(pending.original);
  }

  private endIfDrained(): void {
    if (this.isRetired && this.over === undefined && this.pending.size === 0 && this.waiting.size === 0)
      this.end(sessionGone);
  }

  private onNotification(method: string, frame: Frame, origin: number | undefined): void {
    const params = find(frame.members, 'params')?.members;
    const key = (name: string): string | undefined => {
      const member = find(params, name);
      return member && parseRequestId(frame.bytes, member)?.key;
    };
    switch (method) {
      case 'notifications/progress':
        // Some servers give the token back as a string of the number.
        this.onProgress(Number(key('progressToken')?.replace('"', '')), frame);
        return;
      case 'notifications/tasks/status':
        this.pending
          .get(this.asking.callOfTask(stringMember(frame.bytes, params, 'taskId')) ?? 0)
          ?.handlers.onTaskStatus?.();
        return;
      case 'notifications/message':
        this.onLogMessage(frame, origin);
        return;
      case 'notifications/cancelled':
        this.asking.withdraw(key('requestId') ?? '');
        return;
      default:
        this.onOtherNotification(method, frame, origin);
    }
  }

  private onProgress(token: number, frame: Frame): void {
    const owner = this.pending.get(token) ?? this.pending.get(this.taskRequests.get(token) ?? 0);
    owner?.handlers.onProgress?.(frame);
  }

  private onOtherNotification(method: string, frame: Frame, origin: number | undefined): void {
    const meta = find(find(frame.members, 'params')?.members, '_meta')?.members;
    const subscription = find(meta, subscriptionIdKey);
    const id = origin ?? (subscription && Number(parseRequestId(frame.bytes, subscription)?.key));
    const owner = id === undefined ? undefined : this.pending.get(id)?.handlers;
    if (owner?.onNotification !== undefined) owner.onNotification(method, frame);
    else this.handlers.onNotification(method, frame);
  }

  private onLogMessage(frame: Frame, origin: number | undefined): void {
    const ofClients = this.pending.all().filter((pending) => !pending.isOwn);
    const only = ofClients.length === 1 ? ofClients[0] : undefined;
    const owner = origin === undefined ? only : this.pending.get(origin);
    if (owner?.handlers.onLogMessage !== undefined) owner.handlers.onLogMessage(frame);
    else
      this.options.log.debug(
        { bytes: frame.bytes.length },
        'server sent a log message that belongs to no call',
      );
  }

  private onRequest(method: string, id: RequestId, frame: Frame, origin: number | undefined): void {
    const kind = inputKind(method);
    if (method === 'ping') this.answer(id, 'result', [text('{}')]);
    else if (kind !== undefined)
      this.asking.ask(toQuestion(kind, id, frame), this.asking.callOfTask(relatedTask(frame)) ?? origin);
    else
      this.answer(id, 'error', [text(JSON.stringify({ code: methodNotFound, message: 'Method not found' }))]);
  }

  /** `call`: the request whose handler waits for the answer. If the answer does not arrive, it waits in vain. */
  private answer(id: RequestId, member: 'result' | 'error', body: Chunks, call?: number): void {
    if (this.over !== undefined) return;
    const frame = [text('{"jsonrpc":"2.0","id":'), id.text, text(`,"${member}":`), ...body, text('}')];
    this.link.send(frame, undefined, (reason) => {
      if (call === undefined || !this.pending.has(call)) return;
      this.notify('notifications/cancelled', {
        requestId: call,
        reason: 'The answer could not be delivered',
      });
      this.link.abandon?.(call);
      this.endRequest(call, { kind: 'request', reason });
    });
  }
}

/** The id of the task that a message belongs to. spec 2025-11-25 basic/utilities/tasks#related-task-metadata */
function relatedTask({ bytes, members }: Frame): string | undefined {
  const meta = find(find(members, 'params')?.members, '_meta')?.members;
  const related = find(meta, relatedTaskKey);
  if (related === undefined || !startsWith(bytes, related, '{')) return undefined;
  return stringMember(bytes, membersOf(bytes, related), 'taskId');
}
