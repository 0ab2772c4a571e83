import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { databaseOn, type Pool } from '#src/database/connect.ts';
import {
  compareUnpacked,
  copyBundle,
  renumber,
  resealIncoming,
  unpackAccounts,
} from '#src/database/copy/account-bundle.ts';
import type { Ends } from '#src/database/copy/synchronise.ts';
import { inTransaction, transactionOn } from '#src/database/transaction.ts';
import { noteMove } from './note.ts';

// Raw SQL: locks, and relations as parcels.

/**
 * Opens accounts at the target in one transaction: all rows that were taken out of the source, under numbers of the target's, sealed with its key,
 * compared by count and sum. Their readings and their load profile are there already. Answers the rows of each relation.
 */
export async function openAccounts(
  { source, target }: Ends,
  userIds: readonly string[],
  { fromInstallation, reseal }: { fromInstallation: string; reseal: (sealed: Buffer) => Buffer },
): Promise<{ relation: string; rows: number }[]> {
  return transactionOn(target, async () => {
    await target.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.usersArrival]);
    await copyBundle(source, target);
    await renumber(target);
    await resealIncoming(target, reseal);
    await unpackAccounts(target);
    const relations = await compareUnpacked(target, userIds);
    await target.query(
      'DELETE FROM arriving_series WHERE device_id IN (SELECT device_id FROM devices WHERE user_id = ANY ($1))',
      [userIds],
    );
    // They may have left from here once.
    await target.query('DELETE FROM departures WHERE user_id = ANY ($1)', [userIds]);
    await target.query('INSERT INTO arrivals (user_id, from_installation) SELECT unnest($1::text[]), $2', [
      userIds,
      fromInstallation,
    ]);
    await noteMove(databaseOn(target), userIds, 'user.arrived', { from: fromInstallation });
    return relations;
  });
}

/** Whether closed accounts were opened at the target. Waits for whoever is at it: a transaction of a process that was killed may go on for a while. */
export async function areOpen(target: Pool, userIds: readonly string[], fromInstallation: string): Promise<boolean> {
  return inTransaction(target, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.usersArrival]);
    const { rows } = await client.query(
      'SELECT count(*)::int AS arrived FROM arrivals WHERE user_id = ANY ($1) AND from_installation = $2',
      [userIds, fromInstallation],
    );
    return rows[0].arrived > 0;
  });
}
