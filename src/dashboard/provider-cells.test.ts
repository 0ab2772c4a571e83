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

test('a person whom one cell does not know is tried in each other cell once', () => {
  const tab = openTab();
  storeUntried(tab, '/dashboard/alerts', ['c2', 'c3']);
  const { attempt } = nextCell('unknown', tab);
  expect(attempt).toEqual({ returnTo: '/dashboard/alerts', cell: 'c2', untried: ['c3'] });
  // The page is reloaded instead of going to the provider.
  expect(nextCell('unknown', tab)).toEqual({ problem: 'unknown' });
  storeUntried(tab, '/dashboard/alerts', attempt?.untried ?? []);
  const { attempt: last } = nextCell('unknown', tab);
  expect(last).toEqual({ returnTo: '/dashboard/alerts', cell: 'c3', untried: [] });
  storeUntried(tab, '/dashboard/alerts', last?.untried ?? []);
  expect(nextCell('unknown', tab)).toEqual({ problem: 'unknown' });
});

test('without other cells, and for any other problem, the page shows the problem', () => {
  const tab = openTab();
  expect(nextCell('unknown', tab)).toEqual({ problem: 'unknown' });
  for (const problem of ['denied', 'unavailable', null] as const) {
    storeUntried(tab, '/dashboard', ['c2']);
    expect(nextCell(problem, tab)).toEqual({ problem });
  }
});
