// One contract, four wires.
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/clock.ts';
import { silentLogger as log } from '../../src/log.ts';
import { noCredentials } from '../../src/upstream/credentials.ts';
import { createStdioUpstream } from '../../src/upstream/stdio.ts';
import { createWebSocketUpstream } from '../../src/upstream/websocket.ts';
import { describeLink } from '../suites/link-contract.ts';
import { httpSseHost, streamableHttpHost, webSocketHost } from '../support/contract-hosts.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { httpUpstream } from '../support/upstream-harness.ts';

describeLink('stdio', {
  start: (maxMessageBytes) =>
    Promise.resolve({
      upstream: createStdioUpstream({
        command: process.execPath,
        args: [fileURLToPath(new URL('../fixtures/contract-stdio.js', import.meta.url))],
        env: {},
        cwd: undefined,
        maxMessageBytes,
        log,
        hurry: new AbortController().signal,
      }),
      stop: () => Promise.resolve(),
    }),
});

describeLink('Streamable HTTP', {
  start: async (maxMessageBytes) => {
    const { url, stop } = await streamableHttpHost();
    return { upstream: httpUpstream(url, new ManualClock(), { maxMessageBytes }), stop };
  },
});

describeLink('HTTP+SSE', {
  start: async (maxMessageBytes) => {
    const { url, stop } = await httpSseHost();
    return { upstream: httpUpstream(url, new ManualClock(), { maxMessageBytes }), stop };
  },
});

describeLink('WebSocket', {
  endsOnOversize: true,
  start: async (maxMessageBytes) => {
    const { url, stop } = await webSocketHost();
    const upstream = createWebSocketUpstream({
      url,
      clock: systemClock,
      log,
      credentials: noCredentials,
      maxMessageBytes,
      connectTimeoutMs: 5000,
      ca: undefined,
      agent: undefined,
    });
    return { upstream, stop };
  },
});
