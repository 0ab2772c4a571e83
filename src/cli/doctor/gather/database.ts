import { maskUrl, splitDatabaseUrl } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { readBelievedTime } from '#src/database/believed-time.ts';
import { inspectCapabilities, listDurabilityRisks, readCommitSettings } from '#src/database/capabilities.ts';
import { createDatabase, createPool, createQueryFunctionOnConnection, type Pool } from '#src/database/connect.ts';
import { isEmbeddedDatabaseUrl } from '#src/database/embedded-postgres.ts';
import { readBacklogs } from '#src/database/inventory.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { readSchemaState } from '#src/database/migrate.ts';
import { readSamplesOfEncryptedValues } from '#src/database/sealed.ts';
import { readRestoreHoldTime } from '#src/delivery/hold.ts';
import { checkUserRollups } from '#src/rollups/check.ts';
import { readDeviceCounts, readOutboxMetrics } from '#src/start/metrics.ts';
import type { DatabaseContent, DatabaseFacts, DatabaseServer } from '../facts.ts';
import { probeWithTimeout } from './network.ts';

/** Time limit in ms of each statement, and of all statements together. */
const STATEMENT_MS = 4_000;
const WHOLE_MS = 12_000;

/** Gathers facts about the database without changing it. `sealed`: some of the encrypted values; null if they could not be read. */
export async function gatherDatabaseFacts(config: Config): Promise<{ facts: DatabaseFacts; sealed: Buffer[] | null }> {
  const isEmbedded = isEmbeddedDatabaseUrl(config.database.url, config.dataDir);
  const shown = isEmbedded ? `the embedded database in ${config.dataDir}` : maskUrl(config.database.url ?? '');
  let sealed: Buffer[] | null = null;
  let pool: Pool | undefined;
  const server = await probeWithTimeout(async () => {
    const url = await findDatabaseUrl(config);
    pool = createPool(url, {
      max: 2,
      applicationName: 'energy doctor',
      settings: [`statement_timeout=${STATEMENT_MS}`],
    });
    const clock = await compareClocks(pool);
    const looked = await look(pool, config, url, clock);
    if (looked.schema.isMade)
      sealed = await readSamplesOfEncryptedValues(createQueryFunctionOnConnection(pool)).catch(() => null);
    else sealed = [];
    return looked;
  }, WHOLE_MS);
  // The end of the pool is not awaited, because a connection to a server that hangs never closes.
  void pool?.end().catch(() => {});
  return { facts: { isEmbedded, shown, server }, sealed };
}

async function look(pool: Pool, config: Config, url: string, clock: DatabaseServer['clock']): Promise<DatabaseServer> {
  const kind = await probeWithTimeout(async () => {
    const { line, capabilities } = await inspectCapabilities(pool, config.database.timescale);
    return { line, capabilities };
  });
  const schema = await readSchemaState(pool);
  const hosts = splitDatabaseUrl(url).length;
  const isOurs = schema.isMade && schema.pending.length === 0 && schema.unknown.length === 0;
  return {
    kind,
    clock,
    schema,
    commitRisks: listDurabilityRisks(await readCommitSettings(createQueryFunctionOnConnection(pool), hosts)),
    content: isOurs ? await probeWithTimeout<DatabaseContent>(() => databaseContent(pool)) : null,
  };
}

/** Compares the database's clock with this machine's, by the fastest of a few queries. */
async function compareClocks(pool: Pool): Promise<DatabaseServer['clock']> {
  const samples: DatabaseServer['clock'][] = [];
  for (let index = 0; index < 3; index++) {
    const beforeMs = Date.now();
    // Raw SQL: reads the server's clock.
    const { rows } = await pool.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const afterMs = Date.now();
    const uncertainMs = (afterMs - beforeMs) / 2;
    samples.push({ aheadMs: (rows[0]?.ms ?? beforeMs) - (beforeMs + uncertainMs), uncertainMs });
  }
  return samples.reduce((best, one) => (one.uncertainMs < best.uncertainMs ? one : best));
}

/** Maximum number of pending rows that the query counts. */
const MOST = 100_000;

async function databaseContent(pool: Pool): Promise<DatabaseContent> {
  const counts = await readDeviceCounts(pool);
  const { energy_delivery_overdue_seconds: overdueSeconds = 0 } = await readOutboxMetrics(pool);
  const { lateDifferences, staleDays, usageChanges, deliveries } = await readBacklogs(
    createQueryFunctionOnConnection(pool),
    new Date(),
    MOST,
  );
  // Raw SQL: counts rows of two tables. Each bit of `recent_rejects` stands for one of a device's last 20 messages.
  const { rows } = await pool.query<{ devices: number; heard: number; rejected: number; userId: string | null }>(
    `SELECT (SELECT count(*) FROM devices WHERE deleted_at IS NULL)::int AS devices, count(*)::int AS heard,
       coalesce(sum(bit_count(d.recent_rejects::bit(20))), 0)::int AS rejected,
       (array_agg(h.user_id ORDER BY h.seen_at DESC))[1] AS "userId"
     FROM device_heads h JOIN devices d USING (device_id)
     WHERE h.seen_at > now() - interval '24 hours' AND d.deleted_at IS NULL`,
  );
  const { devices = 0, heard = 0, rejected = 0, userId = null } = rows[0] ?? {};
  return {
    believedMs: (await readBelievedTime(pool))?.getTime() ?? null,
    devices,
    heardInDay: counts.energy_devices_heard_in_day ?? 0,
    heardInHour: counts.energy_devices_heard_in_hour ?? 0,
    faulty: counts.energy_devices_faulty ?? 0,
    lastMessages: { all: heard * 20, rejected },
    overdueSeconds,
    deliveriesWaiting: deliveries,
    heldBefore: await readRestoreHoldTime(createDatabase(pool)),
    usageChangesWaiting: usageChanges,
    lateDifferences,
    staleDays,
    compared: userId === null ? null : await compared(pool, userId),
  };
}

/** Compares this month's aggregates of one account with its quarter-hours. */
async function compared(pool: Pool, userId: string): Promise<DatabaseContent['compared']> {
  const now = new Date();
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const differences = await checkUserRollups(pool, userId, since).catch(() => null);
  return differences && { userId, differing: differences.length };
}
