// A legacy server as a child process that speaks lines on its standard streams.
// spec 2025-11-25 basic/transports#stdio
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { basename } from 'node:path';
import spawn from 'cross-spawn';
import { sizeOf, type Chunks } from '../jsonrpc/frame.ts';
import { LineSplitter } from '../jsonrpc/line-splitter.ts';
import { TurnWriter } from '../jsonrpc/turn-writer.ts';
import type { Logger } from '../log.ts';
import { Backlog } from './backlog.ts';
import { framesOfText } from './frames-of-text.ts';
import type { Link, LinkHandlers, Upstream } from './port.ts';
import { adopt, endProcessGroup, hasExited } from './process-group.ts';
import { StderrLog } from './stderr-log.ts';

export interface StdioUpstreamOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Longer lines of the server are thrown away and reported. */
  readonly maxMessageBytes: number;
  readonly log: Logger;
  /** Once aborted, children are ended in less than a second instead of two. */
  readonly hurry: AbortSignal;
}

/** Of the memory that is read into, a short piece would keep far more from being used again for as long as it is kept. */
const smallBytes = 4096;
/** How long the streams of a server that has gone may be held open by what it started and let go. */
const orphanMs = 500;

/** One child process per link. */
export function createStdioUpstream(options: StdioUpstreamOptions): Upstream {
  const label = basename(options.command);
  return {
    label,
    open: (handlers) => {
      const child = startChild(options, (error) => {
        handlers.onClosed(notStarted(error));
      });
      if (child !== undefined) return new StdioLink(options, label, handlers, child);
      return { send: () => undefined, close: () => Promise.resolve() };
    },
  };
}

/** Some failures come as exceptions, some as an event of a child without streams, and the rest as one of a whole child. */
function startChild(
  options: StdioUpstreamOptions,
  onFailed: (error: Error) => void,
): ChildProcessWithoutNullStreams | undefined {
  try {
    const child: ChildProcess = spawn(options.command, [...options.args], {
      cwd: options.cwd,
      env: options.env,
      // A group of its own, so that the whole of it can be ended.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    if (child.stdin && child.stdout && child.stderr) return child as ChildProcessWithoutNullStreams;
    child.on('error', onFailed);
  } catch (error) {
    queueMicrotask(() => {
      onFailed(error instanceof Error ? error : new Error('not started'));
    });
  }
  return undefined;
}

function notStarted(error: NodeJS.ErrnoException): string {
  return `server could not be started (${error.code ?? 'unknown error'})`;
}

class StdioLink implements Link {
  private readonly options: StdioUpstreamOptions;
  private readonly handlers: LinkHandlers;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly label: string;
  private readonly writer: TurnWriter;
  private readonly stderr: StderrLog;
  private isOver = false;
  private isUnwanted = false;
  private ending: Promise<void> | undefined;
  private noiseCount = 0;
  private readonly backlog: Backlog;
  /** Why the link is being ended from this side, where the server is to blame. */
  private fault: string | undefined;

  constructor(
    options: StdioUpstreamOptions,
    label: string,
    handlers: LinkHandlers,
    child: ChildProcessWithoutNullStreams,
  ) {
    this.options = options;
    this.label = label;
    this.handlers = handlers;
    this.child = child;
    this.writer = new TurnWriter(child.stdin);
    this.backlog = new Backlog(() => child.stdin.writableLength);
    this.stderr = new StderrLog(label, options.log);
    if (child.pid !== undefined) adopt(child.pid);
    this.readStdout();
    this.listen();
  }

  get isBacklogged(): boolean {
    return !this.isOver && this.backlog.isFull;
  }

  onceTaken(run: () => void): void {
    const { stdin } = this.child;
    const once = (): void => {
      stdin.off('drain', once).off('close', once);
      run();
    };
    stdin.on('drain', once).on('close', once);
  }

  send(frame: Chunks): void {
    const { stdin } = this.child;
    if (this.isOver || !stdin.writable) return;
    if (this.backlog.mayTake(sizeOf(frame))) this.writer.write(frame);
    else this.breakOff('server does not read its input');
  }

  pause(): void {
    if (!hasExited(this.child)) this.child.stdout.pause();
  }

  resume(): void {
    this.child.stdout.resume();
  }

  close(): Promise<void> {
    this.isUnwanted = true;
    return this.endGroup();
  }

  private endGroup(): Promise<void> {
    this.ending ??= endProcessGroup(this.child, this.options.hurry);
    return this.ending;
  }

  private listen(): void {
    const { child } = this;
    // A server that dies makes writes fail as well; then its exit follows at once, and says more.
    child.stdin.on('error', () => {
      this.breakOff('server closed its input');
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.stderr.push(chunk);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) this.finish(notStarted(error));
    });
    // The streams close after the exit, when all that was written has been read.
    child.on('close', (code, signal) => {
      this.finish(this.exitReason(code, signal));
    });
    child.on('exit', (code, signal) => {
      child.stdout.resume();
      void this.endOrphans(this.exitReason(code, signal));
    });
  }

  private readStdout(): void {
    const { stdout } = this.child;
    const lines = new LineSplitter(this.options.maxMessageBytes, {
      onLine: (line) => {
        this.onLine(line);
      },
      onOversize: this.handlers.onOversize,
    });
    stdout.on('data', (chunk: Buffer) => {
      lines.push(chunk.length < smallBytes ? Buffer.from(chunk) : chunk);
    });
    stdout.on('end', () => {
      lines.end();
    });
  }

  /** The rest of the group is ended with its leader; what has left the group may hold the streams open for ever. */
  private async endOrphans(reason: string): Promise<void> {
    await this.endGroup();
    if (this.isOver) return;
    const timer = setTimeout(() => {
      for (const stream of this.child.stdio) stream?.destroy();
      this.finish(reason);
    }, orphanMs);
    this.child.once('close', () => {
      clearTimeout(timer);
    });
  }

  private exitReason(code: number | null, signal: NodeJS.Signals | null): string {
    if (code !== null) return `server exited (code ${String(code)})`;
    return this.fault ?? `server was ended by ${signal ?? 'a signal'}`;
  }

  /** The server leaves by itself, or is made to. What it has still to say is read. */
  private breakOff(fault: string): void {
    if (this.isOver || this.ending !== undefined) return;
    this.fault = fault;
    void this.endGroup();
  }

  private onLine(line: Chunks): void {
    if (this.isOver) return;
    const frames = framesOfText(line);
    for (const frame of frames) this.handlers.onFrame(frame);
    if (frames.length > 0) return;
    this.noiseCount += 1;
    if (this.noiseCount > 10) return;
    this.options.log.warn(
      { upstream: this.label, bytes: sizeOf(line) },
      'server wrote a line on stdout that is not JSON-RPC; ignored',
    );
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    void this.endGroup();
    if (!this.isUnwanted) this.stderr.tellLastWords(reason);
    this.handlers.onClosed(reason);
  }
}
