import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import { findChannelSetting, getNativeQuantityName, resolveChannelMeaning } from '#src/devices/channel-name.ts';

/** A series of a device. Times are Unix ms. */
export interface SeriesWithReadings {
  seriesId: number;
  channel: string;
  kind: string;
  nativeName: string;
  isVolume: boolean;
  isKnown: boolean;
  /**
   * Time ranges in which the series contributes to the device's energy. A reading in `(fromMs, untilMs]` adds the energy since the previous
   * reading.
   */
  counted: readonly { fromMs: number; untilMs: number }[];
  /** Times at which the series began to measure another counter, because the owner changed the decoder settings. */
  splitsMs: readonly number[];
}

/** A device with its series by id. `maxGapMinutes`: maximum silence between power readings. */
export interface DeviceWithReadings {
  deviceId: string;
  maxGapMinutes: number;
  series: ReadonlyMap<number, SeriesWithReadings>;
}

/** Returns a device that the caller may access, with its series. Null if there is no such device. */
export async function findDeviceWithReadings(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
): Promise<DeviceWithReadings | null> {
  const device = await db
    .selectFrom('devices')
    .select(['device_id', 'channels', 'max_gap_minutes'])
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .executeTakeFirst();
  if (!device) return null;
  const rows = await db
    .selectFrom('series as s')
    .innerJoin('series_roles as r', 'r.series_id', 's.series_id')
    .select(['s.series_id', 's.channel', 's.meant', 's.kind', 's.native_name', 's.unit', 's.split_after'])
    .select(['r.counts_from', 'r.counts_until'])
    // `series_roles` applies to electricity. Gas, heat and water have separate meters.
    .select(
      sql<boolean>`r.counts_import OR r.counts_export OR coalesce(r.meter ~ '^(gas|heat|water)', false)`.as('counts'),
    )
    .where('s.device_id', '=', deviceId)
    .execute();
  const series = new Map<number, SeriesWithReadings & { counted: { fromMs: number; untilMs: number }[] }>();
  for (const { series_id: seriesId, channel, meant, kind, native_name, unit, split_after, ...role } of rows) {
    const named = { channel: meant ?? channel, kind, nativeName: native_name };
    const { isVolume, known } = resolveChannelMeaning({ ...named, unit }, findChannelSetting(device.channels, named));
    const one = series.get(seriesId) ?? {
      seriesId,
      channel,
      kind,
      nativeName: getNativeQuantityName(named),
      isVolume,
      isKnown: known,
      counted: [],
      splitsMs: (split_after ?? []).map((at) => at.getTime()),
    };
    // The driver returns infinite times as numbers.
    if (role.counts) one.counted.push({ fromMs: Number(role.counts_from), untilMs: Number(role.counts_until) });
    series.set(seriesId, one);
  }
  return { deviceId, maxGapMinutes: device.max_gap_minutes, series };
}
