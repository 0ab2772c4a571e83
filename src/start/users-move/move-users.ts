import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from '#src/database/connect.ts';
import { packChangedHours } from '#src/database/copy/account-bundle.ts';
import {
  assertCopiedRelationsEqual,
  type CopyProgressCallback,
  runWithSourceAndTarget,
  type SynchronisationResult,
  synchroniseRelations,
} from '#src/database/copy/synchronise.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { unpackDaysIntoHours } from '#src/rollups/pack.ts';
import { refreshUntilComplete } from '#src/rollups/refresh.ts';
import { createPoolForMove } from '../move.ts';
import {
  assertAggregatesMatch,
  findKeysWithRows,
  getAccountViewName,
  listConsumptionKeys,
  prepareAccountViews,
  readTotalConsumption,
  recomputeAggregates,
  repairAggregates,
  STREAMED_ACCOUNT_RELATIONS,
} from './account-views.ts';
import { findAccountsToMove } from './choose.ts';
import {
  areAccountsOpenAtTarget,
  closeAccountsAtSource,
  eraseMovedAccounts,
  openAccountsAtTarget,
  reopenAccounts,
} from './close.ts';
import {
  assertSecretKeysDecryptValues,
  connectToInstallations,
  createReencrypter,
  runWithInstallationsLocked,
  type SourceAndTargetInstallations,
} from './installations.ts';
import {
  type AccountRedirector,
  readAccountRoutingNames,
  recordExpectedRoutingNames,
  removeExpectedRoutingNames,
} from './routes.ts';
import { forwardStoredMessages, type IngestSettings, writeMessagesOfReturnedAccounts } from './stored-messages.ts';
import { describeUnpricedTariffs, findUnpricedTariffs, type UnpricedTariff } from './unpriced-tariffs.ts';

export interface UsersMoveReport {
  /** Number of accounts that this run moved. */
  users: number;
  moved_before: number;
  /** Time in ms during which the accounts were closed. */
  held_ms: number;
  /** Number of messages of moved accounts that were forwarded to the target. */
  forwarded: number;
  /** Number of messages that were removed, because their accounts have been erased at the target. */
  removed: number;
  /** Tariffs of the moved accounts that have no prices at the target, because their price series did not move. */
  unpriced: UnpricedTariff[];
}

export interface UsersMoveOptions {
  /** Ids or e-mail addresses of the accounts to move. */
  accounts: readonly string[];
  /** Encryption keys of the two installations. */
  secrets: { source: string; target: string };
  taking: IngestSettings;
  /** Maximum time in ms for which devices may stay connected to the source after the move. Then the last messages are forwarded. */
  connectedMs?: number;
  /** Redirects callers and devices of the accounts. Null or undefined: operators do this by hand. */
  routes?: AccountRedirector | null;
  step(text: string): void;
  progress: CopyProgressCallback;
}

/** Maximum number of copying passes while the accounts are open. */
const MAX_PASSES = 4;
const FEW_ROWS = 10_000;

/**
 * Moves accounts from one running installation (the source) to another (the target): copies their readings, closes the accounts at the
 * source, copies and compares the rest, opens them at the target, and erases them at the source. Later messages to the source are
 * forwarded. If it fails before the accounts are open at the target, they are opened at the source again. May be interrupted at any point
 * and run again.
 */
export async function moveUsers(sourceUrl: string, targetUrl: string, how: UsersMoveOptions): Promise<UsersMoveReport> {
  const pools = {
    source: createPoolForMove(sourceUrl, { side: 'old', max: 8 }),
    target: createPoolForMove(targetUrl, { side: 'new', max: 8 }),
  };
  try {
    const both = await connectToInstallations(pools);
    how.step(`From: ${both.source.database.line}\nTo:   ${both.target.database.line}`);
    return await runWithInstallationsLocked(pools, async () => {
      const chosen = await findAccountsToMove(both, how.accounts);
      const report: UsersMoveReport = {
        users: 0,
        moved_before: chosen.moved.length,
        held_ms: 0,
        forwarded: 0,
        removed: 0,
        unpriced: [],
      };
      await assertSecretKeysDecryptValues(both, how.secrets);
      await writeMessagesOfReturnedAccounts(both.source.pool, how.taking);
      const warning = describeUnpricedTariffs(await findUnpricedTariffs(both, pools.source, chosen.toMove));
      if (warning !== '') how.step(warning);
      if (chosen.unfinished.length > 0) await finish(both, chosen.unfinished, how, report);
      if (chosen.toMove.length > 0) {
        await copyMeanwhile(both, chosen.toMove, how);
        how.step('Closing the accounts here …');
        await closeAndRedirect(both, chosen.toMove, how);
        await finish(both, chosen.toMove, how, report);
      }
      how.step('Forwarding their messages that arrived here …');
      Object.assign(report, await forwardStoredMessages(both, how.taking));
      if (report.users > 0 && how.connectedMs !== undefined) {
        report.forwarded += await forwardUntilDisconnected(both, how.taking, how.connectedMs);
      }
      report.unpriced = await findUnpricedTariffs(both, pools.target, Object.values(chosen).flat());
      return report;
    });
  } finally {
    await Promise.all([pools.source.end(), pools.target.end()]);
  }
}

/** Interval in ms between two checks for messages that devices still send to the source. */
const FORWARD_EVERY_MS = 500;

/** Forwards messages until no device can be connected to the source. Returns their number. */
async function forwardUntilDisconnected(
  both: SourceAndTargetInstallations,
  taking: IngestSettings,
  connectedMs: number,
): Promise<number> {
  let forwarded = 0;
  for (const endsMs = performance.now() + connectedMs; performance.now() < endsMs; ) {
    await pause(FORWARD_EVERY_MS);
    forwarded += (await forwardStoredMessages(both, taking)).forwarded;
  }
  return forwarded;
}

/**
 * Closes accounts at the source. Before that, makes the target answer 503 for the accounts and redirects their callers to the target,
 * because processes of the source may have cached a caller and would continue to serve it. If a step fails, all steps are reverted.
 */
async function closeAndRedirect(
  { source, target }: SourceAndTargetInstallations,
  userIds: string[],
  how: UsersMoveOptions,
): Promise<void> {
  const redirect = async (client: PoolClient) => {
    const names = await readAccountRoutingNames(client, userIds);
    await recordExpectedRoutingNames(target.pool, names);
    await how.routes?.toTarget(names);
  };
  try {
    await closeAccountsAtSource(source.pool, userIds, { toInstallation: target.id, redirect });
  } catch (error) {
    // Redirects the callers back to the source. Errors are ignored, because an unavailable router may be the reason for the failed move.
    await how.routes
      ?.toSource(await readAccountRoutingNames(source.pool, userIds))
      .catch(({ message }: Error) => how.step(message));
    await removeExpectedRoutingNames(target.pool, userIds);
    throw error;
  }
}

/** Copies `STREAMED_ACCOUNT_RELATIONS` once. Afterwards, the target's rows equal the rows that the source had at the time of this copy. */
async function pass(
  both: SourceAndTargetInstallations,
  userIds: readonly string[],
  { progress }: UsersMoveOptions,
  compare = false,
): Promise<SynchronisationResult[]> {
  const { source, target } = both;
  const arePacked = !source.database.capabilities.compression;
  if (source.database.capabilities.continuousAggregates) await refreshUntilComplete(source.pool, new Date());
  // The target's continuous aggregates need a row for each hour, so the source's rows that contain a whole day are unpacked.
  else if (arePacked && target.database.capabilities.continuousAggregates)
    await unpackDaysIntoHours(source.pool, listConsumptionKeys(userIds));
  return runWithSourceAndTarget({ source: source.pool, target: target.pool }, async (ends) => {
    await prepareAccountViews(ends, userIds);
    const done = await synchroniseRelations(ends, STREAMED_ACCOUNT_RELATIONS, { held: false, onProgress: progress });
    if (compare) await assertCopiedRelationsEqual(ends, done, getAccountViewName);
    return done;
  });
}

async function copyMeanwhile(
  both: SourceAndTargetInstallations,
  userIds: readonly string[],
  how: UsersMoveOptions,
): Promise<void> {
  how.step('Copying while both installations run …');
  for (let passes = 1; passes <= MAX_PASSES; passes++) {
    const done = await pass(both, userIds, how);
    if (passes === 1) {
      how.step('Computing the aggregates there …');
      await repairAggregates(both.target, await findKeysWithRows(both.target.pool, listConsumptionKeys(userIds)));
    } else await computeSince(both, userIds, done);
    if (done.reduce((sum, { copied }) => sum + copied, 0) <= FEW_ROWS) return;
  }
}

/** Recomputes the aggregates of the hours that the copying has changed. `since`: time of the first change, or null. */
async function computeSince(
  { target }: SourceAndTargetInstallations,
  userIds: readonly string[],
  done: readonly SynchronisationResult[],
): Promise<Date | null> {
  const days = done
    .filter(({ relation }) => relation.startsWith('device_'))
    .flatMap(({ since }) => since?.getTime() ?? []);
  if (days.length === 0) return null;
  const since = new Date(Math.min(...days));
  await recomputeAggregates(target, await findKeysWithRows(target.pool, listConsumptionKeys(userIds)), since);
  return since;
}

/** Completes the move of closed accounts. If a step fails before they are open at the target, opens them at the source again. */
async function finish(
  both: SourceAndTargetInstallations,
  userIds: readonly string[],
  how: UsersMoveOptions,
  report: UsersMoveReport,
): Promise<void> {
  const { source, target } = both;
  if (!(await areAccountsOpenAtTarget(target.pool, userIds, source.id))) {
    try {
      await bringOver(both, userIds, how, report);
    } catch (error) {
      await giveBack(both, userIds, how, error as Error);
      throw error;
    }
  }
  // Redirects all callers again, because a killed command may have redirected only some of them.
  await how.routes?.toTarget(await readAccountRoutingNames(source.pool, userIds));
  report.users += userIds.length;
  how.step('Erasing them here …');
  await eraseMovedAccounts(source.pool, userIds);
}

async function bringOver(
  both: SourceAndTargetInstallations,
  userIds: readonly string[],
  how: UsersMoveOptions,
  report: UsersMoveReport,
): Promise<void> {
  const { source, target } = both;
  how.step('Copying data that arrived since, and comparing …');
  const done = await pass(both, userIds, how, true);
  // After the accounts were closed, the source may have queued further changed hours for them. Moves these to the target's queue.
  await runInTransaction(source.pool, (client) => packChangedHours(client, userIds));
  const since = await computeSince(both, userIds, done);
  const keys = await findKeysWithRows(target.pool, listConsumptionKeys(userIds));
  await assertAggregatesMatch(target, keys, since ?? new Date());
  const [was, is] = await Promise.all([
    readTotalConsumption(source.pool, 'closed_device_hourly', listConsumptionKeys(userIds)),
    readTotalConsumption(target.pool, 'closed_user_daily', listConsumptionKeys(userIds)),
  ]);
  if (was !== is) throw new Error(`the aggregates there contain ${is} mWh, and should contain ${was}`);
  how.step('Opening the accounts there …');
  await runWithSourceAndTarget({ source: source.pool, target: target.pool }, (ends) =>
    openAccountsAtTarget(ends, userIds, { fromInstallation: source.id, reseal: createReencrypter(how.secrets) }),
  );
  // Raw SQL in this file: uses the database's clock, and lists of ids.
  const { rows } = await source.pool.query(
    'SELECT round(extract(epoch FROM clock_timestamp() - min(closed_at)) * 1000)::bigint AS ms FROM departures WHERE user_id = ANY ($1)',
    [userIds],
  );
  report.held_ms = Math.max(report.held_ms, rows[0].ms);
}

/**
 * Opens accounts at the source again after a failure. Throws instead if they may already be open at the target; they then remain closed at
 * the source.
 */
async function giveBack(
  { source, target }: SourceAndTargetInstallations,
  userIds: readonly string[],
  { step, taking, routes }: UsersMoveOptions,
  error: Error,
): Promise<void> {
  const areThere = await areAccountsOpenAtTarget(target.pool, userIds, source.id).catch(() => null);
  if (areThere !== false)
    throw new Error(
      `The accounts are closed here, and ${areThere ? 'open there' : 'it is not known whether they are open there'} (${error.message}). ` +
        'The messages of their devices are stored. Run the command again.',
      { cause: error },
    );
  step('Opening the accounts here again …');
  await reopenAccounts(source.pool, userIds);
  await routes?.toSource(await readAccountRoutingNames(source.pool, userIds));
  await removeExpectedRoutingNames(target.pool, userIds);
  await writeMessagesOfReturnedAccounts(source.pool, taking);
}
