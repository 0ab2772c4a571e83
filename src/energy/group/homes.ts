import type { Database } from '#src/database/connect.ts';
import { type Home, type HomeLoadingOptions, loadHomes } from '../home/home.ts';
import type { IncludableField } from '../include.ts';
import { filterUsersWithComposedHomes } from '../usage/composed-homes.ts';

const LOADED = 500;
/** Maximum number of homes that stay in memory between the pages of a response. Larger groups are loaded again for each page. */
const HELD = 2_000;

export interface GroupOfHomes {
  /** Ids of all homes, in order. */
  userIds: readonly string[];
  /** Ids of the homes whose usage is the sum of their devices' imports. */
  plain: readonly string[];
  /** Yields the homes whose usage is not the sum of their imports, in batches and in order. */
  composed(): AsyncIterable<readonly Home[]>;
  include: ReadonlySet<IncludableField>;
}

/** Whether a request needs only usage and its estimated part. */
export const areImportSumsSufficient = (include: ReadonlySet<IncludableField>): boolean =>
  [...include].every((name) => name === 'estimated');

/**
 * Divides the homes of a group into those whose usage is the sum of their imports (`plain`) and all others (`composed`). If a request
 * includes more than usage and its estimated part, all homes are composed.
 */
export async function loadGroupHomes(
  db: Database,
  userIds: readonly string[],
  include: ReadonlySet<IncludableField>,
): Promise<GroupOfHomes> {
  const isMoreAsked = !areImportSumsSufficient(include);
  const asked = { isMoreAsked, needsConsumption: include.has('consumption') || include.has('untracked') };
  const composed = new Set<string>();
  if (!isMoreAsked) {
    for (const ids of splitIntoChunks(userIds, LOADED))
      for (const id of await filterUsersWithComposedHomes(db, ids)) composed.add(id);
  }
  const more = isMoreAsked ? userIds : userIds.filter((id) => composed.has(id));
  const plain = isMoreAsked ? [] : userIds.filter((id) => !composed.has(id));
  return { userIds, plain, composed: homesInTurn(db, more, asked), include };
}

function homesInTurn(db: Database, userIds: readonly string[], asked: HomeLoadingOptions): GroupOfHomes['composed'] {
  const held: (readonly Home[])[] = [];
  return async function* () {
    let turn = 0;
    for (const ids of splitIntoChunks(userIds, LOADED)) {
      const homes = held[turn] ?? (await loadHomes(db, ids, asked));
      if (userIds.length <= HELD) held[turn] = homes;
      turn++;
      yield homes;
    }
  };
}

export function* splitIntoChunks<T>(all: readonly T[], most: number): Generator<readonly T[]> {
  const size = Math.max(1, Math.floor(most));
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
