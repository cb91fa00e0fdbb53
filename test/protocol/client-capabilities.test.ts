import { describe, expect, it } from 'vitest';
import { bridgeCapabilities, isDeclared, union } from '../../src/protocol/client-capabilities.ts';

describe('isDeclared', () => {
  // Rule 4.4; field bug 95.
  it.each([
    [{}, { elicitation: { form: {} } }, false],
    [{ elicitation: {} }, { elicitation: { form: {} } }, true],
    [{ elicitation: {} }, { elicitation: { url: {} } }, false],
    [{ elicitation: { url: {} } }, { elicitation: { form: {} } }, false],
    [{ elicitation: { form: {}, url: {} } }, { elicitation: { url: {} } }, true],
    [{ sampling: {} }, { sampling: {} }, true],
    [{ sampling: {} }, { sampling: { tools: {} } }, false],
    [{ sampling: { tools: {} } }, { sampling: { tools: {} } }, true],
    [{ roots: null }, { roots: {} }, false],
    [{ roots: true }, { roots: {} }, false],
  ])('of %j the need %j is declared: %s', (declared, needed, expected) => {
    expect(isDeclared(declared, needed)).toBe(expected);
  });
});

describe('union', () => {
  it('names what either names', () => {
    expect(union({ elicitation: { form: {} } }, { elicitation: { url: {} }, sampling: {} })).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: {},
    });
  });
});

describe('bridgeCapabilities', () => {
  it('declares to each revision what it knows', () => {
    expect(bridgeCapabilities('2024-11-05')).toEqual({ roots: { listChanged: true }, sampling: {} });
    expect(bridgeCapabilities('2025-06-18')).toHaveProperty('elicitation', {});
    expect(bridgeCapabilities('2025-11-25')).toHaveProperty('elicitation', { form: {}, url: {} });
  });
});
