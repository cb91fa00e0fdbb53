// A bridge in front of a server over a real socket: a modern client before it, and a clock for the transport alone.
import { Bridge, type BridgeParts } from '../../src/bridge/bridge.ts';
import { silentLogger, type Logger } from '../../src/log.ts';
import { noCredentials, type Credentials } from '../../src/upstream/credentials.ts';
import { createHttpUpstream } from '../../src/upstream/http.ts';
import type { ProxySettings } from '../../src/upstream/proxy.ts';
import type { Upstream } from '../../src/upstream/port.ts';
import { onTestFinished } from 'vitest';
import { FakeHttpServer, type Exchange, type FakeScript } from './fake-http-server.ts';
import { StdioClient } from './harness.ts';
import type { LocalServer } from './local-server.ts';
import { ManualClock } from './manual-clock.ts';

export interface UpstreamHarness {
  readonly bridge: Bridge;
  readonly client: StdioClient;
  /** Of the transport: its delays and patience. The bridge's own clock runs. */
  readonly clock: ManualClock;
  readonly upstream: Upstream;
  readonly close: () => Promise<void>;
}

export interface HarnessOptions {
  readonly credentials?: Credentials;
  readonly maxMessageBytes?: number;
  readonly bridge?: BridgeParts['options'];
  readonly log?: Logger;
  readonly proxies?: ProxySettings;
  readonly ca?: readonly string[] | undefined;
}

export function httpUpstream(url: URL, clock: ManualClock, options: HarnessOptions = {}): Upstream {
  return createHttpUpstream({
    url,
    clock,
    log: options.log ?? silentLogger,
    credentials: options.credentials ?? noCredentials,
    maxMessageBytes: options.maxMessageBytes ?? 1024 * 1024,
    hurry: new AbortController().signal,
    ca: options.ca,
    proxies: options.proxies ?? { http: undefined, https: undefined, except: undefined },
    connectTimeoutMs: 5000,
  });
}

export function harnessOf(
  upstream: Upstream,
  clock: ManualClock,
  options: HarnessOptions = {},
): UpstreamHarness {
  const bridge = new Bridge({ upstream, ...(options.bridge && { options: options.bridge }) });
  return {
    bridge,
    client: new StdioClient(bridge),
    clock,
    upstream,
    close: () => bridge.close(0),
  };
}

export function httpHarness(url: URL, options: HarnessOptions = {}): UpstreamHarness {
  const clock = new ManualClock();
  return harnessOf(httpUpstream(url, clock, options), clock, options);
}

export interface HttpSetup extends UpstreamHarness {
  readonly server: FakeHttpServer;
}

/** A bridge in front of a fake server that has started, until the test is over. */
export function setupBefore<Server extends LocalServer & { readonly url: URL }>(
  server: Server,
  options: HarnessOptions = {},
): UpstreamHarness & { readonly server: Server } {
  const harness = httpHarness(server.url, options);
  onTestFinished(async () => {
    await harness.close();
    await server.stop();
  });
  return { ...harness, server };
}

export async function setupHttp(script: FakeScript = {}, options: HarnessOptions = {}): Promise<HttpSetup> {
  return setupBefore(await new FakeHttpServer(script).start(), options);
}

export const textOf = (answer: any): string => answer.result.content[0].text;

export const isCall = ({ message }: Exchange): boolean => message.method === 'tools/call';
