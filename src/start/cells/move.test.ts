import { expect, test } from 'vitest';
import { createRoutingToCell } from './move.ts';

test('an account gets an exception unless its name contains the cell that it moves to', () => {
  const names = [
    { name: 'usr_1', userId: 'usr_1', madeBy: null },
    { name: 'usr_c2_1', userId: 'usr_c2_1', madeBy: 'c2' },
    // Only the hash of this session secret is stored, so its cell is unknown.
    { name: 'AB', userId: 'usr_1', madeBy: undefined },
  ];
  expect(Object.fromEntries(createRoutingToCell('c2', names))).toEqual({ usr_1: 'c2', usr_c2_1: null, AB: 'c2' });
  expect(Object.fromEntries(createRoutingToCell('first', names))).toEqual({
    usr_1: null,
    usr_c2_1: 'first',
    AB: 'first',
  });
  expect(Object.fromEntries(createRoutingToCell('c3', names))).toEqual({ usr_1: 'c3', usr_c2_1: 'c3', AB: 'c3' });
});
