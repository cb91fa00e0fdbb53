// The answers that a request brings, held against the questions that are open.
import type { Chunks } from '../jsonrpc/frame.ts';
import { find } from '../jsonrpc/frame.ts';
import { membersOf } from '../jsonrpc/scan.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { SessionVersion } from '../protocol/versions.ts';
import { toLegacyAnswer } from '../translate/input-response.ts';
import type { AskedQuestion } from './parked-call.ts';

/** The good answers by key. Unknown keys are ignored; misshapen answers count as missing. */
export function answersOf(
  request: ModernRequest,
  asked: readonly AskedQuestion[],
  version: SessionVersion,
): ReadonlyMap<string, Chunks> {
  const answers = new Map<string, Chunks>();
  if (request.inputResponses === undefined) return answers;
  const { bytes } = request.frame;
  const members = membersOf(bytes, request.inputResponses);
  for (const { key, question } of asked) {
    const member = find(members, key);
    const answer = member && toLegacyAnswer(bytes, member, question.kind, version);
    if (answer !== undefined) answers.set(key, answer);
  }
  return answers;
}
