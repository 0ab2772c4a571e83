import { sql } from 'kysely';
import { createId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { PREVIOUS_COUNTING_SETTINGS } from '../store.ts';
import { CLOCK_STEP_AUTHOR } from './edit.ts';

/**
 * A step of a host's clock. `beforeMs` and `afterMs`: the time that the clock showed immediately before and after the step.
 * `stretchFromMs`: time since which the clock had run without a step. Unix ms.
 */
interface HostClockStep {
  host: string;
  beforeMs: number;
  afterMs: number;
  stretchFromMs: number;
}

/**
 * Records that a host's clock was set back. The clock then shows some times twice. Edits with the author `clock` exclude the readings that
 * were stored with these times before the step. Must be called before any later reading is stored. Returns the number of edits.
 */
export async function recordClockStep(
  db: Database,
  { host, beforeMs, afterMs, stretchFromMs }: HostClockStep,
): Promise<number> {
  const [before, after] = [new Date(beforeMs), new Date(afterMs)];
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL, here and below: the tables are not declared for typed queries, because only ingest writes them.
    const { numAffectedRows } = await sql`
      INSERT INTO clock_steps (host, before_at, after_at) VALUES (${host}, ${before}, ${after}) ON CONFLICT DO NOTHING`.execute(
      trx,
    );
    if (numAffectedRows === 0n || afterMs >= beforeMs || beforeMs - afterMs > DAY_MS) return 0;
    const edits = await editsOfStep(trx, { host, before, after, stretchFrom: new Date(stretchFromMs) });
    if (edits.length === 0) return 0;
    const reason = `the clock of ${host} was set back by ${Math.round((beforeMs - afterMs) / 1_000)} s`;
    await trx
      .updateTable('devices')
      .set({ computed_with: PREVIOUS_COUNTING_SETTINGS })
      .where('device_id', '=', sql<string>`ANY (${[...new Set(edits.map(({ device_id }) => device_id))]}::text[])`)
      .execute();
    for (const { device_id, channel, kind, from_at, value, instants } of edits) {
      if (value !== null) await beginAt(trx, { device_id, channel, from_at, value });
      await trx
        .insertInto('reading_edits')
        .values({
          edit_id: createId('edt'),
          device_id,
          channel,
          kind,
          from_at,
          to_at: before,
          value,
          reason,
          author: CLOCK_STEP_AUTHOR,
          created_at: after,
          revoker: null,
          revoked_at: null,
          instants: instants.map(Number),
        })
        .execute();
    }
    return edits.length;
  });
}

interface EditOfStep {
  device_id: string;
  channel: string;
  kind: string;
  from_at: Date;
  /** First value of the register in the time that the clock shows twice, in mWh. Null if there is none. */
  value: number | null;
  /** Times of the readings that the edit excludes, in Unix ms as text. */
  instants: string[];
}

/**
 * Builds an edit for each series whose readings got their time from the host's clock. The edit covers the time that the clock shows twice.
 * For a register, the edit begins immediately before this time and adds a reading there with the first value of this time. The energy of
 * this time therefore counts. `instants` includes the starts of earlier edits by the clock, whose added readings are also excluded.
 */
async function editsOfStep(
  db: Database,
  { host, before, after, stretchFrom }: { host: string; before: Date; after: Date; stretchFrom: Date },
): Promise<EditOfStep[]> {
  const { rows } = await sql<EditOfStep>`
    WITH untimed AS (
      SELECT s.series_id, u.device_id, u.channel, u.kind, b.from_at
      FROM untimed_series u JOIN series s USING (device_id, channel, kind) JOIN devices d USING (device_id)
      CROSS JOIN LATERAL (
        SELECT CASE WHEN u.kind <> 'register' THEN ${after}::timestamptz ELSE (
          SELECT t FROM (SELECT generate_series(${after}::timestamptz - interval '1 ms', ${after}::timestamptz - interval '1 h', interval '-1 ms') AS t) g
          WHERE NOT EXISTS (
            SELECT FROM reading_edits e WHERE e.device_id = u.device_id AND e.channel = u.channel AND e.kind = u.kind
              AND e.from_at = t AND (e.value IS NOT NULL OR e.instants IS NOT NULL))
          LIMIT 1) END AS from_at) b
      WHERE u.host = ${host} AND d.deleted_at IS NULL),
    by_clock AS (
      SELECT u.series_id, e.from_at, e.value, e.instants, e.revoked_at IS NULL AS is_in_force
      FROM untimed u JOIN reading_edits e USING (device_id, channel, kind) WHERE u.kind = 'register' AND e.instants IS NOT NULL),
    stretch AS (
      SELECT series_id, (extract(epoch FROM at) * 1000)::bigint AS ms, value FROM (
        SELECT u.series_id, r.read_at AS at, r.value FROM untimed u JOIN readings r USING (series_id)
        WHERE r.read_at >= ${after}::timestamptz - interval '1 h' AND r.read_at >= greatest(u.from_at, ${stretchFrom}::timestamptz) AND r.read_at < ${before} AND r.interval_ms >= 0
        UNION ALL
        SELECT u.series_id, c.from_at, CASE WHEN c.is_in_force THEN c.value END FROM untimed u JOIN by_clock c USING (series_id)
        WHERE c.from_at >= u.from_at AND c.from_at < ${before}) s),
    passed AS (SELECT DISTINCT series_id, unnest(instants) AS ms FROM by_clock WHERE is_in_force),
    found AS (
      SELECT s.series_id, array_agg(DISTINCT s.ms) AS instants,
        (array_agg(s.value ORDER BY s.ms) FILTER (WHERE s.value IS NOT NULL AND p.ms IS NULL))[1] AS value
      FROM stretch s LEFT JOIN passed p USING (series_id, ms) GROUP BY 1)
    SELECT u.device_id, u.channel, u.kind, u.from_at, CASE WHEN u.kind = 'register' THEN f.value END AS value, coalesce(f.instants, '{}') AS instants
    FROM untimed u LEFT JOIN found f USING (series_id)
    WHERE u.kind = 'register' OR f.series_id IS NOT NULL`.execute(db);
  return rows;
}

/**
 * Updates the series of a register to which an edit adds a reading. If the added reading is the first one, its time becomes
 * `first_read_at`. The energy since the added reading then contributes to the totals.
 */
async function beginAt(
  db: Database,
  { device_id, channel, from_at, value }: Pick<EditOfStep, 'device_id' | 'channel' | 'from_at' | 'value'>,
): Promise<void> {
  await sql`
    UPDATE series SET first_read_at = least(first_read_at, ${from_at}),
      nonzero_at = CASE WHEN ${value !== 0} THEN least(nonzero_at, ${from_at}) ELSE nonzero_at END
    WHERE device_id = ${device_id} AND channel = ${channel} AND kind = 'register'`.execute(db);
}
