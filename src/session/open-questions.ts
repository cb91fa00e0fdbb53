// Questions of a legacy server that are not answered yet: who carries each, and those that are held because it is not
// yet known whose they are.
import { detached, find, partOf, type Frame } from '../jsonrpc/frame.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import type { Member } from '../jsonrpc/scan.ts';
import type { InputKind } from '../protocol/input-kinds.ts';

/** A server-initiated request: a question that must be answered under its own id. */
export interface Question {
  readonly id: RequestId;
  readonly kind: InputKind;
  readonly frame: Frame;
}

/** The question that a request asks. A human may take long to answer, so it keeps nothing but itself. */
export function toQuestion(kind: InputKind, { key }: RequestId, request: Frame): Question {
  const frame = detached(request);
  return { id: { key, text: partOf(frame, find(frame.members, 'id') as Member) }, kind, frame };
}

interface Carried {
  readonly call: number;
  /** The call is the asker for certain. Otherwise any call of its party may be that is not newer than `newest`. */
  readonly isCertain: boolean;
  readonly domain: string;
  readonly newest: number;
}

interface Held {
  readonly question: Question;
  readonly suspects: readonly number[];
  readonly stopTimer: () => void;
}

export class OpenQuestions {
  private readonly carried = new Map<string, Carried>();
  private readonly held = new Map<string, Held>();

  get isHolding(): boolean {
    return this.held.size > 0;
  }

  has(question: Question): boolean {
    return this.carried.has(question.id.key) || this.held.has(question.id.key);
  }

  carry(question: Question, carried: Carried): void {
    this.carried.set(question.id.key, carried);
  }

  /** Who carries the question of that id. */
  carrierOf(questionKey: string): Carried | undefined {
    return this.carried.get(questionKey);
  }

  hold(question: Question, suspects: readonly number[], stopTimer: () => void): void {
    this.held.set(question.id.key, { question, suspects, stopTimer });
  }

  /** The question is answered, withdrawn or attributed anew. False when it was not open. */
  release(questionKey: string): boolean {
    this.held.get(questionKey)?.stopTimer();
    return this.held.delete(questionKey) || this.carried.delete(questionKey);
  }

  /** A call has ended: it was not the asker of what is held (A2). The held questions with who is left. */
  exonerate(call: number): readonly Held[] {
    for (const [key, held] of this.held)
      this.held.set(key, { ...held, suspects: held.suspects.filter((suspect) => suspect !== call) });
    return [...this.held.values()];
  }

  /** The session is over. */
  clear(): void {
    for (const held of this.held.values()) held.stopTimer();
    this.held.clear();
    this.carried.clear();
  }
}
