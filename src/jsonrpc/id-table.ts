// Values by ids that come and go, thousands a second: requests in flight.

/**
 * Like a Map, whose storage is a chain: each time that the storage of one in which entries come and go is made anew,
 * the old one points to the new, and once the first of them is old, the garbage collector keeps all that ever was in
 * any of them until a full collection. A plain object has no such chain.
 */
export class IdTable<Value, Id extends number | string = number> {
  private values = createStorage<Value>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(id: Id): Value | undefined {
    return this.values[id];
  }

  has(id: Id): boolean {
    return this.values[id] !== undefined;
  }

  set(id: Id, value: Value): void {
    if (this.values[id] === undefined) this.count += 1;
    this.values[id] = value;
  }

  /** False when there was none. */
  delete(id: Id): boolean {
    if (this.values[id] === undefined) return false;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- what the table is for
    delete this.values[id];
    this.count -= 1;
    return true;
  }

  clear(): void {
    this.values = createStorage();
    this.count = 0;
  }

  /** By growing ids, where these are numbers. */
  all(): readonly Value[] {
    return Object.values(this.values);
  }
}

function createStorage<Value>(): Record<number | string, Value> {
  return Object.create(null) as Record<number | string, Value>;
}
