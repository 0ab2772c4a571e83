import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '#src/database/connect.ts';
import type { WebhookReceiver } from '../../../test/support/receiver.ts';
import type { ChaosRunDifference, ChaosRunRecords } from '../cluster/compare.ts';
import type { PublishingHome } from '../cluster/homes.ts';
import type { FinalStateVerdict } from '../cluster/verdict.ts';

/** Errors that `injectErrors` makes in the data, by the kind of difference that the comparison must then report. */
const PLANTED: Record<Extract<ChaosRunDifference['kind'], 'lost' | 'doubled' | 'wrongHour' | 'toldAgain'>, string> = {
  lost: 'a stored reading deleted',
  doubled: 'a stored reading stored again',
  wrongHour: 'an hour of a home changed by 1 mWh',
  toldAgain: 'an event sent again',
};

interface Deliveries {
  receiver: WebhookReceiver;
  /** Periods in which a fault may have interrupted deliveries. */
  cutOff: ChaosRunRecords['cutOff'];
}

/** Returns an event that was sent exactly once, and not during a fault, because calls during a fault may be repeated. */
const findUndisturbedCall = ({ receiver: { calls }, cutOff }: Deliveries) =>
  calls.find(
    ({ atMs, body }) =>
      !cutOff.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs) &&
      calls.filter((call) => call.body === body).length === 1,
  );

/** Waits for at most `withinMs` until the data contain what `injectErrors` needs. */
export async function waitUntilErrorsCanBeInjected(
  pool: Pool,
  [, other]: readonly PublishingHome[],
  deliveries: Deliveries,
  withinMs: number,
): Promise<void> {
  for (const untilMs = Date.now() + withinMs; Date.now() < untilMs; await pause(1_000)) {
    const { rowCount } = await pool.query('SELECT FROM closed_user_hourly WHERE user_id = $1 LIMIT 1', [other?.userId]);
    if (rowCount === 1 && findUndisturbedCall(deliveries)) return;
  }
}

/**
 * Makes one error of each kind in the data of a finished run, to test that the comparison finds errors. `pool`: database of the homes.
 * Throws if there are too few events or hours.
 */
export async function injectErrors(
  pool: Pool,
  homes: readonly PublishingHome[],
  deliveries: Deliveries,
): Promise<void> {
  const [one, other] = homes;
  const call = findUndisturbedCall(deliveries);
  if (!one || !other || !call)
    throw new Error('too little has happened to plant errors: two homes and an event outside all faults are needed');
  const change = async (text: string, id: string) => {
    const { rowCount } = await pool.query(text, [id]);
    if (rowCount !== 1) throw new Error(`a planted error changed ${rowCount} rows, not one: ${text}`);
  };
  const latest = 'SELECT r.series_id, r.read_at FROM readings r JOIN series s USING (series_id) WHERE s.device_id = $1';
  await change(
    `DELETE FROM readings WHERE (series_id, read_at) = (${latest} ORDER BY r.read_at DESC LIMIT 1)`,
    one.deviceId,
  );
  // Stores the latest reading a second time. The copy has a different interval length, because the primary key contains the interval
  // length.
  await change(
    `INSERT INTO readings (series_id, read_at, interval_ms, value)
     SELECT series_id, read_at, 1, value FROM readings WHERE (series_id, read_at) = (${latest} ORDER BY r.read_at DESC LIMIT 1)`,
    other.deviceId,
  );
  await change(
    `UPDATE closed_user_hourly SET energy_milliwatt_hours = energy_milliwatt_hours + 1
     WHERE (user_id, hour) = (SELECT user_id, hour FROM closed_user_hourly WHERE user_id = $1 ORDER BY hour LIMIT 1)`,
    other.userId,
  );
  deliveries.receiver.calls.push({ ...call, atMs: Date.now() });
}

/**
 * Returns the kinds of injected errors that the comparison missed: after the injection, it must report exactly one more error of each kind.
 */
export const findUndetectedErrors = (
  before: FinalStateVerdict['faults'],
  after: FinalStateVerdict['faults'],
): string[] =>
  Object.entries(PLANTED).flatMap(([name, what]) => {
    const kind = name as keyof typeof PLANTED;
    return after[kind] - before[kind] === 1 ? [] : [what];
  });
