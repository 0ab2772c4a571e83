import { expect, test } from 'vitest';
import { findNextSignInAttempt, storeCellsToTryNext } from './provider-cells.ts';

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
  storeCellsToTryNext(tab, '/dashboard/alerts', ['c2', 'c3']);
  const { attempt } = findNextSignInAttempt('unknown', tab);
  expect(attempt).toEqual({ returnTo: '/dashboard/alerts', cell: 'c2', untried: ['c3'] });
  // A reload of the page makes no further attempt.
  expect(findNextSignInAttempt('unknown', tab)).toEqual({ problem: 'unknown' });
  storeCellsToTryNext(tab, '/dashboard/alerts', attempt?.untried ?? []);
  const { attempt: last } = findNextSignInAttempt('unknown', tab);
  expect(last).toEqual({ returnTo: '/dashboard/alerts', cell: 'c3', untried: [] });
  storeCellsToTryNext(tab, '/dashboard/alerts', last?.untried ?? []);
  expect(findNextSignInAttempt('unknown', tab)).toEqual({ problem: 'unknown' });
});

test('if there are no other cells, or the sign-in fails for another reason, the page shows the reason', () => {
  const tab = openTab();
  expect(findNextSignInAttempt('unknown', tab)).toEqual({ problem: 'unknown' });
  for (const problem of ['denied', 'unavailable', null] as const) {
    storeCellsToTryNext(tab, '/dashboard', ['c2']);
    expect(findNextSignInAttempt(problem, tab)).toEqual({ problem });
  }
});
