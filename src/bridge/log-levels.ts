// A legacy session has one log level for all; modern requests bring their own. The session is kept at the most verbose
// level in use and set back when the last such request has ended. spec 2025-11-25 server/utilities/logging
import { toBytes } from '../jsonrpc/frame.ts';
import { mostVerbose, type LogLevel } from '../protocol/log-levels.ts';
import type { Session } from '../session/session.ts';

/** What a session is set back to: quiet, but not so quiet that the bridge's own log misses a failure. */
const restingLevel: LogLevel = 'warning';

interface LevelUse {
  readonly inUse: LogLevel[];
  sent: LogLevel | undefined;
}

const unanswered = { onAnswer: (): void => undefined, onLost: (): void => undefined };

export class LogLevels {
  private readonly uses = new WeakMap<Session, LevelUse>();

  /** The request wants messages from `level` up, until the returned function is called. */
  acquire(session: Session, level: LogLevel): () => void {
    if (!session.profile.logging) return () => undefined;
    const use = this.uses.get(session) ?? { inUse: [], sent: undefined };
    this.uses.set(session, use);
    use.inUse.push(level);
    this.adjust(session, use);
    return () => {
      use.inUse.splice(use.inUse.indexOf(level), 1);
      this.adjust(session, use);
    };
  }

  private adjust(session: Session, use: LevelUse): void {
    const level = mostVerbose(use.inUse) ?? restingLevel;
    if (level === use.sent || session.isOver) return;
    use.sent = level;
    const build = (id: number): readonly Buffer[] => [
      toBytes({ jsonrpc: '2.0', id, method: 'logging/setLevel', params: { level } }),
    ];
    session.request(build, unanswered, { isOwn: true });
  }
}
