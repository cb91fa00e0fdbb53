import { describe, expect, it } from 'vitest';
import { toModernLogMessage, toModernProgress } from '../../src/translate/progress-up.ts';
import { frameOf, textOf } from '../support/frames.ts';

const progress = (params: string) =>
  toModernProgress(frameOf(`{"method":"notifications/progress","params":${params}}`), Buffer.from('"mine"'));

describe('toModernProgress', () => {
  // Rule 7; field bug 110.
  it('puts the client’s own token in and keeps the rest', () => {
    const made = progress('{"progressToken":7,"progress":0.50,"total":null,"message":"\\u00e9","x":1.0}');
    expect(made?.value).toBe(0.5);
    expect(textOf(made?.params)).toBe('{"progressToken":"mine","progress":0.50,"message":"\\u00e9","x":1.0}');
  });

  it.each(['{"progressToken":7}', '{"progress":"3"}', '{"progress":null}', '{"progress":1e999}', '[]'])(
    'drops %s',
    (params) => {
      expect(progress(params)).toBeUndefined();
    },
  );

  it('leaves out a total and a message of another type', () => {
    expect(textOf(progress('{"progressToken":7,"progress":1,"total":"10","message":5}')?.params)).toBe(
      '{"progressToken":"mine","progress":1}',
    );
  });
});

describe('toModernLogMessage', () => {
  const log = (params: string) =>
    toModernLogMessage(frameOf(`{"method":"notifications/message","params":${params}}`), 'warning');
  it('passes what is at or above the level', () => {
    expect(textOf(log('{"level":"error","data":null,"logger":null}'))).toBe('{"level":"error","data":null}');
    expect(log('{"level":"info","data":1}')).toBeUndefined();
    expect(log('{"level":"loud","data":1}')).toBeUndefined();
    expect(log('"x"')).toBeUndefined();
  });
});
