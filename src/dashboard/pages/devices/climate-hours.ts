import type { DeviceUsage } from '#clients/typescript/client.ts';
import { HOUR_MS } from '../../parts/durations.ts';

type Usage = DeviceUsage['data'][number];

/** An hour as GET /v1/devices/{device_id}/usage answers it. */
export type ClimateHour = Pick<Usage, 'temperature_c' | 'setpoint_c' | 'heating_minutes'> & { starts_at: string };

/** One row for each hour of the span, including hours without data, so that gaps show. */
export function climateHours(rows: readonly ClimateHour[], fromMs: number, toMs: number): ClimateHour[] {
  const within = rows.filter(
    ({ starts_at }) => Date.parse(starts_at) >= fromMs - HOUR_MS && Date.parse(starts_at) <= toMs,
  );
  const [first] = within;
  const last = within.at(-1);
  if (!first || !last) return [];
  const known = new Map(within.map((row) => [Date.parse(row.starts_at), row]));
  const all: ClimateHour[] = [];
  for (let ms = Date.parse(first.starts_at); ms <= Date.parse(last.starts_at); ms += HOUR_MS)
    all.push(known.get(ms) ?? { starts_at: new Date(ms).toISOString() });
  return all;
}
