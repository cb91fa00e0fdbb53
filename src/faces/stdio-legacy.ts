// The legacy side of a stdio connection, from its `initialize` on: one session with the server, relayed.
// spec 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import type { OpenRelay, RelayedSession, Way } from '../relay/relayed-session.ts';
import type { BatchAnswers } from './batch-answers.ts';
import { refusalOf, takeBatch, takeMessage } from './legacy-messages.ts';

export class StdioLegacy {
  readonly session: RelayedSession;
  private readonly write: (frame: Chunks) => void;
  private readonly batches = new Set<BatchAnswers>();

  /** `onOver`: the server has gone; whoever waited for it has been told. */
  constructor(open: OpenRelay, write: (frame: Chunks) => void, onOver: () => void) {
    this.write = write;
    this.session = open({
      onFrame: (frame, way) => {
        this.onFrame(frame, way);
      },
      onDropped: (request) => {
        this.settle(request);
      },
      onOver,
    });
  }

  take(frame: Frame): void {
    try {
      takeMessage(this.session, frame);
    } catch (error) {
      this.write(refusalOf(frame, error));
    }
  }

  takeBatch(bytes: Buffer): void {
    try {
      const answers = takeBatch(this.session, bytes);
      this.batches.add(answers);
      this.finish(answers);
    } catch (error) {
      this.write(refusalOf(undefined, error));
    }
  }

  private onFrame(frame: Chunks, { kind, request }: Way): void {
    if (kind !== 'answer' || request === undefined || !this.settle(request, frame)) this.write(frame);
  }

  /** False when the request came in no batch. */
  private settle(request: number, answer?: Chunks): boolean {
    for (const batch of this.batches) {
      if (!batch.isDue(request)) continue;
      batch.settle(request, answer);
      this.finish(batch);
      return true;
    }
    return false;
  }

  private finish(batch: BatchAnswers): void {
    if (batch.isOpen) return;
    this.batches.delete(batch);
    if (batch.whole !== undefined) this.write(batch.whole);
  }
}
