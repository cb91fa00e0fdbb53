// A legacy server that answers every call at once with the marker that the call brought, and counts what it ran.
import { join, parseFrame } from '../../src/jsonrpc/frame.ts';
import type { Link, LinkHandlers, Upstream } from '../../src/upstream/port.ts';
import type { Message } from '../support/scripted-upstream.ts';

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {
    tools: { listChanged: true },
    prompts: {},
    resources: { subscribe: true },
    completions: {},
    logging: {},
  },
  serverInfo: { name: 'echo', version: '1' },
};

export class EchoUpstream implements Upstream {
  readonly label = 'echo';
  /** How often each marker was run. */
  readonly runs = new Map<unknown, number>();

  open(handlers: LinkHandlers): Link {
    return {
      send: (frame) => {
        // Throws on what is no JSON: the bridge must never write that.
        const { id, method, params } = JSON.parse(join(frame).toString('utf8')) as Message;
        if (id === undefined || method === undefined) return;
        const parsed = parseFrame(
          Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: this.resultOf(method, params) })),
        );
        if (!parsed.ok) throw new Error('the server of the test says something that is no frame');
        queueMicrotask(() => {
          handlers.onFrame(parsed.frame);
        });
      },
      close: () => {
        handlers.onClosed('closed');
        return Promise.resolve();
      },
    };
  }

  private resultOf(method: string, params: any): object {
    if (method === 'initialize') return hello;
    if (method === 'tools/list') return { tools: [] };
    if (method !== 'tools/call') return {};
    const marker = params.arguments?.marker ?? null;
    this.runs.set(marker, (this.runs.get(marker) ?? 0) + 1);
    return { content: [{ type: 'text', text: JSON.stringify(marker) }] };
  }
}
