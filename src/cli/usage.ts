import type { Command } from 'commander';
import { sql } from 'kysely';
import { monthlyAnalytics } from '#src/api/v1/analytics/operations.ts';
import { deviceUsage } from '#src/api/v1/devices/usage.ts';
import { getEnergyInsights } from '#src/api/v1/energy-insights/get.ts';
import type { Database } from '#src/database/connect.ts';
import { listReadingsOnHold } from '#src/devices/channels.ts';
import { type ApiNoun, addActionCommand } from './nouns/verbs.ts';

const USER: ApiNoun = { name: 'user', id: 'user_id', columns: [] };
const DEVICE: ApiNoun = { name: 'device', id: 'device_id', columns: [] };

/** Registers `energy usage …`, which prints the energy used by homes and devices, through the operations of the HTTP API. */
export function registerCommands(program: Command): void {
  const usage = program.command('usage');
  addActionCommand(usage, 'get', USER, getEnergyInsights);
  addActionCommand(usage, 'months', USER, monthlyAnalytics);
  addActionCommand(usage, 'device', DEVICE, deviceUsage, { whyNothing });
}

/** Returns the reason why a device has no usage yet. */
async function whyNothing(db: Database, deviceId: string): Promise<string> {
  const { first, areSingle } = await summariseUsageReadings(db, deviceId);
  if (first === null) return 'The device has no energy readings.';
  if (areSingle)
    return `The device has one reading, at ${first.toISOString()}. Usage is the difference between two readings, and begins with the second.`;
  const [onHold] = await listReadingsOnHold(db, deviceId);
  const why = onHold
    ? `The latest reading of "${onHold.native_name}", at ${onHold.at.toISOString()}, is on hold and does not count yet: since the last counted reading, the register fell, or rose faster than the device’s limit_kw. Send further readings: they decide whether it counts.`
    : 'For production or storage, add --include production (a battery: charged,discharged).';
  return `The device has no known usage in this time. ${why}`;
}

/**
 * Returns whether a device has enough readings for usage: two readings of the same quantity, or one reading of an interval. `first`: time
 * of the first stored reading, or null. `areSingle`: true if no quantity has enough readings.
 */
async function summariseUsageReadings(
  db: Database,
  deviceId: string,
): Promise<{ first: Date | null; areSingle: boolean }> {
  // Raw SQL: reads at most two readings of each series by the table's index.
  const { rows } = await sql<{ first: Date | null; single: boolean | null }>`
    SELECT min(of_series.first) AS first, bool_and(of_series.count <= 1 AND s.kind <> 'interval') AS single FROM series s
    CROSS JOIN LATERAL (SELECT min(r.read_at) AS first, count(*) AS count FROM
      (SELECT read_at FROM readings WHERE series_id = s.series_id ORDER BY read_at LIMIT 2) r) of_series
    WHERE s.device_id = ${deviceId} AND s.kind IN ('register', 'interval', 'power')`.execute(db);
  return { first: rows[0]?.first ?? null, areSingle: rows[0]?.single === true };
}
