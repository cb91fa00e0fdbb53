// Questions of a legacy server that are not answered yet: who carries each, and those that are held because it is not
// yet known whose they are.
import type { Frame } from '../jsonrpc/frame.ts';
import type { RequestId } from '../jsonrpc/request-id.ts';
import type { InputKind } from '../protocol/input-kinds.ts';

/** A server-initiated request: a question that must be answered under its own id. */
export interface Question {
  readonly id: RequestId;
  readonly kind: InputKind;
  readonly frame: Frame;
}

interface Held {
  readonly question: Question;
  readonly suspects: readonly number[];
  readonly stopTimer: () => void;
}

export class OpenQuestions {
  /** By the question's own id: the call that carries it; undefined while it is about to be refused. */
  private readonly carried = new Map<string, number | undefined>();
  private readonly held = new Map<string, Held>();

  get isHolding(): boolean {
    return this.held.size > 0;
  }

  has(question: Question): boolean {
    return this.carried.has(question.id.key) || this.held.has(question.id.key);
  }

  carry(question: Question, call: number | undefined): void {
    this.carried.set(question.id.key, call);
  }

  /** The call that carries the question of that id. */
  carrierOf(key: string): number | undefined {
    return this.carried.get(key);
  }

  hold(question: Question, suspects: readonly number[], stopTimer: () => void): void {
    this.held.set(question.id.key, { question, suspects, stopTimer });
  }

  /** The question is answered, withdrawn or attributed anew. False when it was not open. */
  release(key: string): boolean {
    const held = this.held.get(key);
    held?.stopTimer();
    return this.held.delete(key) || this.carried.delete(key);
  }

  /** A call has ended: it was not the asker of what is held (A2). The held questions with who is left. */
  exonerate(call: number): readonly { readonly question: Question; readonly suspects: readonly number[] }[] {
    for (const [key, held] of this.held) {
      const suspects = held.suspects.filter((suspect) => suspect !== call);
      this.held.set(key, { ...held, suspects });
    }
    return [...this.held.values()];
  }

  /** Takes all out: the session is over. */
  clear(): void {
    for (const held of this.held.values()) held.stopTimer();
    this.held.clear();
    this.carried.clear();
  }
}
