// What every way to a server must keep, whatever the wire under it: run over each of them.
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { find, stringMember, text, valueOf, type Frame } from '../../src/jsonrpc/frame.ts';
import type { Link, Upstream } from '../../src/upstream/port.ts';

export interface Contract {
  /** Messages over `maxMessageBytes` are over the limit. */
  readonly start: (maxMessageBytes: number) => Promise<{ upstream: Upstream; stop: () => Promise<void> }>;
  /** An oversize message ends the link, as there is no reading on behind it. */
  readonly endsOnOversize?: boolean;
}

interface Answer {
  readonly frame?: Frame;
  readonly lost?: string;
}

class Peer {
  readonly notifications: number[] = [];
  readonly closed: string[] = [];
  readonly oversized: Buffer[] = [];
  readonly link: Link;
  isSending = false;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private nextId = 1;

  constructor(upstream: Upstream) {
    this.link = upstream.open({
      onFrame: (frame, origin) => {
        expect(this.isSending, 'a handler was called from inside send').toBe(false);
        this.onFrame(frame, origin);
      },
      onOversize: (start, origin) => {
        this.oversized.push(start);
        // Without a stream for each request only the first bytes tell whose it was.
        const id = origin ?? Number(/"id":(\d+)/.exec(start.toString('latin1'))?.[1]);
        this.settle(id, { lost: 'oversize' });
      },
      onStreamEnd: (id, reason) => {
        this.settle(id, { lost: reason });
      },
      onSessionGone: () => undefined,
      onClosed: (reason) => {
        this.closed.push(reason);
        for (const id of [...this.waiting.keys()]) this.settle(id, { lost: reason });
      },
    });
  }

  request(method: string, params: object = {}): Promise<Answer> {
    const id = this.nextId;
    this.nextId += 1;
    const answer = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.isSending = true;
    // In pieces, as frames come out of an edit.
    this.link.send(
      [
        text(`{"jsonrpc":"2.0","id":${String(id)},"method":"${method}",`),
        text(`"params":${JSON.stringify(params)}}`),
      ],
      id,
    );
    this.isSending = false;
    return answer;
  }

  private settle(id: number, answer: Answer): void {
    this.waiting.get(id)?.(answer);
    this.waiting.delete(id);
  }

  private onFrame(frame: Frame, origin: number | undefined): void {
    if (stringMember(frame.bytes, frame.members, 'method') === 'notifications/count') {
      this.notifications.push(
        (valueOf(frame.bytes, find(frame.members, 'params')!) as { count: number }).count,
      );
      return;
    }
    const id = find(frame.members, 'id');
    const number = id === undefined ? origin : valueOf(frame.bytes, id);
    if (typeof number === 'number') this.settle(number, { frame });
  }
}

const resultOf = ({ frame, lost }: Answer): any => {
  if (frame === undefined) throw new Error(`no answer: ${lost ?? ''}`);
  return valueOf(frame.bytes, find(frame.members, 'result')!);
};

export function describeLink(name: string, { start, endsOnOversize = false }: Contract): void {
  const open = async (maxMessageBytes = 16 * 1024 * 1024): Promise<Peer> => {
    const { upstream, stop } = await start(maxMessageBytes);
    const peer = new Peer(upstream);
    onTestFinished(async () => {
      await peer.link.close();
      await stop();
    });
    resultOf(await peer.request('initialize'));
    peer.link.negotiated?.('2025-11-25');
    peer.link.send([text('{"jsonrpc":"2.0","method":"notifications/initialized"}')]);
    return peer;
  };

  describe(name, () => {
    it('brings what the server sends in its order', async () => {
      const peer = await open();
      resultOf(await peer.request('burst', { count: 500 }));
      expect(peer.notifications).toEqual(Array.from({ length: 500 }, (_, index) => index));
    });

    it('brings all of what is sent at once', async () => {
      const peer = await open();
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => peer.request(`method-${String(index)}`)),
      );
      expect(answers.map((answer) => resultOf(answer).method)).toEqual(
        answers.map((_, index) => `method-${String(index)}`),
      );
    });

    it('keeps what a server that does not read is sent', async () => {
      const peer = await open();
      const slow = peer.request('stop reading', { ms: 150 });
      const texts = Array.from({ length: 40 }, (_, index) =>
        String.fromCharCode(97 + (index % 26)).repeat(100_000),
      );
      const answers = await Promise.all(texts.map((each) => peer.request('digest', { text: each })));
      await slow;
      expect(answers.map((answer) => resultOf(answer).digest)).toEqual(
        texts.map((each) => createHash('sha256').update(each).digest('hex')),
      );
    });

    it('brings a large message whole, wherever its characters are cut', async () => {
      const peer = await open();
      expect(resultOf(await peer.request('big', { length: 700_000 })).text).toBe('é🧪'.repeat(700_000));
    });

    it('reads little while it is paused, and everything afterwards', async () => {
      const [peer, other] = [await open(), await open()];
      peer.link.pause?.();
      let count = 0;
      const answers = Array.from({ length: 4 }, async () => {
        const answer = await peer.request('big', { length: 700_000 });
        count += 1;
        return answer;
      });
      // What another has got by now, this one would have as well.
      for (let turn = 0; turn < 4; turn += 1) await other.request('big', { length: 700_000 });
      expect(count).toBe(0);
      peer.link.resume?.();
      for (const answer of await Promise.all(answers)) expect(resultOf(answer).text).toHaveLength(2_100_000);
    });

    it('is not stopped by what is no frame', async () => {
      const peer = await open();
      expect(resultOf(await peer.request('garbage'))).toEqual({});
      expect(resultOf(await peer.request('after')).method).toBe('after');
    });

    it('throws a message over the limit away and says so', async () => {
      const peer = await open(100_000);
      const big = await peer.request('big', { length: 100_000 });
      if (endsOnOversize) {
        expect(peer.closed).toHaveLength(1);
        expect(peer.closed[0]).toContain('size limit');
        return;
      }
      expect(big).toEqual({ lost: 'oversize' });
      expect(peer.oversized).toHaveLength(1);
      expect(peer.oversized[0]!.toString('latin1')).toContain('"jsonrpc":"2.0","id":2');
      expect(resultOf(await peer.request('after')).method).toBe('after');
    });

    it('says once, to each that waits, that the server has gone', async () => {
      const peer = await open();
      const waiting = [peer.request('die'), peer.request('after')];
      const [died] = await Promise.all(waiting);
      expect(died!.lost).toEqual(expect.any(String));
      expect(peer.closed.length).toBeLessThanOrEqual(1);
    });

    it('may be closed twice, and is silent from then on', async () => {
      const peer = await open();
      const waiting = peer.request('stop reading', { ms: 1 });
      await Promise.all([peer.link.close(), peer.link.close()]);
      await peer.link.close();
      await waiting;
      expect(peer.closed).toHaveLength(1);
      peer.link.send([text('{"jsonrpc":"2.0","method":"late"}')]);
    });
  });
}
