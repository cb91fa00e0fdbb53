// One subscriptions/listen stream: acknowledged first, then events of the kinds and URIs it asked for. A client that
// reads slowly holds no memory: what it could not be sent is remembered by kind, and told once.
import type { Frame } from '../jsonrpc/frame.ts';
import {
  isEmpty,
  toAcknowledgement,
  toEvent,
  toListenResult,
  type SubscriptionFilter,
} from '../translate/subscription-up.ts';
import type { ListenResponder } from './outcome.ts';

/** What has changed: a list, or one resource. */
export type Change =
  { readonly kind: 'tools' | 'prompts' | 'resources' } | { readonly kind: 'resource'; readonly uri: string };

export class Listener {
  private readonly responder: ListenResponder;
  private readonly id: Buffer;
  private filter: SubscriptionFilter;
  private state: 'opening' | 'open' | 'over' = 'opening';
  /** What is still to be told, by its own name. */
  private readonly missed = new Map<string, Change>();
  private isWaitingForDrain = false;

  /** `id` is the JSON text of the listen request's id. */
  constructor(id: Buffer, filter: SubscriptionFilter, responder: ListenResponder) {
    this.id = id;
    this.filter = filter;
    this.responder = responder;
  }

  get uris(): readonly string[] {
    return this.filter.uris;
  }

  /** Tells the client what it will be told of. With nothing to tell, the stream ends at once. True when it is open. */
  acknowledge(honoured: SubscriptionFilter, serverInfo: Buffer): boolean {
    if (this.state !== 'opening') return false;
    this.filter = honoured;
    this.state = 'open';
    this.responder.notify('notifications/subscriptions/acknowledged', toAcknowledgement(this.id, honoured));
    if (isEmpty(honoured)) {
      this.end(serverInfo);
      return false;
    }
    this.flush();
    return true;
  }

  /** Something has changed; `frame` is what the server said of it. */
  tell(change: Change, frame: Frame | undefined): void {
    if (this.state === 'over' || !this.wants(change)) return;
    if (this.state === 'open' && this.missed.size === 0 && this.responder.canTakeMore())
      this.send(change, frame);
    else this.miss(change);
  }

  /** Everything may have changed: the session was replaced. */
  tellAll(): void {
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.tell({ kind }, undefined);
    for (const uri of this.filter.uris) this.tell({ kind: 'resource', uri }, undefined);
  }

  /** The bridge ends the stream. */
  end(serverInfo: Buffer): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.responder.answer({ kind: 'result', body: toListenResult(this.id, serverInfo) });
  }

  /** The client has ended it: nothing is sent any more. */
  cancel(): void {
    this.state = 'over';
  }

  private wants(change: Change): boolean {
    return change.kind === 'resource' ? this.filter.uris.includes(change.uri) : this.filter[change.kind];
  }

  private miss(change: Change): void {
    this.missed.set(change.kind === 'resource' ? `resource ${change.uri}` : change.kind, change);
    if (this.state !== 'open' || this.isWaitingForDrain) return;
    this.isWaitingForDrain = true;
    this.responder.onceDrained(() => {
      this.isWaitingForDrain = false;
      this.flush();
    });
  }

  private flush(): void {
    for (const [name, change] of this.missed) {
      if (this.state !== 'open') return;
      this.missed.delete(name);
      if (!this.responder.canTakeMore()) {
        this.miss(change);
        return;
      }
      this.send(change, undefined);
    }
  }

  private send(change: Change, frame: Frame | undefined): void {
    const uri = change.kind === 'resource' ? change.uri : undefined;
    const method =
      change.kind === 'resource'
        ? 'notifications/resources/updated'
        : `notifications/${change.kind}/list_changed`;
    this.responder.notify(method, toEvent(this.id, frame, uri));
  }
}
