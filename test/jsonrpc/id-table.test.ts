// Requests in flight by their ids.
import { describe, expect, it } from 'vitest';
import { IdTable } from '../../src/jsonrpc/id-table.ts';

describe('IdTable', () => {
  it('keeps values by whole numbers and by text, and knows how many', () => {
    const table = new IdTable<string, number | string>();
    for (const id of [0, -1, 4711, Number.MAX_SAFE_INTEGER, '', '"1', '__proto__', 'constructor']) {
      expect(table.get(id)).toBeUndefined();
      expect(table.delete(id)).toBe(false);
      table.set(id, `value of ${String(id)}`);
      expect(table.has(id)).toBe(true);
    }
    expect(table.size).toBe(8);
    expect(table.get('__proto__')).toBe('value of __proto__');
    table.set(0, 'another');
    expect(table.size).toBe(8);
    expect(table.delete('__proto__')).toBe(true);
    expect(table.size).toBe(7);
    table.clear();
    expect([table.size, table.all()]).toEqual([0, []]);
  });

  it('gives all by growing numbers', () => {
    const table = new IdTable<number>();
    for (const id of [3, 1, 100_000, 2]) table.set(id, id);
    expect(table.all()).toEqual([1, 2, 3, 100_000]);
  });
});
