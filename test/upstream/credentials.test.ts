// What a server wants to see with every request, and where that may go.
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { combine, type Credentials } from '../../src/upstream/credentials.ts';
import {
  fileHeaders,
  fixedHeaders,
  parseHeaderFile,
  parseHeaderLines,
} from '../../src/upstream/header-lines.ts';
import { proxyFor } from '../../src/upstream/proxy.ts';
import { FakeHttpServer, type Exchange } from '../support/fake-http-server.ts';
import { FakeSseServer } from '../support/fake-sse-server.ts';
import {
  httpHarness,
  httpUpstream,
  harnessOf,
  isCall,
  setupHttp,
  textOf,
} from '../support/upstream-harness.ts';
import { ManualClock } from '../support/manual-clock.ts';

const canary = 'canary-1f2e3d';
const secretHeaders = fixedHeaders({ authorization: `Bearer ${canary}`, 'x-api-key': canary });

describe('header lines', () => {
  it('go with every request, whatever its kind', async () => {
    const { client, server, bridge } = await setupHttp({}, { credentials: secretHeaders });
    await client.call('one');
    await server.until(() => server.count('GET') === 1);
    await bridge.close(0);
    expect(server.count('DELETE')).toBe(1);
    for (const { headers } of server.requests) expect(headers['x-api-key']).toBe(canary);
  });

  it('are of a form that no header can be smuggled in', () => {
    expect(parseHeaderLines(['X-A: b', 'x-c:d ', 'Cookie: a=b; c=d'])).toEqual({
      'x-a': 'b',
      'x-c': 'd',
      cookie: 'a=b; c=d',
    });
    for (const line of [
      'X-A',
      ': b',
      'X A: b',
      'X-A: b\nX-C: d',
      'X-A: b\r',
      'X-A: \u0000',
      'X-A: \u4e2d',
      'Content-Length: 0',
    ])
      expect(() => parseHeaderLines([line]), line).toThrow();
    expect(parseHeaderFile('# comment\n\nX-A: b\r\nX-C: d\n')).toEqual({ 'x-a': 'b', 'x-c': 'd' });
  });

  it('from a file are read again when the server refuses them, once for all who were refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-bridge-headers-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const file = join(folder, 'headers');
    writeFileSync(file, 'Authorization: Bearer old\n');
    let valid = 'Bearer old';
    let readCount = 0;
    const credentials = fileHeaders(() => {
      readCount += 1;
      return parseHeaderFile(readFileSync(file, 'utf8'));
    });
    const { client, server } = await setupHttp(
      {
        on: ({ headers, response }) => {
          if (headers.authorization === valid) return false;
          response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
          return true;
        },
      },
      { credentials },
    );
    await client.call('first');
    valid = 'Bearer new';
    writeFileSync(file, 'Authorization: Bearer new\n');
    const names = Array.from({ length: 10 }, (_, index) => `tool-${String(index)}`);
    const answers = await Promise.all(names.map((name) => client.call(name)));
    expect(answers.map(textOf)).toEqual(names.map((name) => `${name} has run`));
    expect(readCount).toBe(2);
    expect(names.map((name) => server.runs.get(name))).toEqual(names.map(() => 1));

    valid = 'Bearer never';
    const refused = server.count('tools/call');
    const { error } = await client.call('refused');
    expect(error).toMatchObject({ code: -32603, data: { reason: 'upstream_no_answer' } });
    expect(error.message).toContain('HTTP 401');
    expect(server.count('tools/call')).toBe(refused + 1);
  });

  it('of several sources count together, the later ones first', () => {
    const both = combine(fixedHeaders({ a: '1', b: '1' }), fixedHeaders({ b: '2' }));
    expect(both.headers()).toEqual({ a: '1', b: '2' });
    expect(both.headers()).toBe(both.headers());
  });
});

describe('a canary in the headers', () => {
  it('does not follow a redirect to another port, by whatever status', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const other = await new FakeHttpServer().start();
      const { client, server } = await setupHttp(
        {
          on: (exchange) => {
            if (!isCall(exchange)) return false;
            exchange.response.writeHead(status, { location: other.url.href }).end();
            return true;
          },
        },
        { credentials: secretHeaders },
      );
      const { error } = await client.call('one');
      expect(error.data.reason).toBe('upstream_no_answer');
      expect(error.message).not.toContain(other.url.port);
      expect(other.requests).toEqual([]);
      expect(server.count('tools/call')).toBe(1);
      await other.stop();
    }
  });

  it('follows a 307 and a 308 at home, with the method, the body and the session', async () => {
    for (const status of [307, 308]) {
      const { client, server } = await setupHttp(
        {
          on: ({ path, response }: Exchange) => {
            if (path === '/mcp/') return false;
            response.writeHead(status, { location: '/mcp/' }).end();
            return true;
          },
        },
        { credentials: secretHeaders },
      );
      expect(textOf(await client.call('one'))).toBe('one has run');
      const calls = server.requests.filter(({ message }) => message.method === 'tools/call');
      expect(calls.map(({ path, method }) => [path, method])).toEqual([['/mcp/', 'POST']]);
    }
  });

  it('goes round in no circle', async () => {
    const { client, server } = await setupHttp({
      on: ({ path, response }) => {
        response.writeHead(307, { location: `${path}x` }).end();
        return true;
      },
    });
    expect((await client.call('one')).error.data.reason).toBe('upstream_unavailable');
    expect(server.requests).toHaveLength(6);
  });

  it('does not turn a POST into a GET', async () => {
    const { client, server } = await setupHttp({
      on: (exchange) => {
        if (!isCall(exchange)) return false;
        exchange.response.writeHead(302, { location: '/elsewhere' }).end();
        return true;
      },
    });
    expect((await client.call('one')).error.data.reason).toBe('upstream_no_answer');
    expect(server.requests.some(({ path }) => path === '/elsewhere')).toBe(false);
  });

  it('goes to no endpoint of another origin', async () => {
    const other = await new FakeSseServer().start();
    const server = await new FakeSseServer({
      endpoint: `http://127.0.0.1:${String(other.port)}/messages`,
    }).start();
    const harness = httpHarness(server.url, { credentials: secretHeaders });
    onTestFinished(async () => {
      await harness.close();
      await server.stop();
      await other.stop();
    });
    await harness.client.call('one');
    expect(other.requests).toEqual([]);
    expect(server.requests.every(({ headers }) => headers['x-api-key'] === canary)).toBe(true);
  });

  it('is in no error and no line of the log, at any level', async () => {
    const lines: unknown[] = [];
    const write = (fields: object, message: string): void => void lines.push([fields, message]);
    const server = await new FakeHttpServer({
      on: ({ response, message }) => {
        if (message.method === 'initialize') return false;
        response.writeHead(500).end(`no: ${canary}`);
        return true;
      },
    }).start();
    const url = new URL(`${server.url.href}?token=${canary}`);
    const harness = httpHarness(url, {
      credentials: secretHeaders,
      log: { debug: write, info: write, warn: write, error: write },
    });
    const answers = [await harness.client.call('one')];
    await server.stop();
    answers.push(await harness.client.call('two'));
    await harness.close();
    expect(server.requests[0]!.path).toContain(canary);
    expect(JSON.stringify([lines, answers])).not.toContain(canary);
    expect(lines.length).toBeGreaterThan(0);
  });

  it('of one principal never goes with the requests of another', async () => {
    const server = await new FakeHttpServer().start();
    const principals = ['alice', 'bob'].map((name) => {
      const credentials: Credentials = fixedHeaders({ authorization: `Bearer ${name}` });
      const clock = new ManualClock();
      return { name, ...harnessOf(httpUpstream(server.url, clock, { credentials }), clock) };
    });
    onTestFinished(async () => {
      for (const { close } of principals) await close();
      await server.stop();
    });
    for (let round = 0; round < 10; round += 1)
      await Promise.all(principals.map(({ client, name }) => client.call(`tool-of-${name}`)));
    const sessions = new Map<string, Set<string>>();
    for (const { headers, message } of server.requests) {
      const name = headers.authorization!.slice('Bearer '.length);
      const session = headers['mcp-session-id'] as string | undefined;
      if (session !== undefined) sessions.set(name, (sessions.get(name) ?? new Set()).add(session));
      if (message.method === 'tools/call') expect(message.params.name).toBe(`tool-of-${name}`);
    }
    expect([...sessions.values()].map((each) => each.size)).toEqual([1, 1]);
    expect(new Set([...sessions.values()].flatMap((each) => [...each])).size).toBe(2);
  });
});

describe('a proxy of the environment', () => {
  const proxies = {
    http: 'http://p:1',
    https: 'http://s:2',
    except: 'localhost, .internal.example *.wild.example host:8080',
  };

  it.each([
    ['http://a.example/', 'http://p:1'],
    ['https://a.example/', 'http://s:2'],
    ['ws://a.example/', 'http://p:1'],
    ['wss://a.example/', 'http://s:2'],
    ['http://localhost:3000/', undefined],
    ['https://x.internal.example/', undefined],
    ['https://internal.example/', undefined],
    ['https://notinternal.example/', 'http://s:2'],
    ['https://a.wild.example/', undefined],
    ['http://host:8080/', undefined],
    ['http://host/', 'http://p:1'],
  ])('for %s', (url, proxy) => {
    expect(proxyFor(new URL(url), proxies)).toBe(proxy);
  });

  it('is none where nothing or * is said', () => {
    const url = new URL('https://a.example/');
    expect(proxyFor(url, { http: undefined, https: undefined, except: undefined })).toBeUndefined();
    expect(proxyFor(url, { http: undefined, https: '', except: undefined })).toBeUndefined();
    expect(proxyFor(url, { ...proxies, except: '*' })).toBeUndefined();
  });

  it('is gone through', async () => {
    const tunnels: string[] = [];
    const proxy: Server = createServer((_, response) => response.writeHead(500).end());
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url!);
      const [host, port] = request.url!.split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const uri = `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const { client, server } = await setupHttp(
      {},
      { proxies: { http: uri, https: undefined, except: undefined } },
    );
    expect(textOf(await client.call('one'))).toBe('one has run');
    expect(new Set(tunnels)).toEqual(new Set([server.url.host]));
  });
});
