import { maskUrl, urlsOfHosts } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { readBelievedTime } from '#src/database/believed-time.ts';
import { commitFacts, commitRisks, lookAtCapabilities } from '#src/database/capabilities.ts';
import { createPool, type Pool, queryOn } from '#src/database/connect.ts';
import { waiting } from '#src/database/inventory.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { schemaState } from '#src/database/migrate.ts';
import { sealedSamples } from '#src/database/sealed.ts';
import { checkUser } from '#src/rollups/check.ts';
import { deviceCounts, outboxValues } from '#src/start/metrics.ts';
import type { DatabaseContent, DatabaseFacts, DatabaseServer } from '../facts.ts';
import { within } from './network.ts';

/** Longest that one statement takes, and all of them together. */
const STATEMENT_MS = 4_000;
const WHOLE_MS = 12_000;

/** Looks at the database: only reads. `sealed`: some of what is stored sealed; null where it could not be asked. */
export async function gatherDatabase(config: Config): Promise<{ facts: DatabaseFacts; sealed: Buffer[] | null }> {
  const isEmbedded = config.database.url === undefined;
  const shown = isEmbedded ? `the embedded database in ${config.dataDir}` : maskUrl(config.database.url ?? '');
  let sealed: Buffer[] | null = null;
  let pool: Pool | undefined;
  const server = await within(async () => {
    const url = await databaseUrl(config);
    pool = createPool(url, {
      max: 2,
      applicationName: 'energy doctor',
      settings: [`statement_timeout=${STATEMENT_MS}`],
    });
    const clock = await compareClocks(pool);
    const looked = await look(pool, config, url, clock);
    if (looked.schema.isMade) sealed = await sealedSamples(queryOn(pool)).catch(() => null);
    else sealed = [];
    return looked;
  }, WHOLE_MS);
  // A server that hangs lets no connection end: the process ends without it.
  void pool?.end().catch(() => {});
  return { facts: { isEmbedded, shown, server }, sealed };
}

async function look(pool: Pool, config: Config, url: string, clock: DatabaseServer['clock']): Promise<DatabaseServer> {
  const kind = await within(async () => {
    const { line, capabilities } = await lookAtCapabilities(pool, config.database.timescale);
    return { line, capabilities };
  });
  const schema = await schemaState(pool);
  const hosts = urlsOfHosts(url).length;
  const isOurs = schema.isMade && schema.pending.length === 0 && schema.unknown.length === 0;
  return {
    kind,
    clock,
    schema,
    commitRisks: commitRisks(await commitFacts(queryOn(pool), hosts)),
    content: isOurs ? await within<DatabaseContent>(() => databaseContent(pool)) : null,
  };
}

/** The database's clock against this machine's, in the middle of the shortest of a few questions. */
async function compareClocks(pool: Pool): Promise<DatabaseServer['clock']> {
  const samples: DatabaseServer['clock'][] = [];
  for (let index = 0; index < 3; index++) {
    const beforeMs = Date.now();
    // Raw SQL: the server's clock.
    const { rows } = await pool.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    const afterMs = Date.now();
    const uncertainMs = (afterMs - beforeMs) / 2;
    samples.push({ aheadMs: (rows[0]?.ms ?? beforeMs) - (beforeMs + uncertainMs), uncertainMs });
  }
  return samples.reduce((best, one) => (one.uncertainMs < best.uncertainMs ? one : best));
}

/** So far what waits is counted. */
const MOST = 100_000;

/** What is in the database of a service, counted. */
async function databaseContent(pool: Pool): Promise<DatabaseContent> {
  const counts = await deviceCounts(pool);
  const { energy_delivery_overdue_seconds: overdueSeconds = 0 } = await outboxValues(pool);
  const { lateDifferences, staleDays, usageChanges, deliveries } = await waiting(queryOn(pool), new Date(), MOST);
  // Raw SQL: counts over two relations; `recent_rejects` has a bit for each of the last 20 messages.
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
    usageChangesWaiting: usageChanges,
    lateDifferences,
    staleDays,
    compared: userId === null ? null : await compared(pool, userId),
  };
}

/** One account's aggregates of this month, against its load profile: what `energy rollups check` does with all of them. */
async function compared(pool: Pool, userId: string): Promise<DatabaseContent['compared']> {
  const now = new Date();
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const differences = await checkUser(pool, userId, since).catch(() => null);
  return differences && { userId, differing: differences.length };
}
