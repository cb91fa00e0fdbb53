// What a random world is made of, and how its server and its callers see a call.
import type { Message, ScriptedServer } from '../support/scripted-upstream.ts';

export interface Scenario {
  readonly domainCount: number;
  readonly maxSessions: number;
  /** Of each call: how many questions it asks together, round by round. An empty plan never asks. */
  readonly plans: readonly (readonly number[])[];
  /** What happens next, taken modulo what is possible. */
  readonly choices: readonly number[];
  /** Cancels, crashes, time-outs and expiries happen too. */
  readonly mayFail: boolean;
  /** Every tool has been seen asking before. */
  readonly isWarm: boolean;
  /** The server keeps A1–A3. */
  readonly keepsAssumptions: boolean;
  /** Which questions come on the streams of their calls. */
  readonly streams: 'none' | 'some' | 'all';
}

/** A call as the server sees it. */
export interface Handler {
  readonly server: ScriptedServer;
  readonly message: Message;
  readonly call: number;
  rounds: number[];
  /** Questions that wait for an answer, by their ids. */
  open: Set<string>;
  cancelledAt: number | undefined;
}

/** A call as its caller sees it. */
export interface Caller {
  readonly call: number;
  readonly domain: string;
  readonly tool: string;
  asked: { readonly state: string; readonly keys: readonly string[] } | undefined;
  isWaiting: boolean;
  isOver: boolean;
  cancel: () => void;
}
