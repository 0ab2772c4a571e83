import type { Database } from '#src/database/connect.ts';
import { type AskedOfHome, type Home, loadHomes } from '../home/home.ts';
import type { Include } from '../include.ts';
import { composedAmong } from '../usage/composed.ts';

/** Homes that are loaded at once. */
const LOADED = 500;
/** Homes that stay loaded from one page of an answer to the next: some 10 MB. Those of larger groups are loaded for each page. */
const HELD = 2_000;

/** The homes of a group, as they are put together for an answer. */
export interface GroupOfHomes {
  /** All of them, in order. */
  userIds: readonly string[];
  /** Those that are the sum of what their devices import. */
  plain: readonly string[];
  /** Those that are put together of their devices, so many at a time, in order. */
  composed(): AsyncIterable<readonly Home[]>;
  include: ReadonlySet<Include>;
}

/** What the sum of imports tells of homes that are nothing else. */
export const isToldByImports = (include: ReadonlySet<Include>): boolean =>
  [...include].every((name) => name === 'estimated');

/**
 * The homes of a group: all of them are put together where more is asked than what they used and what of that is estimated, else those of which the
 * sum of imports does not tell it. What they are made of is loaded when it is gone through, however many there are.
 */
export async function groupOf(
  db: Database,
  userIds: readonly string[],
  include: ReadonlySet<Include>,
): Promise<GroupOfHomes> {
  const isMoreAsked = !isToldByImports(include);
  const asked = { isMoreAsked, needsConsumption: include.has('consumption') || include.has('untracked') };
  const composed = new Set<string>();
  if (!isMoreAsked) {
    for (const ids of slices(userIds, LOADED)) for (const id of await composedAmong(db, ids)) composed.add(id);
  }
  const more = isMoreAsked ? userIds : userIds.filter((id) => composed.has(id));
  const plain = isMoreAsked ? [] : userIds.filter((id) => !composed.has(id));
  return { userIds, plain, composed: homesInTurn(db, more, asked), include };
}

function homesInTurn(db: Database, userIds: readonly string[], asked: AskedOfHome): GroupOfHomes['composed'] {
  const held: (readonly Home[])[] = [];
  return async function* () {
    let turn = 0;
    for (const ids of slices(userIds, LOADED)) {
      const homes = held[turn] ?? (await loadHomes(db, ids, asked));
      if (userIds.length <= HELD) held[turn] = homes;
      turn++;
      yield homes;
    }
  };
}

/** A list in pieces of so many at most. */
export function* slices<T>(all: readonly T[], most: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(most));
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
