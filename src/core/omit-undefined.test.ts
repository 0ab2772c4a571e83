import { describe, expect, expectTypeOf, test } from 'vitest';
import { omitUndefined } from './omit-undefined.ts';

describe('omitUndefined', () => {
  test('omits undefined members and no other empty value', () => {
    const members = { a: undefined, b: null, c: 0, d: '', e: false, f: Number.NaN };
    expect(Object.entries(omitUndefined(members))).toEqual([
      ['b', null],
      ['c', 0],
      ['d', ''],
      ['e', false],
      ['f', Number.NaN],
    ]);
  });

  test('keeps the order of the members and does not change the original', () => {
    const members = { z: 1, a: undefined, m: 2 };
    expect(Object.keys(omitUndefined(members))).toEqual(['z', 'm']);
    expect(Object.keys(members)).toEqual(['z', 'a', 'm']);
  });

  test('declares as optional exactly the members that may be undefined', () => {
    const fullObject: { always: string; sometimes: number | undefined; orNull: number | null | undefined } = {
      always: 'x',
      sometimes: undefined,
      orNull: null,
    };
    expectTypeOf(omitUndefined(fullObject)).branded.toEqualTypeOf<{
      always: string;
      sometimes?: number;
      orNull?: number | null;
    }>();
  });
});
