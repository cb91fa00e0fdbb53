// The property of docs/attribution.md: several parties, one legacy server that hides who asks, and everything that can
// happen in any order. The server of this test knows the truth; the bridge does not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scenario } from './attribution-scenario.ts';
import { AttributionWorld } from './attribution-world.ts';

const scenarios = (
  more: Partial<Record<keyof Scenario, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Scenario> =>
  fc.record({
    domainCount: fc.integer({ min: 1, max: 4 }),
    maxSessions: fc.integer({ min: 1, max: 3 }),
    plans: fc.array(fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 3 }), {
      minLength: 1,
      maxLength: 12,
    }),
    choices: fc.array(fc.nat(9999), { minLength: 60, maxLength: 260 }),
    mayFail: fc.boolean(),
    isWarm: fc.constant(false),
    keepsAssumptions: fc.constant(true),
    streams: fc.constantFrom('none', 'some', 'all'),
    ...more,
  } as { [Key in keyof Scenario]: fc.Arbitrary<Scenario[Key]> });

const runs = Number(process.env['PROPERTY_RUNS'] ?? 150);

function holds(arbitrary: fc.Arbitrary<Scenario>, check: (world: AttributionWorld) => void): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (scenario) => {
    const world = new AttributionWorld(scenario);
    await world.run();
    expect(world.faults).toEqual([]);
    check(world);
  });
  // A world that stands still is a breach as well.
  return fc.assert(property, { numRuns: runs, plugins: [fc.timeout(20_000)] });
}

describe('attribution under random interleavings', { timeout: 3_600_000 }, () => {
  it('shows no question to another party, runs no call twice, leaves none without an end', async () => {
    await holds(scenarios(), () => undefined);
  });

  it('never holds or refuses a question of the only party', async () => {
    await holds(scenarios({ domainCount: fc.constant(1) }), (world) => {
      expect(world.refusedCount).toBe(0);
    });
  });

  it('refuses nothing once it is known who asks', async () => {
    // Who has only asked on its own stream is not remembered.
    const calm = {
      isWarm: fc.constant(true),
      mayFail: fc.constant(false),
      streams: fc.constantFrom('none', 'all'),
    };
    await holds(scenarios(calm), (world) => {
      expect(world.refusedCount).toBe(0);
    });
  });

  it('lets nothing cross parties whatever the server does, where each question comes on its call', async () => {
    const exact = { keepsAssumptions: fc.constant(false), streams: fc.constant('all') };
    await holds(scenarios(exact), () => undefined);
  });

  it('lets nothing cross parties whatever the server does, when each session is of one party', async () => {
    await holds(
      scenarios({ keepsAssumptions: fc.constant(false), domainCount: fc.constant(1) }),
      () => undefined,
    );
  });
});
