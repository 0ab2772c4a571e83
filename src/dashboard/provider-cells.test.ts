import { expect, test } from 'vitest';
import { findNextCell, storeUntriedCells } from './provider-cells.ts';

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
  storeUntriedCells(tab, '/dashboard/alerts', ['c2', 'c3']);
  const { attempt } = findNextCell('unknown', tab);
  expect(attempt).toEqual({ returnTo: '/dashboard/alerts', cell: 'c2', untried: ['c3'] });
  // After a reload of the page, the page tries no further cell.
  expect(findNextCell('unknown', tab)).toEqual({ problem: 'unknown' });
  storeUntriedCells(tab, '/dashboard/alerts', attempt?.untried ?? []);
  const { attempt: last } = findNextCell('unknown', tab);
  expect(last).toEqual({ returnTo: '/dashboard/alerts', cell: 'c3', untried: [] });
  storeUntriedCells(tab, '/dashboard/alerts', last?.untried ?? []);
  expect(findNextCell('unknown', tab)).toEqual({ problem: 'unknown' });
});

test('if there are no other cells, or the sign-in fails for another reason, the page shows the reason', () => {
  const tab = openTab();
  expect(findNextCell('unknown', tab)).toEqual({ problem: 'unknown' });
  for (const problem of ['denied', 'unavailable', null] as const) {
    storeUntriedCells(tab, '/dashboard', ['c2']);
    expect(findNextCell(problem, tab)).toEqual({ problem });
  }
});
