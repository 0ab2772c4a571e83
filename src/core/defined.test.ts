import { describe, expect, expectTypeOf, test } from 'vitest';
import { defined } from './defined.ts';

describe('defined', () => {
  test('leaves out what is undefined, and nothing else that is empty', () => {
    const members = { a: undefined, b: null, c: 0, d: '', e: false, f: Number.NaN };
    expect(Object.entries(defined(members))).toEqual([
      ['b', null],
      ['c', 0],
      ['d', ''],
      ['e', false],
      ['f', Number.NaN],
    ]);
  });

  test('keeps the order of what is left, and the original as it was', () => {
    const members = { z: 1, a: undefined, m: 2 };
    expect(Object.keys(defined(members))).toEqual(['z', 'm']);
    expect(Object.keys(members)).toEqual(['z', 'a', 'm']);
  });

  test('makes members optional that may be undefined, and only those', () => {
    const given: { always: string; sometimes: number | undefined; orNull: number | null | undefined } = {
      always: 'x',
      sometimes: undefined,
      orNull: null,
    };
    expectTypeOf(defined(given)).branded.toEqualTypeOf<{
      always: string;
      sometimes?: number;
      orNull?: number | null;
    }>();
  });
});
