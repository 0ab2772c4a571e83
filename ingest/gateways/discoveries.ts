import { newId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import { type DecoderSettings, readSettings, type Said } from '../decoders/family.ts';
import type { Described } from '../decoders/registers-of-a-device/register.ts';
import { chooseRoles } from '../normalise/channels.ts';
import { asBefore, keyOf as keyOfSaid, MAX_ASKED } from './as-listed.ts';
import { storedKindOf } from './assign.ts';
import { digestOf, mayChange, saveDescriptions } from './descriptions.ts';

/** Most devices that are listed of one gateway; a flood of names is rubbish. */
const MAX_DEVICES = 2_000;
const MAX_QUANTITIES = 200;
/** Least time between two updates of `last_seen_at`. */
const SEEN_MS = 60_000;

/** What a device tells, and what of it will count as its owner's consumption. */
interface Quantity {
  channel: string;
  kind: string;
  counts: 'import' | 'export' | null;
  /** Of what is judged with the other registers of its device: its key, a digest of its description, and when that was noted, Unix ms. */
  key?: string;
  described?: string;
  described_at_ms?: number;
  native?: string;
}

/** A device that was heard through a gateway. */
export interface Discovery {
  discoveryId: string;
  gatewayId: string;
  family: string;
  nativeId: string;
  quantities: Quantity[];
  firstSeenMs: number;
  lastSeenMs: number;
  /** Descriptions of a paired device that are not the stored ones, by channel and kind. */
  descriptions: { channel: string; kind: string; described: Described }[];
  /** What it was paired as; null while it is not. */
  paired: { deviceId: string; settings: DecoderSettings } | null;
  isChanged: boolean;
}

const keyOf = (family: string, nativeId: string) => `${family}\n${nativeId}`;

/** The discoveries of some gateways, as they are stored and as a batch changes them. */
export interface Discoveries {
  find(gatewayId: string, family: string, nativeId: string): Discovery | undefined;
  /** Notes that it was heard; a new one is listed, as long as there is room. */
  note(gatewayId: string, family: string, nativeId: string, said: readonly Said[], atMs: number): void;
  /** Stores what has changed. Returns the devices whose stored consumption is judged otherwise from now on. */
  save(client: PoolClient): Promise<readonly string[]>;
}

/** Loads what was discovered through the gateways; their rows are locked by the caller. */
export async function loadDiscoveries(client: PoolClient, gatewayIds: readonly string[]): Promise<Discoveries> {
  // Raw SQL: the hot path of ingest: any number of devices is one statement, by unnest.
  const { rows } = await client.query(
    `SELECT x.discovery_id, x.gateway_id, x.family, x.native_id, x.channels, x.first_seen_at, x.last_seen_at,
       d.device_id, d.timezone, d.decoder_config
     FROM discovered_devices x LEFT JOIN devices d ON d.device_id = x.device_id AND d.deleted_at IS NULL
     WHERE x.gateway_id = ANY ($1)`,
    [gatewayIds],
  );
  const byGateway = new Map<string, Map<string, Discovery>>(gatewayIds.map((id) => [id, new Map()]));
  for (const row of rows) {
    const settings = readSettings({ ...row.decoder_config, ...omitUndefined({ tz: row.timezone ?? undefined }) });
    byGateway.get(row.gateway_id)?.set(keyOf(row.family, row.native_id), {
      discoveryId: row.discovery_id,
      gatewayId: row.gateway_id,
      family: row.family,
      nativeId: row.native_id,
      quantities: row.channels,
      firstSeenMs: row.first_seen_at.getTime(),
      lastSeenMs: row.last_seen_at.getTime(),
      descriptions: [],
      paired: row.device_id === null ? null : { deviceId: row.device_id, settings },
      isChanged: false,
    });
  }
  return {
    find: (gatewayId, family, nativeId) => byGateway.get(gatewayId)?.get(keyOf(family, nativeId)),
    note(gatewayId, family, nativeId, said, atMs) {
      const ofGateway = byGateway.get(gatewayId);
      if (!ofGateway) return;
      let discovery = ofGateway.get(keyOf(family, nativeId));
      if (!discovery) {
        if (ofGateway.size >= MAX_DEVICES) return;
        const discoveryId = newId('dsc');
        const nothing = {
          quantities: [],
          firstSeenMs: atMs,
          lastSeenMs: atMs,
          descriptions: [],
          paired: null,
          isChanged: true,
        };
        discovery = { discoveryId, gatewayId, family, nativeId, ...nothing };
        ofGateway.set(keyOf(family, nativeId), discovery);
      }
      const placed = asBefore(discovery.quantities, said);
      if (addQuantities(discovery, placed)) discovery.isChanged = true;
      if (noteDescriptions(discovery, placed, atMs)) discovery.isChanged = true;
      if (atMs < discovery.lastSeenMs + SEEN_MS) return;
      discovery.lastSeenMs = atMs;
      discovery.isChanged = true;
    },
    async save(client) {
      const changed = [...byGateway.values()].flatMap((all) => [...all.values()].filter(({ isChanged }) => isChanged));
      await saveChanged(client, changed);
      return saveDescriptions(
        client,
        changed.flatMap(({ paired, descriptions }) =>
          paired ? descriptions.map((one) => ({ ...one, deviceId: paired.deviceId })) : [],
        ),
      );
    },
  };
}

/** Adds what the device had not told before, and decides anew what counts. Answers whether anything was new. */
function addQuantities(discovery: Discovery, said: readonly Said[]): boolean {
  const known = new Set(discovery.quantities.map(({ channel, kind }) => keyOf(channel, kind)));
  let room = MAX_ASKED - discovery.quantities.filter(({ channel }) => !parseChannel(channel).known).length;
  const fresh = said.filter(
    ({ kind, channel, asks }) => kind !== 'availability' && !known.has(keyOf(channel, kind)) && (!asks || room-- > 0),
  );
  if (fresh.length === 0 || known.size >= MAX_QUANTITIES) return false;
  const all = new Map<string, Omit<Quantity, 'counts'>>(
    discovery.quantities.map((one) => [keyOf(one.channel, one.kind), one]),
  );
  for (const { channel, kind } of fresh) all.set(keyOf(channel, kind), { channel, kind });
  const quantities = [...all.values()].slice(0, MAX_QUANTITIES);
  const roles = chooseRoles(quantities.map(({ channel, kind }) => ({ channel, kind: storedKindOf(kind) })));
  discovery.quantities = quantities.map((quantity, index) => {
    const { direction, commodity } = parseChannel(quantity.channel);
    // A power's negative part counts as export, where nothing better does: of no interest to whom it is shown. Gas, heat and water
    // say in their channel what they count as.
    const counts = commodity === 'electricity' && roles[index]?.roles[direction] ? direction : null;
    return { ...quantity, counts };
  });
  return true;
}

/** Notes how what is listed is described now; at most once an hour, but for the device's first hour. Answers whether anything was new. */
function noteDescriptions(discovery: Discovery, said: readonly Said[], atMs: number): boolean {
  let isNew = false;
  for (const one of said) {
    const { described, channel, kind } = one;
    if (!described) continue;
    const digest = digestOf(described);
    const at = discovery.quantities.findIndex((other) => other.channel === channel && other.kind === kind);
    const known = discovery.quantities[at];
    if (!known || (known.described === digest && known.key === keyOfSaid(one))) continue;
    if (!mayChange(known.described_at_ms, discovery.firstSeenMs, atMs)) continue;
    const { native: _, ...rest } = known;
    discovery.quantities = discovery.quantities.with(at, {
      ...rest,
      key: keyOfSaid(one),
      described: digest,
      described_at_ms: atMs,
    });
    if (discovery.paired) discovery.descriptions.push({ channel, kind: storedKindOf(kind), described });
    isNew = true;
  }
  return isNew;
}

async function saveChanged(client: PoolClient, changed: readonly Discovery[]): Promise<void> {
  if (changed.length === 0) return;
  await client.query(
    `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, channels, first_seen_at, last_seen_at)
     SELECT x.discovery_id, x.gateway_id, x.family, x.native_id, x.channels, to_timestamp(x.at_ms / 1000.0), to_timestamp(x.at_ms / 1000.0)
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::bigint[])
       x (discovery_id, gateway_id, family, native_id, channels, at_ms)
     ORDER BY x.discovery_id
     ON CONFLICT (gateway_id, family, native_id) DO UPDATE
     SET channels = excluded.channels, last_seen_at = greatest(discovered_devices.last_seen_at, excluded.last_seen_at)`,
    [
      changed.map(({ discoveryId }) => discoveryId),
      changed.map(({ gatewayId }) => gatewayId),
      changed.map(({ family }) => family),
      changed.map(({ nativeId }) => nativeId),
      changed.map(({ quantities }) => JSON.stringify(quantities)),
      changed.map(({ lastSeenMs }) => lastSeenMs),
    ],
  );
}
