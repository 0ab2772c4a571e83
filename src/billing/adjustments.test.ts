import { expect, test } from 'vitest';
import { type AdjustableBillPeriod, listBillPeriodsToCorrect } from './adjustments.ts';

const period = (id: string, startsAtMs: number, isClosed: boolean): AdjustableBillPeriod => ({
  id,
  startsAtMs,
  isClosed,
});

test('concernedBy returns a closed period itself, and for an open period those whose corrections it contains', () => {
  const periods = [
    period('a', 1, true),
    period('b', 2, true),
    period('c', 3, false),
    period('d', 4, true),
    period('e', 5, false),
    period('f', 6, true),
  ];
  const ids = (one: AdjustableBillPeriod) => listBillPeriodsToCorrect(periods, one).map(({ id }) => id);
  expect(periods.map(ids)).toEqual([['a'], ['b'], ['a', 'b'], ['d'], ['d'], ['f']]);
});
