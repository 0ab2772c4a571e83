import { expect, test } from 'vitest';
import { nextCell, storeUntried } from './provider-cells.ts';

function openTab() {
  const items = new Map<string, string>();
  return {
    setItem: (name: string, value: string) => void items.set(name, value),
    getItem: (name: string) => items.get(name) ?? null,
    removeItem: (name: string) => void items.delete(name),
  };
}

test('a sign-in of a person unknown to one cell is tried once in each other cell', () => {
  const tab = openTab();
  storeUntried(tab, '/dashboard/alerts', ['c2', 'c3']);
  const { attempt } = nextCell('unknown', tab);
  expect(attempt).toEqual({ returnTo: '/dashboard/alerts', cell: 'c2', untried: ['c3'] });
  // After a reload of the page, no further cell is tried.
  expect(nextCell('unknown', tab)).toEqual({ problem: 'unknown' });
  storeUntried(tab, '/dashboard/alerts', attempt?.untried ?? []);
  const { attempt: last } = nextCell('unknown', tab);
  expect(last).toEqual({ returnTo: '/dashboard/alerts', cell: 'c3', untried: [] });
  storeUntried(tab, '/dashboard/alerts', last?.untried ?? []);
  expect(nextCell('unknown', tab)).toEqual({ problem: 'unknown' });
});

test('if there are no other cells, or the sign-in fails for another reason, the page shows the reason', () => {
  const tab = openTab();
  expect(nextCell('unknown', tab)).toEqual({ problem: 'unknown' });
  for (const problem of ['denied', 'unavailable', null] as const) {
    storeUntried(tab, '/dashboard', ['c2']);
    expect(nextCell(problem, tab)).toEqual({ problem });
  }
});
