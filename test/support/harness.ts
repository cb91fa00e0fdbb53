// The whole bridge in one process: a scripted legacy server behind it, a modern client before it, and a clock between
// them that the test moves. Every frame that the client gets is checked against the revision's shapes.
import { PassThrough } from 'node:stream';
import { Bridge, type BridgeParts } from '../../src/bridge/bridge.ts';
import { StdioFace } from '../../src/faces/stdio.ts';
import { silentLogger } from '../../src/log.ts';
import { ManualClock } from './manual-clock.ts';
import { checkModernFrame } from './modern-shapes.ts';
import { ScriptedUpstream, type Message, type Script } from './scripted-upstream.ts';

export const metadata = (
  capabilities: object = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
): object => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

export interface SentRequest {
  readonly method: string;
  readonly params?: object;
  readonly capabilities?: object;
  /** More members of `_meta`. */
  readonly meta?: object;
  readonly id?: string | number;
}

/** Lets everything that is ready happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A modern client on the stdio face, inside the process. */
export class StdioClient {
  readonly received: Message[] = [];
  readonly lines: string[] = [];
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly face: StdioFace;
  /** Off only where a server's garbage has to come through as it is. */
  isChecking = true;
  private readonly methods = new Map<string, string>();
  private readonly waiting = new Map<string, (message: Message) => void>();
  private readonly listeners = new Set<() => void>();
  private nextId = 0;

  constructor(bridge: Bridge, maxMessageBytes = 4 * 1024 * 1024) {
    this.face = new StdioFace({
      bridge,
      input: this.input,
      output: this.output,
      maxMessageBytes,
      log: silentLogger,
    });
    let rest = '';
    this.output.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n');
      rest = parts.pop()!;
      for (const line of parts) this.take(line);
    });
  }

  write(line: string | Buffer): void {
    this.input.write(line);
  }

  /** Sends a request; resolves to the frame that answers it. */
  request(request: SentRequest): Promise<Message> {
    return this.send(request).answer;
  }

  send({ method, params = {}, capabilities, meta = {}, id = this.nextId++ }: SentRequest): {
    readonly id: string | number;
    readonly answer: Promise<Message>;
  } {
    const key = JSON.stringify(id);
    this.methods.set(key, method);
    const answer = new Promise<Message>((resolve) => this.waiting.set(key, resolve));
    const _meta = { ...metadata(capabilities), ...meta };
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`);
    return { id, answer };
  }

  call(
    name: string,
    args: object = {},
    more: Partial<SentRequest> & { readonly params?: object } = {},
  ): Promise<Message> {
    return this.request({ ...more, method: 'tools/call', params: { name, arguments: args, ...more.params } });
  }

  /** Answers the questions of an `input_required` result by sending the same call again. */
  retry(
    asked: Message,
    name: string,
    args: object,
    inputResponses: object,
    more: Partial<SentRequest> = {},
  ): Promise<Message> {
    const { requestState } = asked.result;
    return this.call(name, args, { ...more, params: { inputResponses, requestState } });
  }

  cancel(requestId: string | number): void {
    this.write(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`,
    );
  }

  /** The first notification of that method, received already or to come. */
  async notification(method: string): Promise<Message> {
    for (;;) {
      const index = this.received.findIndex((message) => message.method === method);
      if (index !== -1) return this.received.splice(index, 1)[0]!;
      await new Promise<void>((resolve) => {
        const once = (): void => {
          this.listeners.delete(once);
          resolve();
        };
        this.listeners.add(once);
      });
    }
  }

  private take(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line) as Message;
    const key = JSON.stringify(message.id);
    if (this.isChecking)
      checkModernFrame(message, message.method === undefined ? this.methods.get(key) : undefined);
    this.received.push(message);
    if (message.method === undefined) {
      this.waiting.get(key)?.(message);
      this.waiting.delete(key);
      this.methods.delete(key);
    }
    for (const listener of [...this.listeners]) listener();
  }
}

export interface Harness {
  readonly upstream: ScriptedUpstream;
  readonly clock: ManualClock;
  readonly bridge: Bridge;
  readonly client: StdioClient;
}

export function createHarness(script: Script = {}, options: BridgeParts['options'] = {}): Harness {
  const upstream = new ScriptedUpstream(script);
  const clock = new ManualClock();
  const bridge = new Bridge({ upstream, clock, options });
  return { upstream, clock, bridge, client: new StdioClient(bridge) };
}

/** A harness whose legacy session is open. */
export async function openHarness(
  script: Script = {},
  options: BridgeParts['options'] = {},
): Promise<Harness> {
  const harness = createHarness(script, options);
  await harness.client.request({ method: 'server/discover' });
  return harness;
}

/** Lets what was asked be shown: the parking window closes. */
export async function closeWindow({ clock }: Pick<Harness, 'clock'>): Promise<void> {
  await settled();
  clock.advance(25);
  await settled();
}

export const form = (...names: readonly string[]): object => ({
  message: 'Please answer',
  requestedSchema: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  },
});
