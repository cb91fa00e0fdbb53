// The HTTP face on a real port, a scripted legacy server behind it, and a raw client that says exactly what a test
// wants said. Every frame that comes back is checked against the revision's shapes.
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Bridge } from '../../src/bridge/bridge.ts';
import type { BridgeOptions } from '../../src/bridge/options.ts';
import { HttpFace, type HttpFaceOptions } from '../../src/faces/http.ts';
import { silentLogger } from '../../src/log.ts';
import { metadata } from './harness.ts';
import { relayTo } from './legacy-client.ts';
import { ManualClock } from './manual-clock.ts';
import { checkModernFrame } from './modern-shapes.ts';
import { ScriptedUpstream, type Message, type Script } from './scripted-upstream.ts';

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The frames of a JSON or an SSE body. */
  readonly frames: readonly Message[];
  /** The last of them: the answer. */
  readonly answer: Message;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Buffer;
}

const type = 'application/json';

/** Good headers for a body. */
export function headersFor(body: { readonly method: string; readonly params?: any }): Record<string, string> {
  const name = body.params?.name ?? body.params?.uri;
  return {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': body.method,
    ...(['tools/call', 'prompts/get', 'resources/read'].includes(body.method) && {
      'Mcp-Name': String(name),
    }),
  };
}

function framesIn(text: string, contentType: string): Message[] {
  if (contentType.startsWith(type)) return text === '' ? [] : [JSON.parse(text)];
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

/** A face on any free port of loopback. */
export function localFace(bridge: Bridge, more: Partial<HttpFaceOptions> = {}): HttpFace {
  return new HttpFace({
    bridge,
    host: '127.0.0.1',
    port: 0,
    path: '/mcp',
    isLoopback: true,
    allowedHosts: [],
    allowedOrigins: [],
    log: silentLogger,
    ...more,
  });
}

export class HttpHarness {
  readonly upstream: ScriptedUpstream;
  readonly clock = new ManualClock();
  readonly bridge: Bridge;
  readonly face: HttpFace;
  url = new URL('http://127.0.0.1');

  constructor(script: Script, options: Partial<BridgeOptions>, face: Partial<HttpFaceOptions>) {
    this.upstream = new ScriptedUpstream(script);
    this.bridge = new Bridge({ upstream: this.upstream, clock: this.clock, options });
    const { upstream, clock } = this;
    const legacy = {
      openRelay: relayTo(upstream, clock),
      maxSessions: 3,
      idleMs: 60_000,
      hasSse: true,
      clock,
    };
    this.face = localFace(this.bridge, { legacy, ...face });
  }

  async start(): Promise<this> {
    this.url = new URL(await this.face.listen());
    return this;
  }

  async stop(): Promise<void> {
    const closed = this.bridge.close(0);
    this.clock.advance(0);
    await closed;
    await this.face.closeLegacy(0);
    await this.face.close();
  }

  /** Opens a request; the caller reads or destroys the response. */
  open({ method = 'POST', path = '/mcp', headers = {}, body = '' }: RawRequest): {
    sent: ClientRequest;
    response: Promise<IncomingMessage>;
  } {
    const { hostname, port } = this.url;
    const all: RawRequest['headers'] = {
      'Content-Type': type,
      Accept: `${type}, text/event-stream`,
      ...headers,
    };
    const given = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const sent = request({ hostname, port, method, path, headers: given, agent: false });
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve);
      sent.on('error', reject);
    });
    sent.end(body);
    return { sent, response };
  }

  async send(raw: RawRequest, requestMethod?: string): Promise<HttpReply> {
    const response = await this.open(raw).response;
    response.setEncoding('utf8');
    let text = '';
    for await (const chunk of response) text += chunk as string;
    const frames = framesIn(text, response.headers['content-type'] ?? '');
    for (const frame of frames)
      checkModernFrame(frame, frame.method === undefined ? requestMethod : undefined);
    return { status: response.statusCode!, headers: response.headers, text, frames, answer: frames.at(-1)! };
  }

  /** A good request. */
  post(
    method: string,
    params: object = {},
    more: { headers?: RawRequest['headers']; meta?: object; capabilities?: object; id?: unknown } = {},
  ): Promise<HttpReply> {
    const { id = 1, meta = {}, capabilities, headers = {} } = more;
    const body = {
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...metadata(capabilities), ...meta } },
    };
    return this.send({ headers: { ...headersFor(body), ...headers }, body: JSON.stringify(body) }, method);
  }
}
