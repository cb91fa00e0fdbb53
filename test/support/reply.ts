// A response under way, and what a legacy client says and hears over HTTP.
import type { HttpHarness, RawRequest } from './http-harness.ts';

/** A response under way: its status and headers, and what has come of its body. */
export class Reply {
  status = 0;
  headers: Record<string, any> = {};
  text = '';
  readonly ended: Promise<this>;
  readonly begun: Promise<this>;
  private readonly destroy: () => void;

  constructor(harness: HttpHarness, raw: RawRequest) {
    const { sent, response } = harness.open(raw);
    this.destroy = () => sent.destroy();
    this.begun = response.then((incoming) => {
      this.status = incoming.statusCode!;
      this.headers = incoming.headers;
      incoming.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
      return this;
    });
    this.ended = response.then(async (incoming) => {
      await new Promise((resolve) => incoming.on('close', resolve));
      return this;
    });
    for (const promise of [this.begun, this.ended]) promise.catch(() => undefined);
  }

  get events(): string[] {
    return this.text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  }

  cut(): void {
    this.destroy();
  }
}

export const payload = '{"big":12345678901234567890,"one":1.0,"a":1,"a":2,"u":"\\u00e9\\/\\ud83d","n":null}';
export const call = (id: unknown, more = ''): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"t"${more}}}`;
export const result = (id: unknown, value = '{}'): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${value}}`;
export const note = (n: number): string =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${String(n)}}}`;
export const question = '{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"?"}}';
