import { describe, expect, it } from 'vitest';
import { paramHeadersOf } from '../../src/protocol/param-headers.ts';

const string = (header: string) => ({ type: 'string', 'x-mcp-header': header });

describe('paramHeadersOf', () => {
  // Rule 1.5.
  it('finds annotated primitives that properties lead to', () => {
    const schema = {
      type: 'object',
      properties: {
        region: string('Region'),
        where: { type: 'object', properties: { zone: string('Zone') } },
      },
    };
    expect(paramHeadersOf(schema)).toEqual([
      { path: ['region'], header: 'mcp-param-region' },
      { path: ['where', 'zone'], header: 'mcp-param-zone' },
    ]);
  });

  it.each([
    ['another type', { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }],
    ['a name that is no token', { properties: { a: string('A\r\nX: y') } }],
    ['an empty name', { properties: { a: string('') } }],
    ['one name twice', { properties: { a: string('A'), b: string('a') } }],
    ['a list between', { properties: { a: { type: 'array', items: string('A') } } }],
    ['no schema', undefined],
  ])('binds nobody with %s', (_, schema) => {
    expect(paramHeadersOf(schema)).toEqual([]);
  });
});
