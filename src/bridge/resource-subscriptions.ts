// The bridge's own subscriptions at the legacy server: one for each URI, however many listeners want it.
// spec 2025-11-25 server/resources#subscriptions
import type { Clock } from '../clock.ts';
import { find, toBytes, type Chunks } from '../jsonrpc/frame.ts';
import type { Session } from '../session/session.ts';
import { ask } from './own-request.ts';

interface Subscription {
  count: number;
  isHonoured: Promise<boolean>;
}

const patienceMs = 10_000;

export class ResourceSubscriptions {
  private readonly clock: Clock;
  private readonly byUri = new Map<string, Subscription>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Resolves to whether the server honours it; a refused URI counts for nothing and need not be given back. */
  async acquire(session: Session, uri: string): Promise<boolean> {
    let subscription = this.byUri.get(uri);
    if (subscription === undefined) {
      subscription = { count: 0, isHonoured: this.send(session, 'resources/subscribe', uri) };
      this.byUri.set(uri, subscription);
    }
    subscription.count += 1;
    const isHonoured = await subscription.isHonoured;
    if (!isHonoured && this.byUri.get(uri) === subscription) this.byUri.delete(uri);
    return isHonoured;
  }

  /** Gives one share of a URI back; with the last one the server is told. */
  release(session: Session | undefined, uri: string): void {
    const subscription = this.byUri.get(uri);
    if (subscription === undefined) return;
    subscription.count -= 1;
    if (subscription.count > 0) return;
    this.byUri.delete(uri);
    if (session !== undefined) void this.send(session, 'resources/unsubscribe', uri);
  }

  /** The session was replaced: what was subscribed is subscribed again. */
  restore(session: Session): void {
    for (const [uri, subscription] of this.byUri)
      subscription.isHonoured = this.send(session, 'resources/subscribe', uri);
  }

  private async send(session: Session, method: string, uri: string): Promise<boolean> {
    const build = (id: number): Chunks => [toBytes({ jsonrpc: '2.0', id, method, params: { uri } })];
    const answer = await ask(session, build, { clock: this.clock, patienceMs });
    return typeof answer !== 'string' && find(answer.members, 'error') === undefined;
  }
}
