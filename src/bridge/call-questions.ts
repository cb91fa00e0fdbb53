// The questions of one call: which of them its client can be asked, and under which key each is shown.
import { isDeclared, union, type Capabilities } from '../protocol/client-capabilities.ts';
import { capabilitiesOf, type ModernRequest } from '../protocol/modern-request.ts';
import type { Question } from '../session/open-questions.ts';
import { toInputRequest } from '../translate/input-request.ts';
import type { AskedQuestion } from './parked-call.ts';

export class CallQuestions {
  private latest: ModernRequest;
  private declared: Capabilities | undefined;
  private firstKey: string | undefined;
  private keyUses: Map<string, number> | undefined;
  private lacking: Capabilities = {};

  constructor(first: ModernRequest) {
    this.latest = first;
  }

  /** A later request of the same call: it says anew what its client can do. */
  set request(request: ModernRequest) {
    this.latest = request;
    this.declared = undefined;
  }

  /** What the client has declared with its latest request. */
  get capabilities(): Capabilities {
    this.declared ??= capabilitiesOf(this.latest);
    return this.declared;
  }

  /** What the server wanted and the client had not declared; empty when it was nothing. */
  get missing(): Capabilities {
    return this.lacking;
  }

  canBeAsked(question: Question): boolean {
    const input = toInputRequest(question.frame, question.kind);
    return input !== undefined && isDeclared(this.capabilities, input.needs);
  }

  /** The question as it is to be shown, or why the server is refused. */
  receive(question: Question): AskedQuestion | string {
    const input = toInputRequest(question.frame, question.kind);
    if (input === undefined) return 'The params of the request are not an object';
    if (isDeclared(this.capabilities, input.needs))
      return { key: this.uniqueKey(input.key), question, body: input.body };
    this.lacking = union(this.lacking, input.needs);
    return `The client does not support this ${question.kind} request`;
  }

  private uniqueKey(key: string): string {
    // Most calls ask once.
    if (this.firstKey === undefined) {
      this.firstKey = key;
      return key;
    }
    this.keyUses ??= new Map([[this.firstKey, 1]]);
    const use = (this.keyUses.get(key) ?? 0) + 1;
    this.keyUses.set(key, use);
    return use === 1 ? key : this.uniqueKey(`${key}-${String(use)}`);
  }
}
