// All subscriptions/listen streams of one upstream, fed by its sessions' notifications.
// spec 2026-07-28 basic/patterns/subscriptions
import type { Clock } from '../clock.ts';
import { find, stringMember, type Frame } from '../jsonrpc/frame.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { ServerProfile } from '../protocol/server-profile.ts';
import type { SessionPool } from '../session/pool.ts';
import type { Session } from '../session/session.ts';
import { parseFilter, type SubscriptionFilter } from '../translate/subscription-up.ts';
import { Listener, type Change } from './listener.ts';
import type { ListenResponder } from './outcome.ts';
import { tooManyUris } from '../protocol/refusals.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

const retryMs = 5000;
/** Each is a request to the server. */
const maxUris = 1000;

/** What a server's notification says has changed. */
export function changeOf(method: string, frame: Frame): Change | undefined {
  switch (method) {
    case 'notifications/tools/list_changed':
      return { kind: 'tools' };
    case 'notifications/prompts/list_changed':
      return { kind: 'prompts' };
    case 'notifications/resources/list_changed':
      return { kind: 'resources' };
    case 'notifications/resources/updated': {
      const uri = stringMember(frame.bytes, find(frame.members, 'params')?.members, 'uri');
      return uri === undefined ? undefined : { kind: 'resource', uri };
    }
    default:
      return undefined;
  }
}

export class Subscriptions {
  private readonly clock: Clock;
  private readonly pool: SessionPool;
  private readonly listeners = new Set<Listener>();
  /** Those that hold shares of their URIs. */
  private readonly acknowledged = new WeakSet<Listener>();
  private readonly resources: ResourceSubscriptions;
  private isEnding = false;

  constructor(clock: Clock, pool: SessionPool) {
    this.clock = clock;
    this.pool = pool;
    this.resources = new ResourceSubscriptions(clock);
  }

  /** Opens a stream. Returns how its client ends it. */
  listen(request: ModernRequest, session: Session, responder: ListenResponder): () => void {
    const { bytes } = request.frame;
    const notifications = find(request.params.members, 'notifications');
    if (notifications === undefined) return () => undefined;
    const filter = parseFilter(bytes, notifications);
    if (filter.uris.length > maxUris) throw tooManyUris(maxUris);
    const wanted = promised(filter, session.profile);
    const listener = new Listener(request.id.text, wanted, responder);
    this.listeners.add(listener);
    void this.open(listener, wanted, session);
    return () => {
      listener.cancel();
      this.remove(listener);
    };
  }

  /** A server has said that something has changed. */
  tell(change: Change, frame: Frame): void {
    for (const listener of this.listeners) listener.tell(change, frame);
  }

  /** A lost session was replaced: what was subscribed is subscribed again, and what may have been missed is told. */
  onReplaced(session: Session): void {
    this.resources.restore(session);
    for (const listener of this.listeners) listener.tellAll();
  }

  /** No session is left: listeners wait for news, so another is started without a call. */
  onLost(): void {
    if (this.isEnding || this.listeners.size === 0 || this.pool.current !== undefined) return;
    this.pool.primary().catch(() => {
      this.clock.after(retryMs, () => {
        this.onLost();
      });
    });
  }

  /** Ends all streams gracefully. */
  endAll(): void {
    this.isEnding = true;
    const serverInfo =
      this.pool.current?.profile.serverInfo ?? Buffer.from('{"name":"mcp-bridge","version":"0"}');
    for (const listener of this.listeners) listener.end(serverInfo);
    this.listeners.clear();
  }

  private async open(listener: Listener, wanted: SubscriptionFilter, session: Session): Promise<void> {
    const honoured = await Promise.all(wanted.uris.map((uri) => this.resources.acquire(session, uri)));
    const uris = wanted.uris.filter((_, index) => honoured[index] === true);
    if (listener.acknowledge({ ...wanted, uris }, session.profile.serverInfo)) {
      this.acknowledged.add(listener);
      return;
    }
    this.listeners.delete(listener);
    for (const uri of uris) this.resources.release(this.pool.current, uri);
  }

  private remove(listener: Listener): void {
    if (!this.listeners.delete(listener) || !this.acknowledged.has(listener)) return;
    for (const uri of listener.uris) this.resources.release(this.pool.current, uri);
  }
}

/** Only what the server promises can be honoured. */
function promised(filter: SubscriptionFilter, profile: ServerProfile): SubscriptionFilter {
  const { listChanged, subscribe } = profile;
  return {
    tools: filter.tools && listChanged.tools,
    prompts: filter.prompts && listChanged.prompts,
    resources: filter.resources && listChanged.resources,
    uris: subscribe ? filter.uris : [],
  };
}
