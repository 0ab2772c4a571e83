import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import { DAY_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { COMPUTED_BEFORE } from '../store.ts';
import { CLOCK } from './edit.ts';

/** A step of a host's clock: what it showed before and after, and since when it had gone without one, Unix ms. */
export interface HostStep {
  host: string;
  beforeMs: number;
  afterMs: number;
  stretchFromMs: number;
}

/**
 * Notes a step of the clock of a host. After a step back of at most a day, readings without a time whose receipt lies in the stretch that the clock
 * goes over again are passed over by an edit whose author is the clock (energy.md, "When the clock was wrong"): a series gets one even
 * without such readings, since it says how much more time has passed. To be called before anything that is received after the step is stored. Returns how
 * many edits were made.
 */
export async function noteClockStep(
  db: Database,
  { host, beforeMs, afterMs, stretchFromMs }: HostStep,
): Promise<number> {
  const [before, after] = [new Date(beforeMs), new Date(afterMs)];
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: here and below relations that only ingest writes.
    const { numAffectedRows } = await sql`
      INSERT INTO clock_steps (host, before_at, after_at) VALUES (${host}, ${before}, ${after}) ON CONFLICT DO NOTHING`.execute(
      trx,
    );
    if (numAffectedRows === 0n || afterMs >= beforeMs || beforeMs - afterMs > DAY_MS) return 0;
    const from = new Date(Math.max(afterMs, stretchFromMs));
    const { rows } = await sql<{ device_id: string; channel: string; kind: string; instants: string[] }>`
      SELECT u.device_id, u.channel, u.kind, array(
          SELECT (extract(epoch FROM r.read_at) * 1000)::bigint FROM readings r
          WHERE r.series_id = s.series_id AND r.read_at >= ${from} AND r.read_at < ${before} AND r.interval_ms >= 0
          ORDER BY 1) AS instants
      FROM untimed_series u JOIN series s USING (device_id, channel, kind) JOIN devices d USING (device_id)
      WHERE u.host = ${host} AND d.deleted_at IS NULL`.execute(trx);
    const concerned = rows.filter(({ kind, instants }) => kind === 'register' || instants.length > 0);
    if (concerned.length === 0) return 0;
    const reason = `the clock of ${host} was set back by ${Math.round((beforeMs - afterMs) / 1_000)} s`;
    await trx
      .updateTable('devices')
      .set({ computed_with: COMPUTED_BEFORE })
      .where('device_id', '=', sql<string>`ANY (${[...new Set(concerned.map(({ device_id }) => device_id))]}::text[])`)
      .execute();
    for (const { device_id, channel, kind, instants } of concerned)
      await trx
        .insertInto('reading_edits')
        .values({
          edit_id: newId('edt'),
          device_id,
          channel,
          kind,
          from_at: after,
          to_at: before,
          value: null,
          reason,
          author: CLOCK,
          created_at: after,
          revoker: null,
          revoked_at: null,
          instants: instants.map(Number),
        })
        .execute();
    return concerned.length;
  });
}
