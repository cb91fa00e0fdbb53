// Opens one legacy session: drives the handshake machine over a new link. What the server sends before the fence has
// passed belongs to no call. spec 2025-11-25 basic/lifecycle#initialization
import { find, isNull, parseFrame, stringMember, text, toBytes, type Frame } from '../jsonrpc/frame.ts';
import { bridgeCapabilities } from '../protocol/client-capabilities.ts';
import { internalError } from '../protocol/error-codes.ts';
import { modernProfile, type ServerProfile } from '../protocol/server-profile.ts';
import { legacyVersions } from '../protocol/versions.ts';
import type { Link, Upstream } from '../upstream/port.ts';
import type { AskingCallsOptions } from './asking-calls.ts';
import {
  firstHandshake,
  handshakeStep,
  modernOpen,
  type HandshakeEvent,
  type HandshakeState,
  type HandshakeStep,
} from './handshake.ts';
import { Session, type SessionHandlers } from './session.ts';

export interface OpenOptions extends AskingCallsOptions {
  readonly upstream: Upstream;
  /** What the server speaks: `auto` finds out by `initialize`. */
  readonly protocol: 'auto' | 'legacy' | 'modern';
  /** How long the server may take until its handshake is over. */
  readonly startTimeoutMs: number;
  /** How long calls wait for the answer to the ping behind the handshake. */
  readonly fenceMs: number;
  /** The bridge's own `Implementation`. */
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** A session on its way. */
export interface Opening {
  /** Rejects with an `Error` whose message is the reason, fit to be shown. */
  readonly session: Promise<Session>;
  /** Gives up, or closes the session that came of it. */
  close(reason: string): Promise<void>;
}

export function openSession(options: OpenOptions, handlers: SessionHandlers): Opening {
  return new SessionOpening(options, handlers);
}

class SessionOpening implements Opening {
  readonly session: Promise<Session>;
  private readonly options: OpenOptions;
  private readonly handlers: SessionHandlers;
  private readonly link: Link;
  private resolve: (session: Session) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;
  private state: HandshakeState = firstHandshake;
  private initializeId = 1;
  private fenceId: number | undefined;
  private early: Session | undefined;
  private readonly stopStartTimer: () => void;
  private stopFenceTimer: () => void = () => undefined;

  constructor(options: OpenOptions, handlers: SessionHandlers) {
    this.options = options;
    this.handlers = handlers;
    this.session = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.stopStartTimer = options.clock.after(options.startTimeoutMs, () => {
      void this.close('the server did not start in time');
    });
    this.link = options.upstream.open({
      onFrame: (frame, origin) => {
        this.onFrame(frame, origin);
      },
      onOversize: (start, origin) => {
        this.early?.receiveOversize(start, oversizeFailure(), origin);
      },
      onStreamEnd: (id, reason) => {
        if (id === this.fenceId) this.dispatch({ name: 'fence passed' });
        else this.early?.endRequest(id, { kind: 'request', reason });
      },
      onSessionGone: (refused) => {
        this.onSessionGone(refused);
      },
      onClosed: (reason) => {
        this.onClosed(reason);
      },
    });
    if (options.protocol === 'modern') this.perform(modernOpen);
    else this.sendInitialize();
  }

  close(reason: string): Promise<void> {
    this.onClosed(reason);
    return this.link.close();
  }

  private onClosed(reason: string): void {
    this.dispatch({ name: 'ended', reason });
    this.early?.end(reason);
  }

  /** One that goes before any call was on it is a server that does not start. */
  private onSessionGone(refused: number | undefined): void {
    if (this.state.name === 'open') this.early?.retire(refused);
    else void this.close('the server ended the session at once');
  }

  private onFrame(frame: Frame, origin: number | undefined): void {
    if (this.state.name === 'open') {
      this.early?.receive(frame, origin);
      return;
    }
    const isAnswer = stringMember(frame.bytes, frame.members, 'method') === undefined;
    const id = isAnswer ? (idNumber(frame) ?? origin) : undefined;
    if (this.state.name === 'initializing' && id === this.initializeId)
      this.dispatch({ name: 'answer', frame });
    else if (id !== undefined && id === this.fenceId) this.dispatch({ name: 'fence passed' });
    else if (this.early !== undefined) this.early.receive(frame, origin);
    else this.answerEarly(frame);
  }

  private dispatch(event: HandshakeEvent): void {
    this.perform(handshakeStep(this.state, event));
  }

  private perform({ state, effect }: HandshakeStep): void {
    this.state = state;
    switch (effect) {
      case 'initialize':
        this.initializeId += 1;
        this.sendInitialize();
        return;
      case 'initialized and fence':
        if (state.name === 'fencing') this.fence(state.profile);
        return;
      case 'open modern':
        this.openModern();
        return;
      case 'open':
        this.stopStartTimer();
        this.stopFenceTimer();
        if (this.early !== undefined) this.resolve(this.early);
        return;
      case 'fail':
        this.stopStartTimer();
        this.stopFenceTimer();
        this.reject(new Error(state.name === 'over' ? state.reason : 'the server did not start'));
        void this.link.close();
        return;
      case undefined:
    }
  }

  private sendInitialize(): void {
    if (this.state.name !== 'initializing') return;
    const version = this.state.offered.at(-1) ?? legacyVersions[0];
    const params = {
      protocolVersion: version,
      capabilities: bridgeCapabilities(version),
      clientInfo: this.options.clientInfo,
    };
    const id = this.initializeId;
    this.link.send([toBytes({ jsonrpc: '2.0', id, method: 'initialize', params })], id);
  }

  /** From here the session exists, but no call is on it: what the server asks now is the session's own affair. */
  private fence(profile: ServerProfile): void {
    const fenceId = this.initializeId + 1;
    this.fenceId = fenceId;
    this.early = new Session(this.link, profile, fenceId + 1, this.options, this.handlers);
    this.link.negotiated?.(profile.version);
    this.early.notify('notifications/initialized', {});
    this.stopFenceTimer = this.options.clock.after(this.options.fenceMs, () => {
      this.dispatch({ name: 'fence passed' });
    });
    this.link.send([text(`{"jsonrpc":"2.0","id":${String(fenceId)},"method":"ping"}`)], fenceId);
  }

  private openModern(): void {
    if (this.options.protocol === 'legacy') {
      this.perform({ state: { name: 'over', reason: 'the server is modern' }, effect: 'fail' });
      return;
    }
    this.stopStartTimer();
    this.link.negotiated?.(modernProfile.version);
    this.early = new Session(this.link, modernProfile, this.initializeId + 1, this.options, this.handlers);
    this.resolve(this.early);
  }

  /** Before the handshake is over only a ping and the roots have an answer that cannot be wrong. */
  private answerEarly(frame: Frame): void {
    const id = find(frame.members, 'id');
    const method = stringMember(frame.bytes, frame.members, 'method');
    if (id === undefined || method === undefined) return;
    const head = [text('{"jsonrpc":"2.0","id":'), frame.bytes.subarray(id.start, id.end)];
    if (method === 'ping') this.link.send([...head, text(',"result":{}}')]);
    else if (method === 'roots/list')
      this.link.send([
        ...head,
        text(',"result":'),
        this.options.staticRoots ?? text('{"roots":[]}'),
        text('}'),
      ]);
    else
      this.link.send([
        ...head,
        text(',"error":{"code":-32601,"message":"Not before the handshake is over"}}'),
      ]);
  }
}

function idNumber(frame: Frame): number | undefined {
  const id = find(frame.members, 'id');
  return id && !isNull(frame.bytes, id)
    ? Number(frame.bytes.toString('latin1', id.start, id.end))
    : undefined;
}

/** Stands for an answer that was thrown away. */
function oversizeFailure(): Frame {
  const message = 'The answer of the server is over the size limit';
  const data = { source: 'mcp-bridge', reason: 'message_too_large' };
  const parsed = parseFrame(toBytes({ jsonrpc: '2.0', error: { code: internalError, message, data } }));
  if (!parsed.ok) throw new Error('unreachable');
  return parsed.frame;
}
