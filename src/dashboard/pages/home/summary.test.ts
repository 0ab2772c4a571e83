import { expect, test } from 'vitest';
import type { Cost } from '#src/api/dashboard/shapes.ts';
import { computeRelativeChanges } from './summary.ts';

const cost = (total: string, more: Partial<NonNullable<Cost>> = {}): Cost => ({
  ...{ currency: 'EUR', total, import: total, export: '0', standing: '0', estimated: '0', missing_prices_kwh: 0 },
  ...more,
});
const known = (kwh_used: number | null, coverage = 1) => ({ kwh_used, coverage });

test.each([
  ['dearer hours: 6 % more energy, 151 % more money', known(100), known(106), '4.44', '11.16', 0.06, 1.514],
  ['less energy, more money', known(100), known(80), '10', '11', -0.2, 0.1],
  ['more energy, less money: the sun', known(100), known(110), '10', '2', 0.1, -0.8],
  ['money follows energy', known(100), known(106), '30.00', '31.50', 0.06, null],
  ['as much energy at another price', known(100), known(100), '10', '20', 0, 1],
  ['most of it is not known', known(100, 0.8), known(106), '4.44', '11.16', null, null],
  ['nothing was used then', known(0), known(5), '1', '5', null, null],
  ['the home earned then', known(100), known(100), '-3', '5', 0, null],
])('summary of a home: %s', (_, then, now, before, after, energy, money) => {
  const changes = computeRelativeChanges(then, now, { before: cost(before), now: cost(after) });
  const near = (value: number | null) => (value === null ? null : expect.closeTo(value, 3));
  expect(changes).toEqual({ energy: near(energy), cost: near(money) });
});

test('omits a comparison of costs that are not comparable', () => {
  const dear = cost('20');
  for (const before of [null, cost('10', { currency: 'SEK' }), cost('10', { missing_prices_kwh: 0.1 })])
    expect(computeRelativeChanges(known(100), known(100), { before, now: dear })).toEqual({ energy: 0, cost: null });
});
