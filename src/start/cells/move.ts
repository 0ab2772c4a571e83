import type { Pool } from '#src/database/connect.ts';
import { moveUsers, type UsersMoveOptions, type UsersMoveReport } from '../users-move/move-users.ts';
import type { AccountRedirector, AccountRoutingName } from '../users-move/routes.ts';
import { type RoutingExceptionFiles, storeRoutingExceptions } from './exceptions.ts';

/** Name by which commands refer to the first cell. */
export const FIRST_CELL_NAME = 'first';

/** Maximum time in ms for which devices may stay connected to the previous cell's broker after a move. */
const MAX_CONNECTION_TIME_AFTER_MOVE_MS = 12_000;

/** The two cells of a move, by name and database URL. */
interface SourceAndTargetCells {
  from: { cell: string; database: string };
  to: { cell: string; database: string };
}

/** Returns the routing entries that send these names to a cell. Null: the name needs no entry, because it contains the cell. */
export function createRoutingToCell(cell: string, names: readonly AccountRoutingName[]): Map<string, string | null> {
  const isOwn = ({ madeBy }: AccountRoutingName) => madeBy !== undefined && (madeBy ?? FIRST_CELL_NAME) === cell;
  return new Map(names.map((one) => [one.name, isOwn(one) ? null : cell]));
}

/**
 * Moves accounts to another cell, one at a time; a utility moves together with its homeowners. Updates the routers, if there are any. May be
 * interrupted at any point and run again.
 */
export async function moveToCell(
  { from, to }: SourceAndTargetCells,
  {
    users,
    places,
    source,
    ...how
  }: Omit<UsersMoveOptions, 'accounts' | 'routes' | 'connectedMs'> & {
    /** Ids or e-mail addresses of the accounts to move. */
    users: readonly string[];
    /** Null if there are no routers. */
    places: RoutingExceptionFiles | null;
    /** Pool of connections to the database of the cell that has the accounts. */
    source: Pool;
  },
): Promise<UsersMoveReport> {
  const routes: AccountRedirector | null = places && {
    toTarget: (names) => storeRoutingExceptions(places, createRoutingToCell(to.cell, names)),
    toSource: (names) => storeRoutingExceptions(places, createRoutingToCell(from.cell, names)),
  };
  const report: UsersMoveReport = { users: 0, moved_before: 0, held_ms: 0, forwarded: 0, removed: 0, unpriced: [] };
  const groups = await groupUsers(source, users);
  for (const [index, accounts] of groups.entries()) {
    const one = await moveUsers(from.database, to.database, {
      ...how,
      // Only the move of the last group waits until no device is connected to the previous cell.
      connectedMs: index === groups.length - 1 ? MAX_CONNECTION_TIME_AFTER_MOVE_MS : 0,
      accounts,
      routes,
    });
    report.users += one.users;
    report.moved_before += one.moved_before;
    report.held_ms = Math.max(report.held_ms, one.held_ms);
    report.forwarded += one.forwarded;
    report.removed += one.removed;
    report.unpriced.push(...one.unpriced);
  }
  return report;
}

/** Divides the accounts into groups that must move together. Accounts of an interrupted move come first. */
async function groupUsers(source: Pool, users: readonly string[]): Promise<string[][]> {
  // Raw SQL: the statement joins a list of names.
  const { rows } = await source.query(
    `SELECT n.name, u.user_id, u.enrolled_by FROM unnest($1::text[]) WITH ORDINALITY n (name, place)
     LEFT JOIN users u ON u.user_id = n.name OR lower(u.email) = lower(n.name) ORDER BY place`,
    [users],
  );
  const named = new Set(rows.map(({ user_id }) => user_id));
  const groups = new Map<string, string[]>([['', []]]);
  for (const { name, user_id, enrolled_by } of rows) {
    const key = user_id === null ? '' : named.has(enrolled_by) ? enrolled_by : user_id;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()].filter((group) => group.length > 0);
}
