// What becomes of a question, told to the session that it came on.
import type { Session } from '../session/session.ts';
import type { CallEffect } from './parked-call.ts';

export type QuestionEffect = Extract<CallEffect, { name: 'reply' | 'refuse' | 'disown' }>;

export function settleQuestion(session: Session, effect: QuestionEffect): void {
  switch (effect.name) {
    case 'reply':
      session.asking.reply(effect.question, effect.answer);
      return;
    case 'refuse':
      session.asking.refuse(effect.question, effect.why);
      return;
    case 'disown':
      session.asking.disown(effect.question);
  }
}
