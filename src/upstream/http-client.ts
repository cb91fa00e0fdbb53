// HTTP to one server: its pool of connections, the lines that go with every request, redirects that stay at home, and
// one more try with other credentials. Nothing is ever sent again but what the server has refused unread.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { createDecoder, type Decoder } from './content-decoding.ts';
import type { Challenge, Credentials, HeaderLines } from './credentials.ts';
import { failureText } from './failure-text.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Of the server's own origin. */
  readonly url: URL;
  readonly headers: HeaderLines;
  readonly body?: Buffer;
}

/** Exactly one of `onEnd` and `onFailed` comes last, once, unless the request was given up. */
export interface ResponseHandlers {
  readonly onHead: (status: number, headers: IncomingHttpHeaders) => void;
  readonly onData: (chunk: Buffer) => void;
  readonly onEnd: () => void;
  /** No response, or not all of it. `reason` is fit to be shown. */
  readonly onFailed: (reason: string) => void;
  /** The server lives at another path than was asked for: the next request may go there at once. */
  readonly onMoved: (url: URL) => void;
}

const maxRedirects = 5;
/** More of a body that nobody reads is not worth the connection. */
const maxDroppedBytes = 64 * 1024;

export class HttpClient {
  readonly credentials: Credentials;
  private readonly dispatcher: Dispatcher;
  private renewing: Promise<boolean> | undefined;
  private readonly paused = new Set<Dispatcher.DispatchController>();
  private isPaused = false;

  constructor(dispatcher: Dispatcher, credentials: Credentials) {
    this.dispatcher = dispatcher;
    this.credentials = credentials;
  }

  /** Sends a request; no handler is called from inside. Returns how to give it up. */
  send(request: HttpRequest, handlers: ResponseHandlers): () => void {
    const exchange = new HttpExchange(this, this.dispatcher, request, handlers);
    exchange.start();
    return () => {
      exchange.giveUp();
    };
  }

  /** Until `resume` no body is read on with. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    for (const controller of this.paused) controller.resume();
    this.paused.clear();
  }

  /** A piece of a body has come. */
  holdIfPaused(controller: Dispatcher.DispatchController): void {
    if (!this.isPaused) return;
    controller.pause();
    this.paused.add(controller);
  }

  /** One renewal for all whose requests were refused with these lines. */
  renew(refused: HeaderLines, challenge: Challenge): Promise<boolean> {
    if (this.credentials.headers() !== refused) return Promise.resolve(true);
    this.renewing ??= this.credentials
      .renew(challenge)
      .catch(() => false)
      .finally(() => {
        this.renewing = undefined;
      });
    return this.renewing;
  }
}

class HttpExchange implements Dispatcher.DispatchHandler {
  private readonly client: HttpClient;
  private readonly dispatcher: Dispatcher;
  private readonly request: HttpRequest;
  private readonly handlers: ResponseHandlers;
  private url: URL;
  private sentLines: HeaderLines = {};
  private redirectCount = 0;
  private hasRenewed = false;
  private isOver = false;
  private controller: Dispatcher.DispatchController | undefined;
  /** What follows on a response that is not told of; its body is dropped. */
  private next: (() => void) | undefined;
  private droppedBytes = 0;
  private decoder: Decoder | undefined;

  constructor(client: HttpClient, dispatcher: Dispatcher, request: HttpRequest, handlers: ResponseHandlers) {
    this.client = client;
    this.dispatcher = dispatcher;
    this.request = request;
    this.handlers = handlers;
    this.url = request.url;
  }

  start(): void {
    const { method, headers, body } = this.request;
    this.sentLines = this.client.credentials.headers();
    this.next = undefined;
    this.droppedBytes = 0;
    try {
      this.dispatcher.dispatch(
        {
          origin: this.url.origin,
          path: this.url.pathname + this.url.search,
          method,
          headers: { ...headers, ...this.sentLines },
          ...(body && { body }),
        },
        this,
      );
    } catch {
      queueMicrotask(() => {
        this.fail('the request could not be made');
      });
    }
  }

  giveUp(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.decoder?.stop();
    this.controller?.abort(new Error('given up'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(new Error('given up'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.isOver || status < 200) return;
    this.next = this.following(status, headers);
    if (this.next !== undefined) return;
    this.decoder = createDecoder(one(headers['content-encoding']), {
      onData: this.handlers.onData,
      onEnd: () => {
        this.finish();
      },
      onFailed: (reason) => {
        this.fail(reason);
        this.controller?.abort(new Error(reason));
      },
    });
    this.handlers.onHead(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    this.client.holdIfPaused(controller);
    if (this.next === undefined) {
      if (this.decoder === undefined) this.handlers.onData(chunk);
      else this.decoder.push(chunk);
      return;
    }
    this.droppedBytes += chunk.length;
    if (this.droppedBytes > maxDroppedBytes) controller.abort(new Error('a body that nobody reads'));
  }

  onResponseEnd(): void {
    if (this.isOver) return;
    const { next } = this;
    if (next !== undefined) next();
    else if (this.decoder === undefined) this.finish();
    else this.decoder.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.isOver) return;
    const { next } = this;
    // A connection that ends behind a refusal has not made it less of one.
    if (next !== undefined) next();
    else if (this.controller === undefined)
      queueMicrotask(() => {
        this.fail(failureText(error));
      });
    else this.fail(failureText(error));
  }

  private finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.handlers.onEnd();
  }

  private fail(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.decoder?.stop();
    this.handlers.onFailed(reason);
  }

  /** What is to be done about a response before anyone is told of it. */
  private following(status: number, headers: IncomingHttpHeaders): (() => void) | undefined {
    if (status === 307 || status === 308) return this.redirection(one(headers.location));
    const wwwAuthenticate = one(headers['www-authenticate']);
    const isRefused = status === 401 || (status === 403 && isScopeLack(wwwAuthenticate));
    if (!isRefused || this.hasRenewed) return undefined;
    const challenge: Challenge = { status: status === 401 ? 401 : 403, wwwAuthenticate };
    return () => {
      this.hasRenewed = true;
      void this.client.renew(this.sentLines, challenge).then((hasOthers) => {
        if (this.isOver) return;
        if (hasOthers) this.start();
        else this.tell(status);
      });
    };
  }

  /** Method and body stay what they are, and so does the origin: credentials never leave it. */
  private redirection(location: string | undefined): (() => void) | undefined {
    const target = location === undefined ? undefined : atHome(location, this.url);
    if (target === undefined || this.redirectCount >= maxRedirects) return undefined;
    return () => {
      this.redirectCount += 1;
      this.url = target;
      this.handlers.onMoved(target);
      this.start();
    };
  }

  /** A refusal that stands, without its body. */
  private tell(status: number): void {
    this.isOver = true;
    this.handlers.onHead(status, {});
    this.handlers.onEnd();
  }
}

/** Where a reference of the server's leads, if it stays at the origin of `base`. */
export function atHome(reference: string, base: URL): URL | undefined {
  if (!URL.canParse(reference, base.href)) return undefined;
  const target = new URL(reference, base.href);
  return target.origin === base.origin ? target : undefined;
}

function one(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}

/** spec 2025-11-25 basic/authorization#scope-challenge-handling */
function isScopeLack(wwwAuthenticate: string | undefined): boolean {
  return /\berror\s*=\s*"?insufficient_scope\b/i.test(wwwAuthenticate ?? '');
}
