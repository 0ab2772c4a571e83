import { sql } from 'kysely';
import { unprocessable } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { quantityOf } from './mapped-quantity.ts';
import { deviceForm, type Mapped, mapping, mayBeOne } from './mapping.ts';

/** A series of a device that was paired from a gateway's mapping. */
interface Series {
  channel: string;
  kind: string;
}

/** Kinds of series that are counted, of the kinds that an owner can map. */
const COUNTED = new Map([
  ['energy_total_kwh', 'register'],
  ['volume_total_m3', 'register'],
  ['power_w', 'power'],
]);

/** A number that is mapped and counts: whose it may be, as what, and where it is read in which scale. */
interface Source extends Series {
  readonly device: string;
  readonly number: string;
}

/** What of a mapping counts. */
export const sourcesOf = (mapped: readonly Mapped[]): Source[] =>
  mapped.flatMap((one) => {
    const quantity = quantityOf(one);
    const kind = typeof quantity === 'string' ? undefined : COUNTED.get(quantity.kind);
    if (typeof quantity === 'string' || !kind) return [];
    const number = JSON.stringify([one.topic, one.path ?? null, quantity.times / quantity.per]);
    return { device: deviceForm(one), channel: quantity.channel, kind, number };
  });

/**
 * Whether a series of a device reads another number by the second of two mappings: of another place, or in another unit or scale. Pure. Where
 * it cannot be told, as names have wildcards, it does. Where nothing is read of it any more nothing comes to be parted; it is where it is
 * mapped again.
 */
export function isReadOtherwise(
  before: readonly Source[],
  after: readonly Source[],
  nativeId: string,
  { channel, kind }: Series,
): boolean {
  const [was, is] = [before, after].map((sources) =>
    sources
      .filter((one) => one.channel === channel && one.kind === kind && mayBeOne(one.device, nativeId))
      .map(({ number }) => number)
      .sort()
      .join(),
  );
  return is !== '' && was !== is;
}

/** What of a `decoder_config` is mapped and counts; null: it has no mapping. */
function mappedOf(config: unknown): readonly Source[] | null {
  const given = (config as { mapping?: unknown } | null)?.mapping;
  const read = given === undefined ? null : mapping.safeParse(given);
  return read?.success ? sourcesOf(read.data) : null;
}

/**
 * Parts the series of a gateway's paired devices that read another number by its mapping from now on, after all that is stored of them: laws
 * count no step over that, and what is still read of the time before is refused. The gateway's row is locked by the caller.
 */
export async function splitMapped(
  trx: Database,
  gatewayId: string,
  configs: { readonly before: unknown; readonly after: unknown },
): Promise<void> {
  const [before, after] = [mappedOf(configs.before) ?? [], mappedOf(configs.after) ?? []];
  if (before.length === 0 && after.length === 0) return;
  const series = await seriesBehind(trx)
    .where('x.gateway_id', '=', gatewayId)
    .where('x.family', '=', 'mapping')
    .execute();
  // A mapping of a device's own stands in the place of its gateway's.
  const changed = series.filter(
    (one) => mappedOf(one.decoder_config) === null && isReadOtherwise(before, after, one.native_id, one),
  );
  await part(trx, changed);
}

/** The same of one device whose own `decoder_config` becomes another. Locks its gateway, as whoever writes what it tells does first. */
export async function splitOwnMapped(trx: Database, deviceId: string, config: unknown): Promise<void> {
  const gateway = await trx
    .selectFrom('gateways')
    .select('decoder_config')
    .where('gateway_id', 'in', (of) =>
      of.selectFrom('discovered_devices').select('gateway_id').where('device_id', '=', deviceId),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
  // What a device sends by its own login is in the words of the service.
  if (!gateway) return;
  const ofGateway = mappedOf(gateway.decoder_config) ?? [];
  const series = await seriesBehind(trx).where('x.device_id', '=', deviceId).execute();
  const changed = series.filter((one) => {
    const before = mappedOf(one.decoder_config) ?? ofGateway;
    return isReadOtherwise(before, mappedOf(config) ?? ofGateway, one.native_id, one);
  });
  await part(trx, changed);
}

const seriesBehind = (trx: Database) =>
  trx
    .selectFrom('discovered_devices as x')
    .innerJoin('devices as d', 'd.device_id', 'x.device_id')
    .innerJoin('series as s', 's.device_id', 'x.device_id')
    .select(['x.native_id', 'd.decoder_config', 's.series_id', 's.device_id', 's.channel', 's.kind'])
    .where('d.deleted_at', 'is', null)
    .where('s.kind', 'in', ['register', 'power']);

/** So often a series may be parted: with each step of its past all of them are looked at. */
const MAX_SPLITS = 100;

/** Notes on series that another number is read after the last reading of each; where nothing came since that was noted, nothing is. */
async function part(trx: Database, series: readonly { series_id: number; device_id: string }[]): Promise<void> {
  if (series.length === 0) return;
  // Raw SQL: `device_heads` is ingest's. Locked in the order in which writers do; a new version makes them read it anew.
  const deviceIds = [...new Set(series.map((one) => one.device_id))].sort();
  await sql`SELECT FROM devices JOIN device_heads USING (device_id) WHERE device_id = ANY (${deviceIds}) ORDER BY device_id FOR NO KEY UPDATE`.execute(
    trx,
  );
  const seriesIds = series.map((one) => one.series_id);
  const { rows } = await sql<{ channel: string }>`SELECT channel FROM series
    WHERE series_id = ANY (${seriesIds}) AND cardinality(split_after) >= ${MAX_SPLITS} LIMIT 1`.execute(trx);
  if (rows[0])
    throw unprocessable({
      field: 'decoder_config.mapping',
      message: `What is read as ${rows[0].channel} was changed ${MAX_SPLITS} times while it counted: pair its device anew, or leave it as it is`,
    });
  await sql`WITH last AS (
      SELECT s.series_id, s.device_id, s.channel, s.kind, to_timestamp((law ->> 1)::numeric / 1000) AS read_at
      FROM series s JOIN device_heads h USING (device_id) CROSS JOIN LATERAL jsonb_array_elements(h.laws::jsonb) law
      WHERE s.series_id = ANY (${seriesIds}) AND (law ->> 0)::bigint = s.series_id
    ), parted AS (
      UPDATE series s SET split_after = coalesce(split_after, '{}') || last.read_at
      FROM last WHERE s.series_id = last.series_id AND (split_after IS NULL OR split_after[array_upper(split_after, 1)] < last.read_at)
      RETURNING last.device_id, last.channel, last.kind
    ), noted AS (
      INSERT INTO quantity_changes (device_id, channel, noted_at, note)
      SELECT device_id, channel, now(), 'its mapping was changed: ' || kind || ' of this channel begins anew' FROM parted ON CONFLICT DO NOTHING
    )
    UPDATE device_heads SET version = new_version() WHERE device_id IN (SELECT device_id FROM parted)`.execute(trx);
}
