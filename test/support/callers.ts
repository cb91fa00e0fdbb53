// Callers of several parties on one bridge: what a face with tokens would tell the bridge.
import type { Bridge } from '../../src/bridge/bridge.ts';
import { join } from '../../src/jsonrpc/frame.ts';
import { requestWith } from './frames.ts';
import type { Message } from './scripted-upstream.ts';

export interface Served {
  /** The frame that answers, without its envelope. */
  readonly outcome: Promise<Message>;
  readonly cancel: () => void;
}

/** A tools/call presented by a party; `params` is more text inside the params. */
export function serveAs(bridge: Bridge, domain: string, tool: string, params = ''): Served {
  let cancel = (): void => undefined;
  const outcome = new Promise<Message>((resolve) => {
    const request = requestWith('tools/call', `"name":"${tool}","arguments":{}${params}`);
    cancel = bridge.serve(
      request,
      { domain, principal: domain },
      {
        notify: () => undefined,
        answer: ({ kind, body }) => {
          resolve({ [kind]: JSON.parse(join(body).toString('utf8')) });
        },
        canTakeMore: () => true,
        onceDrained: () => undefined,
      },
    );
  });
  return { outcome, cancel };
}

/** The same call again, with answers to what it was asked. */
export function retryAs(
  bridge: Bridge,
  domain: string,
  tool: string,
  shown: Message,
  responses: object,
): Served {
  const state = JSON.stringify(shown.result.requestState);
  return serveAs(
    bridge,
    domain,
    tool,
    `,"requestState":${state},"inputResponses":${JSON.stringify(responses)}`,
  );
}
