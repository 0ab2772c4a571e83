import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { localTimeSql, startOfSubDayUnitSql } from './local-time.ts';
import type { DayRange } from './ranges.ts';

/** Climate data of a thermostat. A reported value is valid until the next reading, but for at most 15 minutes. */
export interface ClimateRow {
  /** In rows by hour, the start of the hour. Otherwise the first day of the row (YYYY-MM-DD) in the time zone of the range. */
  bucket: Date | string;
  temperature: { mean: number; min: number; max: number } | null;
  setpoint: number | null;
  heatingMinutes: number | null;
}

const MAX_HOLD = '15 minutes';
/** Converts a temperature or set-point from thousandths of a degree, the unit of readings.value, to °C. */
const degrees = (thousandths: number | null) => (thousandths === null ? null : Math.round(thousandths / 10) / 100);

/**
 * Returns the climate data of a thermostat in rows by hour, day or month, in order. Times whose readings are already deleted have no
 * values.
 */
export async function loadClimate(
  db: Database,
  deviceId: string,
  range: DayRange,
  groupBy: 'hour' | 'day' | 'month',
  now: Date,
): Promise<ClimateRow[]> {
  const { from, to } = range;
  const bucket =
    groupBy === 'hour'
      ? startOfSubDayUnitSql(sql`starts`, range)
      : sql`to_char(date_trunc(${groupBy}, ${localTimeSql(sql`starts`, range)}), 'YYYY-MM-DD')`;
  // Raw SQL: time-weighted window functions. A value that is valid beyond the end of an hour is split there.
  const { rows } = await sql<{
    bucket: Date | string;
    mean: number | null;
    min: number | null;
    max: number | null;
    setpoint: number | null;
    heating: number | null;
  }>`
    WITH said AS (
      SELECT s.kind, r.value, r.read_at,
        least(lead(r.read_at) OVER (PARTITION BY s.series_id ORDER BY r.read_at), r.read_at + ${MAX_HOLD}::interval, ${now}) AS ends
      FROM series s JOIN readings r USING (series_id)
      WHERE s.device_id = ${deviceId} AND s.kind IN ('temperature', 'setpoint', 'heating')
        AND r.read_at >= ${from}::timestamptz - ${MAX_HOLD}::interval AND r.read_at < ${to}
    ), held AS (
      SELECT kind, value, greatest(read_at, ${from}) AS starts, least(ends, ${to}) AS ends FROM said
    ), pieces AS (
      SELECT kind, value, p.starts, extract(epoch FROM p.ends - p.starts) AS seconds
      FROM held h, LATERAL (SELECT ${startOfSubDayUnitSql(sql`h.ends`, range)} AS border) b,
        LATERAL (VALUES (h.starts, least(h.ends, greatest(border, h.starts))), (greatest(border, h.starts), h.ends)) p (starts, ends)
      WHERE p.ends > p.starts
    )
    SELECT ${bucket} AS bucket,
      (sum(value * seconds) FILTER (WHERE kind = 'temperature') / sum(seconds) FILTER (WHERE kind = 'temperature'))::float8 AS mean,
      min(value) FILTER (WHERE kind = 'temperature') AS min,
      max(value) FILTER (WHERE kind = 'temperature') AS max,
      (sum(value * seconds) FILTER (WHERE kind = 'setpoint') / sum(seconds) FILTER (WHERE kind = 'setpoint'))::float8 AS setpoint,
      (sum(value * seconds) FILTER (WHERE kind = 'heating') / 60)::float8 AS heating
    FROM pieces GROUP BY 1 ORDER BY 1`.execute(db);
  return rows.map((row) => ({
    bucket: row.bucket,
    temperature:
      row.mean === null
        ? null
        : { mean: degrees(row.mean) as number, min: degrees(row.min) as number, max: degrees(row.max) as number },
    setpoint: degrees(row.setpoint),
    heatingMinutes: row.heating === null ? null : Math.round(row.heating * 10) / 10,
  }));
}
