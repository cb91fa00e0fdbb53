import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskingTable, newAsking, type Asking } from '../../src/session/asking.ts';

const carrier = { onQuestion: () => undefined, onWithdrawn: () => undefined, canBeAsked: () => true };

const callOf = (id: number, domain: string): Asking =>
  newAsking(id, { ...carrier, domain, askerName: 'a' }, undefined);

const step = fc.record({
  call: fc.nat(4),
  what: fc.constantFrom('add', 'delete', 'park', 'go on', 'window', 'certain', 'look'),
});

function apply(what: string, call: Asking, table: AskingTable, inside: Set<Asking>, calls: Asking[]): void {
  if (what === 'add' && !inside.has(call)) {
    const fresh = callOf(call.id, call.domain);
    calls[call.id] = fresh;
    table.add(fresh);
    inside.add(fresh);
  } else if (what === 'delete' && inside.delete(call)) table.delete(call);
  else if (what === 'park' || what === 'go on') call.isParked = what === 'park';
  else if (what === 'window') call.openWindows = 1 - call.openWindows;
  else if (what === 'certain') call.certainCount = 1 - call.certainCount;
}

describe('AskingTable', () => {
  it('says of its calls what looking through all of them would say, whenever it is asked first', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 60 }), (steps) => {
        const table = new AskingTable();
        const calls = [0, 1, 2, 3, 4].map((id) => callOf(id, id % 2 === 0 ? 'even' : 'odd'));
        const inside = new Set<Asking>(calls);
        for (const call of calls) table.add(call);
        for (const { call: index, what } of steps) {
          const call = calls[index] as Asking;
          apply(what, call, table, inside, calls);
          // Also of one that has ended meanwhile.
          table.update(call);
          if (what !== 'look') continue;
          const all = [...inside].sort((a, b) => a.id - b.id);
          const active = all.filter(
            (each) => !(each.isParked && each.openWindows === 0 && each.certainCount > 0),
          );
          expect(table.all()).toEqual(all);
          expect(table.allActive()).toEqual(active);
          expect([table.size, table.activeSize]).toEqual([all.length, active.length]);
          expect(table.isOneParty).toBe(new Set(all.map(({ domain }) => domain)).size <= 1);
          expect(table.isOneActiveParty).toBe(new Set(active.map(({ domain }) => domain)).size <= 1);
          expect(table.isOnlyParty('even')).toBe(all.every(({ domain }) => domain === 'even'));
        }
      }),
      { numRuns: 2000 },
    );
  });
});
