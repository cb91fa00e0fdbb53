// The answers to what a server wanted to have opened before it runs a call. The server does not wait for them: it has
// answered with an error, so they only say whether the call is to be run again.
import { BridgeError } from '../errors.ts';
import { join, parseFrame, stringMember, text, toBytes, type Frame } from '../jsonrpc/frame.ts';
import { entry, toObject } from '../jsonrpc/object-edit.ts';
import { internalError } from '../protocol/error-codes.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Question } from '../session/open-questions.ts';
import type { Session } from '../session/session.ts';
import { signature } from '../translate/result-up.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import type { QuestionEffect } from './settle-question.ts';

/** What a client must have declared to be shown a URL. */
export const urlNeeds = { elicitation: { url: {} } };

export class UrlRefusal {
  private readonly keys = new Set<string>();
  private isDeclined = false;

  /** Whether all that was asked is accepted, so far. */
  get isAccepted(): boolean {
    return !this.isDeclined;
  }

  /** The question, under an id that no server gives. */
  questionOf(frame: Frame): Question {
    const key = `url ${String(this.keys.size + 1)}`;
    this.keys.add(key);
    return { id: { key, text: text('null') }, kind: 'elicitation', frame };
  }

  /** Takes what becomes of a question, if it is one of these. */
  takes(effect: QuestionEffect): boolean {
    if (!this.keys.has(effect.question.id.key)) return false;
    if (effect.name === 'reply' && actionOf(join(effect.answer)) !== 'accept') this.isDeclined = true;
    return true;
  }
}

function actionOf(answer: Buffer): string | undefined {
  const parsed = parseFrame(answer);
  return parsed.ok ? stringMember(parsed.frame.bytes, parsed.frame.members, 'action') : undefined;
}

/** What a call ends with whose user will not open what the server wants opened. */
export function declined({ method }: ModernRequest, session: Session | undefined): Outcome {
  const message = 'The user did not open what the server needs to have opened';
  if (method !== 'tools/call' || session === undefined)
    return outcomeOf(new BridgeError(internalError, 'input_declined', message));
  const body = toObject([
    entry('resultType', [text('"complete"')]),
    entry('content', [toBytes([{ type: 'text', text: message }])]),
    entry('isError', [text('true')]),
    signature(session.profile.serverInfo),
  ]);
  return { kind: 'result', body };
}
