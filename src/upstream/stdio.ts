// A legacy server as a child process that speaks lines on its standard streams.
// spec 2025-11-25 basic/transports#stdio
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { basename } from 'node:path';
import type { Chunks } from '../jsonrpc/frame.ts';
import { LineSplitter } from '../jsonrpc/line-splitter.ts';
import { TurnWriter } from '../jsonrpc/turn-writer.ts';
import type { Logger } from '../log.ts';
import { framesOfText } from './frames-of-text.ts';
import type { Link, LinkHandlers, Upstream } from './port.ts';
import { adopt, endProcessGroup } from './process-group.ts';

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

const maxLoggedLine = 2048;

/** One child process per link. */
export function createStdioUpstream(options: StdioUpstreamOptions): Upstream {
  const label = basename(options.command);
  return { label, open: (handlers) => new StdioLink(options, label, handlers) };
}

class StdioLink implements Link {
  private readonly options: StdioUpstreamOptions;
  private readonly handlers: LinkHandlers;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly label: string;
  private readonly writer: TurnWriter;
  private isOver = false;
  private closing: Promise<void> | undefined;
  private noiseCount = 0;

  constructor(options: StdioUpstreamOptions, label: string, handlers: LinkHandlers) {
    this.options = options;
    this.label = label;
    this.handlers = handlers;
    this.child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      // A group of its own, so that the whole of it can be ended.
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.writer = new TurnWriter(this.child.stdin);
    if (this.child.pid !== undefined) adopt(this.child.pid);
    this.listen();
  }

  send(frame: Chunks): void {
    const { stdin } = this.child;
    if (this.isOver || !stdin.writable) return;
    this.writer.write(frame);
  }

  close(): Promise<void> {
    this.closing ??= endProcessGroup(this.child, this.options.hurry);
    return this.closing;
  }

  private listen(): void {
    const { child } = this;
    const lines = new LineSplitter(this.options.maxMessageBytes, {
      onLine: (line) => {
        this.onLine(line);
      },
      onOversize: this.handlers.onOversize,
    });
    child.stdout.on('data', (chunk: Buffer) => {
      lines.push(chunk);
    });
    child.stdout.on('end', () => {
      lines.end();
    });
    this.logStderr();
    // A child that closes its stdin or dies makes writes fail; its exit says what happened.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    child.on('error', (error: NodeJS.ErrnoException) => {
      this.finish(`server could not be started (${error.code ?? 'unknown error'})`);
    });
    // The streams close after the exit, when all that was written has been read.
    child.on('close', (code, signal) => {
      this.finish(
        code === null
          ? `server was ended by ${signal ?? 'a signal'}`
          : `server exited (code ${String(code)})`,
      );
    });
    child.on('exit', () => {
      // Whoever inherited the streams would keep `close` from coming; the rest of the group is ended with the leader.
      void this.close();
    });
  }

  private logStderr(): void {
    const log = new LineSplitter(maxLoggedLine, {
      onLine: (line) => {
        this.options.log.info(
          { upstream: this.label, stderr: line.toString('utf8') },
          'server wrote on stderr',
        );
      },
      onOversize: (start) => {
        this.options.log.info(
          { upstream: this.label, stderr: start.toString('utf8') },
          'server wrote a long line',
        );
      },
    });
    this.child.stderr.on('data', (chunk: Buffer) => {
      log.push(chunk);
    });
  }

  private onLine(line: Buffer): void {
    if (this.isOver) return;
    const frames = framesOfText(line);
    for (const frame of frames) this.handlers.onFrame(frame);
    if (frames.length > 0) return;
    this.noiseCount += 1;
    if (this.noiseCount > 10) return;
    this.options.log.warn(
      { upstream: this.label, bytes: line.length },
      'server wrote a line on stdout that is not JSON-RPC; ignored',
    );
  }

  private finish(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    void this.close();
    this.handlers.onClosed(reason);
  }
}
