// Chance that can be had again: the same seed gives the same run.

export class Random {
  readonly seed: number;
  private state: number;

  constructor(seed = Number(process.env['LAB_SEED'] ?? Date.now() % 2 ** 31)) {
    this.seed = seed;
    this.state = seed | 0 || 1;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    // xorshift32
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % end;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)]!;
  }
}
