import type { Message } from './scripted-upstream.ts';

interface Wire {
  readonly send: (text: string) => void;
  readonly garbage: readonly string[];
  readonly die: () => void;
  readonly stopReading: (ms: number) => void;
}

export function handle(message: Message, wire: Wire): void;
export const garbage: readonly string[];
