// The answers to one batch of a legacy client: sent together, as an array, when the last is there.
// spec 2025-03-26 basic/index#batching
import { text, type Chunks } from '../jsonrpc/frame.ts';

const OPEN = text('[');
const COMMA = text(',');
const CLOSE = text(']');

export class BatchAnswers {
  private readonly due = new Set<number>();
  private readonly parts: Buffer[] = [];

  expect(request: number): void {
    this.due.add(request);
  }

  get requests(): readonly number[] {
    return [...this.due];
  }

  isDue(request: number): boolean {
    return this.due.has(request);
  }

  /** An answer of the bridge's own, to an element that was not passed on. */
  add(answer: Chunks): void {
    if (this.parts.length > 0) this.parts.push(COMMA);
    this.parts.push(...answer);
  }

  /** That request is answered, or needs no answer any more. */
  settle(request: number, answer?: Chunks): void {
    if (!this.due.delete(request) || answer === undefined) return;
    this.add(answer);
  }

  /** Whether answers are still due. */
  get isOpen(): boolean {
    return this.due.size > 0;
  }

  /** The array; undefined where there is nothing to be said. */
  get whole(): Chunks | undefined {
    return this.parts.length === 0 ? undefined : [OPEN, ...this.parts, CLOSE];
  }
}
