import type { SeriesReading, SeriesReadingWithVerdict } from '#ingest/normalise/counting-rule.ts';
import { areSeriesRolesEqual, hasMatchingSeriesRole } from '#ingest/normalise/roles-by-time.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { isElectricityQuantity } from '#src/database/meter.ts';
import type { FastPathResult } from './fast-path.ts';
import type { DeviceWritePlan } from './plan.ts';
import { getTariffRuleStartMs, isSeriesRemovedFromTotals, type SeriesWritePlan } from './series-plan.ts';
import { type BatchStatement, createBatchStatement, encodeBigints, encodeTimestamps } from './statement.ts';

export interface SeriesWritePlanWithId {
  deviceId: string;
  seriesId: number;
  plan: SeriesWritePlan;
}

/** Stores new series. Returns all series of the batch with their ids. */
export async function createSeries(
  client: PoolClient,
  plans: readonly DeviceWritePlan[],
): Promise<SeriesWritePlanWithId[]> {
  const stored: SeriesWritePlanWithId[] = [];
  const fresh: { deviceId: string; plan: SeriesWritePlan }[] = [];
  for (const { device, series } of plans) {
    for (const plan of series) {
      const { seriesId } = plan.series;
      if (seriesId === null) fresh.push({ deviceId: device.deviceId, plan });
      else stored.push({ deviceId: device.deviceId, seriesId, plan });
    }
  }
  if (fresh.length === 0) return stored;
  // Raw SQL: each batch runs this prepared statement, which takes arrays.
  const { rows } = await client.query(
    `INSERT INTO series (device_id, channel, kind, counts_import, counts_export, meter, tariff_since, first_read_at, nonzero_at, earlier_roles, native_name, unit, described, meant)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[],
       $10::jsonb[], $11::text[], $12::text[], $13::jsonb[], $14::text[])
     RETURNING series_id, device_id, channel, kind`,
    [
      fresh.map(({ deviceId }) => deviceId),
      fresh.map(({ plan }) => plan.series.channel),
      fresh.map(({ plan }) => plan.series.kind),
      ...roleColumns(fresh),
      fresh.map(({ plan }) => plan.series.nativeName ?? null),
      fresh.map(({ plan }) => plan.series.unit ?? null),
      fresh.map(({ plan }) => (plan.series.described ? JSON.stringify(plan.series.described) : null)),
      fresh.map(({ plan }) => plan.meant),
    ],
  );
  const keyOf = (deviceId: string, channel: string, kind: string) => `${deviceId}\n${channel}\n${kind}`;
  const ids = new Map(rows.map((row) => [keyOf(row.device_id, row.channel, row.kind), row.series_id]));
  for (const { deviceId, plan } of fresh) {
    const { channel, kind } = plan.series;
    stored.push({ deviceId, seriesId: ids.get(keyOf(deviceId, channel, kind)), plan });
  }
  return stored;
}

/** Electricity and separately reported energy have different columns. */
const roleColumns = (plans: readonly { plan: SeriesWritePlan }[]): unknown[] => [
  plans.map(({ plan: { roles } }) => roles.import && (roles.meter === null || isElectricityQuantity(roles.meter))),
  plans.map(({ plan: { roles } }) => roles.export),
  plans.map(({ plan: { roles } }) => roles.meter),
  plans.map(({ plan }) => tariffSince(plan)),
  plans.map(({ plan: { firsts } }) => timeOf(firsts.firstReadAtMs)),
  plans.map(({ plan: { firsts } }) => timeOf(firsts.nonzeroAtMs)),
  plans.map(({ plan }) => earlierRolesText(plan)),
];

const timeOf = (ms: number | null | undefined): string | null => (ms == null ? null : new Date(ms).toISOString());

/**
 * Returns the value of `series.tariff_since`. A former tariff register that contributes to no total keeps its value, because this value
 * determines how the register's earlier energy is distributed over time.
 */
function tariffSince(plan: SeriesWritePlan): string | null {
  const { import: imports, export: exports } = plan.roles;
  const isTariff = imports || exports ? plan.roles.isTariff : hasMatchingSeriesRole(plan, (roles) => roles.isTariff);
  if (!isTariff) return null;
  const ms = getTariffRuleStartMs(plan);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : '-infinity';
}

const hasChanged = (plan: SeriesWritePlan): boolean =>
  !areSeriesRolesEqual(plan.roles, plan.series.roles) ||
  (plan.series.described != null && plan.meant !== (plan.series.meant ?? null)) ||
  getTariffRuleStartMs(plan) !== plan.series.tariffSinceMs ||
  plan.firsts.firstReadAtMs !== plan.series.firstReadAtMs ||
  plan.firsts.nonzeroAtMs !== plan.series.nonzeroAtMs ||
  earlierRolesText(plan) !== earlierRolesText(plan.series);

const earlierRolesText = ({ earlierRoles }: Pick<SeriesWritePlan, 'earlierRoles'>): string | null =>
  earlierRoles
    ? JSON.stringify(
        earlierRoles.map(({ untilMs, roles }) => ({
          until_ms: untilMs,
          import: roles.import,
          export: roles.export,
          meter: roles.meter,
          is_tariff: roles.isTariff ?? false,
        })),
      )
    : null;

export function updateSeries(stored: readonly SeriesWritePlanWithId[]): BatchStatement[] {
  const changed = stored.filter(({ plan }) => plan.series.seriesId !== null && hasChanged(plan));
  if (changed.length === 0) return [];
  const text = `UPDATE series s SET counts_import = c.i, counts_export = c.e, meter = c.m, tariff_since = c.since, first_read_at = c.first, nonzero_at = c.nonzero,
                  earlier_roles = c.earlier, meant = coalesce(c.meant, s.meant)
                FROM unnest($1::bigint[], $2::boolean[], $3::boolean[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::jsonb[], $9::text[])
                  c (series_id, i, e, m, since, first, nonzero, earlier, meant)
                WHERE s.series_id = c.series_id`;
  const values = [
    changed.map(({ seriesId }) => seriesId),
    ...roleColumns(changed),
    changed.map(({ plan }) => plan.meant),
  ];
  return [createBatchStatement({ text, values })];
}

interface Rows<P extends SeriesReading> {
  seriesIds: number[];
  points: P[];
}

function rowsOf<P extends SeriesReading>(
  stored: readonly SeriesWritePlanWithId[],
  of: (plan: SeriesWritePlan) => readonly P[],
): Rows<P> {
  const rows: Rows<P> = { seriesIds: [], points: [] };
  for (const { seriesId, plan } of stored) {
    for (const point of of(plan)) {
      rows.seriesIds.push(seriesId);
      rows.points.push(point);
    }
  }
  return rows;
}

const NO_POINTS: readonly SeriesReadingWithVerdict[] = [];

/**
 * Returns a function that selects the readings whose verdict has changed: to a verdict (`isNoted` true), or from a verdict to none (false).
 */
const judged = (isNoted: boolean) => (plan: SeriesWritePlan) =>
  plan.verdicts ? [...plan.verdicts.values()].filter(({ verdict }) => (verdict !== null) === isNoted) : NO_POINTS;

const KEY = '$1::bigint[], $2::timestamptz[], $3::bigint[]';
const MATCH = 't.series_id = c.series_id AND t.read_at = c.read_at AND t.interval_ms = c.interval_ms';

const keys = ({ seriesIds, points }: Rows<SeriesReading>) => [
  encodeBigints(seriesIds),
  encodeTimestamps(points.map(({ readAtMs }) => readAtMs)),
  encodeBigints(points.map(({ intervalMs }) => intervalMs)),
];
const values = ({ points }: Rows<SeriesReading>) => encodeBigints(points.map(({ value }) => value));

/**
 * Deletes a manual reading. With a constant key, TimescaleDB decompresses only a small part of a chunk; with a join, it would decompress
 * all of it.
 */
const withdraw = (key: readonly unknown[]): BatchStatement[] =>
  ['readings', 'closed_readings'].map((relation) =>
    createBatchStatement({
      text: `DELETE FROM ${relation} WHERE series_id = $1 AND read_at = $2 AND interval_ms = $3`,
      values: [...key],
    }),
  );

/** Adds a statement if there are rows. `more`: values of the fourth column. */
function addStep(
  steps: BatchStatement[],
  rows: Rows<SeriesReading>,
  { text, more, name }: { text: string; more?: (string | null)[] | Buffer; name?: string },
): void {
  if (rows.points.length === 0) return;
  steps.push(createBatchStatement({ ...(name && { name }), text, values: more ? [...keys(rows), more] : keys(rows) }));
}

/** Stores readings and verdicts. A manual reading is stored in addition to the sent ones. */
export function saveReadings(
  { seriesIds, readings }: FastPathResult,
  stored: readonly SeriesWritePlanWithId[],
): BatchStatement[] {
  const steps: BatchStatement[] = [];
  // Deletes manual readings first, because a new reading may have the same key.
  for (const { seriesId, plan } of stored) {
    for (const { readAtMs, intervalMs } of plan.withdrawn)
      steps.push(...withdraw([seriesId, new Date(readAtMs), intervalMs]));
  }
  const planned = rowsOf<SeriesReading>(stored, (plan) => [...plan.inserts, ...plan.added]);
  const inserts = {
    seriesIds: [...seriesIds, ...planned.seriesIds],
    points: [...readings, ...planned.points],
  };
  addStep(steps, inserts, {
    name: 'insert-readings',
    // unnest() in the SELECT list instead of the FROM clause saves a twentieth of the statement's time, because PostgreSQL does not buffer
    // the rows.
    text: `INSERT INTO readings (series_id, read_at, interval_ms, value)
     SELECT unnest($1::bigint[]), unnest($2::timestamptz[]), unnest($3::bigint[]), unnest($4::bigint[])`,
    more: values(inserts),
  });
  const lowered = rowsOf(stored, (plan) => plan.lowered);
  addStep(steps, lowered, {
    text: `UPDATE readings t SET value = c.value
     FROM unnest(${KEY}, $4::bigint[]) c (series_id, read_at, interval_ms, value) WHERE ${MATCH}`,
    more: values(lowered),
  });
  const lowerKept = rowsOf(stored, (plan) => plan.lowerKept);
  addStep(steps, lowerKept, {
    text: `INSERT INTO lower_kept_readings (series_id, read_at, interval_ms) SELECT * FROM unnest(${KEY}) ON CONFLICT DO NOTHING`,
  });
  addVerdicts(steps, stored);
  return steps;
}

function addVerdicts(steps: BatchStatement[], stored: readonly SeriesWritePlanWithId[]): void {
  addStep(steps, rowsOf(stored, judged(false)), {
    text: `DELETE FROM reading_notes t USING unnest(${KEY}) c (series_id, read_at, interval_ms) WHERE ${MATCH}`,
  });
  // A series that no longer contributes to a total has no verdicts.
  const uncountedIds = stored.filter(({ plan }) => isSeriesRemovedFromTotals(plan)).map(({ seriesId }) => seriesId);
  if (uncountedIds.length > 0)
    steps.push(
      createBatchStatement({
        text: 'DELETE FROM reading_notes WHERE series_id = ANY ($1::bigint[])',
        values: [uncountedIds],
      }),
    );
  const notes = rowsOf(stored, judged(true));
  addStep(steps, notes, {
    text: `INSERT INTO reading_notes (series_id, read_at, interval_ms, verdict) SELECT * FROM unnest(${KEY}, $4::text[])
     ON CONFLICT (series_id, read_at, interval_ms) DO UPDATE SET verdict = excluded.verdict`,
    more: notes.points.map(({ verdict }) => verdict),
  });
}
