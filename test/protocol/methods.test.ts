import { describe, expect, it } from 'vitest';
import { findMethod } from '../../src/protocol/methods.ts';

describe('findMethod', () => {
  // Rule 1.6; field bug 84.
  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/result',
    'foo/bar',
    'notifications/progress',
    '',
  ])('has no %j in the modern revision', (name) => {
    expect(findMethod(name, [])).toBeUndefined();
  });

  it('lets through what the user allows, and never a retired method', () => {
    expect(findMethod('acme/do', ['acme/*'])?.kind).toBe('forward');
    expect(findMethod('acme/do', ['acme/do'])?.kind).toBe('forward');
    expect(findMethod('acmex', ['acme/*'])).toBeUndefined();
    for (const retired of ['ping', 'initialize', 'tasks/list', 'notifications/x'])
      expect(findMethod(retired, ['*'])).toBeUndefined();
  });
});
