import { sql } from 'kysely';
import { createUnprocessableError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { readDecoderConfig } from './decoder-config.ts';
import { hasSeriesSourceChanged, type MessageNumberSettings, mergeMessageNumberSettings } from './read-numbers.ts';

/**
 * Splits the series of a gateway's paired devices that contain a different number under the new `decoder_config`. A split comes after the
 * last stored reading; no energy is counted across it, and later readings with an earlier time are rejected. The caller must have locked
 * the row of the gateway.
 */
export async function splitSeriesBehindGateway(
  trx: Database,
  gatewayId: string,
  configs: { readonly before: unknown; readonly after: unknown },
): Promise<void> {
  if (JSON.stringify(configs.before) === JSON.stringify(configs.after)) return;
  const series = await seriesBehind(trx).where('x.gateway_id', '=', gatewayId).execute();
  const [before, after] = [settingsBehind(configs.before), settingsBehind(configs.after)];
  await part(
    trx,
    series.filter((one) => hasSeriesSourceChanged(before(one.decoder_config), after(one.decoder_config), one)),
  );
}

/** Splits the series of one device whose own `decoder_config` changes. Locks its gateway first. */
export async function splitSeriesOfDevice(trx: Database, deviceId: string, config: unknown): Promise<void> {
  const gateway = await trx
    .selectFrom('gateways')
    .select('decoder_config')
    .where('gateway_id', 'in', (of) =>
      of.selectFrom('discovered_devices').select('gateway_id').where('device_id', '=', deviceId),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
  // Without a gateway, the device sends the service's own format, which needs no settings.
  if (!gateway) return;
  const settings = settingsBehind(gateway.decoder_config);
  const series = await seriesBehind(trx).where('x.device_id', '=', deviceId).execute();
  await part(
    trx,
    series.filter((one) => hasSeriesSourceChanged(settings(one.decoder_config), settings(config), one)),
  );
}

/** Returns a function that combines a device's `decoder_config` with that of its gateway. */
function settingsBehind(gateway: unknown): (own: unknown) => MessageNumberSettings {
  const ofGateway = readDecoderConfig(gateway);
  // The parsed settings are cached, because parsing a hundred mappings takes 7 ms.
  const read = new Map<string, MessageNumberSettings>();
  return (own) => {
    const key = JSON.stringify(own) ?? '';
    const settings = read.get(key) ?? mergeMessageNumberSettings(ofGateway, readDecoderConfig(own));
    read.set(key, settings);
    return settings;
  };
}

const seriesBehind = (trx: Database) =>
  trx
    .selectFrom('discovered_devices as x')
    .innerJoin('devices as d', 'd.device_id', 'x.device_id')
    .innerJoin('series as s', 's.device_id', 'x.device_id')
    .select(['x.family', 'x.native_id', 'd.decoder_config', 's.series_id', 's.device_id', 's.channel', 's.kind'])
    .select('s.native_name')
    .where('d.deleted_at', 'is', null)
    .where('s.kind', 'in', ['register', 'power']);

/** Maximum number of splits of a series. */
const MAX_SPLITS = 100;

/** Splits each series after its last reading. A series without readings since its last split does not change. */
async function part(trx: Database, series: readonly { series_id: number; device_id: string }[]): Promise<void> {
  if (series.length === 0) return;
  // Raw SQL: only ingest otherwise uses `device_heads`. The rows are locked in the same order as by writers. The new version makes writers
  // reload the device's state.
  const deviceIds = [...new Set(series.map((one) => one.device_id))].sort();
  await sql`SELECT FROM devices JOIN device_heads USING (device_id) WHERE device_id = ANY (${deviceIds}) ORDER BY device_id FOR NO KEY UPDATE`.execute(
    trx,
  );
  const seriesIds = series.map((one) => one.series_id);
  const { rows } = await sql<{ channel: string }>`SELECT channel FROM series
    WHERE series_id = ANY (${seriesIds}) AND cardinality(split_after) >= ${MAX_SPLITS} LIMIT 1`.execute(trx);
  if (rows[0])
    throw createUnprocessableError({
      field: 'decoder_config',
      message: `The settings of ${rows[0].channel} have already been changed ${MAX_SPLITS} times while it counted: pair its device again, or do not change them`,
    });
  await sql`WITH last AS (
      SELECT s.series_id, s.device_id, s.channel, s.kind, to_timestamp((entry ->> 1)::numeric / 1000) AS read_at
      FROM series s JOIN device_heads h USING (device_id) CROSS JOIN LATERAL jsonb_array_elements(h.laws::jsonb) entry
      WHERE s.series_id = ANY (${seriesIds}) AND (entry ->> 0)::bigint = s.series_id
    ), parted AS (
      UPDATE series s SET split_after = coalesce(split_after, '{}') || last.read_at
      FROM last WHERE s.series_id = last.series_id AND (split_after IS NULL OR split_after[array_upper(split_after, 1)] < last.read_at)
      RETURNING last.device_id, last.channel, last.kind
    ), noted AS (
      INSERT INTO quantity_changes (device_id, channel, noted_at, note)
      SELECT device_id, channel, now(), 'its decoder_config was changed: ' || kind || ' of this channel begins anew' FROM parted ON CONFLICT DO NOTHING
    )
    UPDATE device_heads SET version = new_version() WHERE device_id IN (SELECT device_id FROM parted)`.execute(trx);
}
