// What a server writes on its stderr: logged line by line as it comes, so that the server is never held up, and its end
// kept for the moment the server fails.
import { LineSplitter } from '../jsonrpc/line-splitter.ts';
import type { Logger } from '../log.ts';

const maxLineBytes = 2048;
const maxTailLines = 20;

export class StderrLog {
  private readonly label: string;
  private readonly log: Logger;
  private readonly lines: LineSplitter;
  private readonly tail: string[] = [];

  constructor(label: string, log: Logger) {
    this.label = label;
    this.log = log;
    this.lines = new LineSplitter(maxLineBytes, {
      onLine: (line) => {
        this.take(Buffer.concat(line));
      },
      onOversize: (start) => {
        this.take(start);
      },
    });
  }

  push(chunk: Buffer): void {
    this.lines.push(chunk);
  }

  /** The server has failed: its last words, of up to 20 lines, are logged once more, where errors are looked for. */
  tellLastWords(reason: string): void {
    this.lines.end();
    if (this.tail.length > 0)
      this.log.warn({ upstream: this.label, reason, stderr: this.tail }, 'last words of the server');
  }

  private take(line: Buffer): void {
    const stderr = line.toString('utf8');
    this.tail.push(stderr);
    if (this.tail.length > maxTailLines) this.tail.shift();
    this.log.info({ upstream: this.label, stderr }, 'server wrote on stderr');
  }
}
