// Which parties are there, without looking through all who are.
import { IdTable } from '../jsonrpc/id-table.ts';

export class Parties {
  private readonly counts = new IdTable<number, string>();

  add(domain: string): void {
    this.counts.set(domain, (this.counts.get(domain) ?? 0) + 1);
  }

  delete(domain: string): void {
    const count = this.counts.get(domain) ?? 0;
    if (count > 1) this.counts.set(domain, count - 1);
    else this.counts.delete(domain);
  }

  /** One at the most. */
  get isOne(): boolean {
    return this.counts.size <= 1;
  }

  /** None but this one, if any. */
  isOnly(domain: string): boolean {
    return this.counts.size === 0 || (this.counts.size === 1 && this.counts.has(domain));
  }

  clear(): void {
    this.counts.clear();
  }
}
