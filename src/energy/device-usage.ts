import type { Database } from '#src/database/connect.ts';
import { type ClimateRow, loadClimate } from './climate.ts';
import { createRowTimeLabeller, type RowTimeLabels, type RowTimeLabelsWithStart } from './clock-labels.ts';
import { loadDeviceInsights } from './device-include.ts';
import type { IncludableField, IncludedFields } from './include.ts';
import { type GroupBy, loadImportedEnergyInsights, type UsageInsight } from './insights.ts';
import type { DayRange } from './ranges.ts';

/** A row of GET /v1/devices/{id}/usage: consumption, and for thermostats climate data. */
export type DeviceUsage = Omit<UsageInsight, 'kwh_used'> &
  IncludedFields & {
    /** Energy used; null if the device reports no energy. */
    kwh_used: number | null;
    temperature_c?: { mean: number; min: number; max: number } | null;
    setpoint_c?: number | null;
    heating_minutes?: number | null;
  };

/** Returns the consumption of a device and, for a thermostat, its climate data. Rows shorter than an hour have no climate data. */
export async function loadDeviceUsage(
  db: Database,
  deviceId: string,
  range: DayRange,
  groupBy: GroupBy,
  { now, include }: { now: Date; include: ReadonlySet<IncludableField> },
): Promise<DeviceUsage[]> {
  const [energy, said] = await Promise.all([
    include.size > 0
      ? loadDeviceInsights(db, deviceId, range, groupBy, include)
      : loadImportedEnergyInsights(db, { deviceId }, range, groupBy).then((rows) => rows ?? []),
    groupBy === 'half_hour' || groupBy === 'quarter_hour' ? [] : loadClimate(db, deviceId, range, groupBy, now),
  ]);
  if (said.length === 0) return energy;
  const rows = new Map<string, DeviceUsage>(energy.map((row) => [row.starts_at ?? row.date, { ...row }]));
  const labelsOf = createRowTimeLabeller(range, 'hour');
  for (const one of said) {
    const { key, row } = labelled(one, labelsOf);
    const known = rows.get(key) ?? row;
    rows.set(key, {
      ...known,
      temperature_c: one.temperature,
      setpoint_c: one.setpoint,
      heating_minutes: one.heatingMinutes,
    });
  }
  // Sorts the rows by time. If the clock shows an hour twice, the hour with the greater UTC offset comes first.
  const instant = (row: DeviceUsage) => Date.parse(row.starts_at ?? row.date);
  return [...rows.values()].sort((a, b) => instant(a) - instant(b));
}

function labelled(
  { bucket }: ClimateRow,
  labelsOf: (start: Date) => RowTimeLabelsWithStart,
): { key: string; row: DeviceUsage } {
  const labels: RowTimeLabels = typeof bucket === 'string' ? { date: bucket } : labelsOf(bucket);
  const key = labels.starts_at ?? labels.date;
  return { key, row: { ...labels, kwh_used: null, peak_hour: null } };
}
