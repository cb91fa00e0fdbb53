// What the servers of a run have written down: which calls they ran, and which processes they were.
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export class Ledger {
  readonly file: string;
  /** One for each run. */
  readonly tokens: string[] = [];
  readonly pids: number[] = [];
  private readonly fd: number;
  private rest = '';

  constructor() {
    this.file = join(mkdtempSync(join(tmpdir(), 'mcp-bridge-lab-')), 'ledger');
    writeFileSync(this.file, '');
    this.fd = openSync(this.file, 'r');
  }

  /** Takes in what was written since. */
  read(): this {
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const length = readSync(this.fd, buffer, 0, buffer.length, null);
      if (length === 0) return this;
      const lines = (this.rest + buffer.toString('utf8', 0, length)).split('\n');
      this.rest = lines.pop()!;
      for (const line of lines)
        if (line.startsWith('start ')) this.pids.push(Number(line.slice(6)));
        else this.tokens.push(line);
    }
  }

  remove(): void {
    closeSync(this.fd);
    rmSync(dirname(this.file), { recursive: true });
  }
}
