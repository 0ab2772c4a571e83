import { createId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import {
  type AnnouncedDevice,
  type DecodedValue,
  type DecoderSettings,
  type DeviceMessage,
  parseDecoderSettings,
} from '../decoders/family.ts';
import type { DecodeResultWithFamilyName, GatewayDecoders } from '../decoders/gateway-decoders.ts';
import type { RegisterDescription } from '../decoders/registers-of-a-device/register.ts';
import { chooseSeriesRoles } from '../normalise/channels.ts';
import { getStoredValueKind, listDiscoveredNativeIds } from './assign.ts';
import {
  combineTopicsToFilter,
  type FirstValueTopicFilter,
  isAwaitingFirstValue,
  isDeviceIdInTopic,
  READ_BY_OTHER_FAMILY_MARKER,
} from './awaited-filter.ts';
import {
  hashRegisterDescription,
  isRegisterDescriptionChangeAllowed,
  saveRegisterDescriptions,
} from './descriptions.ts';
import {
  assignChannelsToListedQuantities,
  getQuantityKey as keyOfSaid,
  MAX_UNKNOWN_QUANTITIES,
} from './listed-quantities.ts';

/** Maximum number of listed devices per gateway. A gateway whose messages contain more names is probably faulty. */
const MAX_DEVICES = 2_000;
const MAX_QUANTITIES = 200;
/** Minimum time in ms between two updates of `last_seen_at`. */
const SEEN_MS = 60_000;

/** `counts`: the direction in which the quantity contributes to the home's consumption. Null if it does not contribute. */
interface Quantity {
  channel: string;
  kind: string;
  counts: 'import' | 'export' | null;
  /** The key, the description and its time (Unix ms) are set if the meaning of the quantity depends on the device's other registers. */
  key?: string;
  described?: string;
  described_at_ms?: number;
  native?: string;
}

/** A device that was found in the messages of a gateway. */
export interface DeviceDiscovery {
  discoveryId: string;
  gatewayId: string;
  family: string;
  nativeId: string;
  quantities: Quantity[];
  firstSeenMs: number;
  lastSeenMs: number;
  /** Topic filter for the first value of an announced device. Null if the device has sent a value. */
  awaits: FirstValueTopicFilter;
  /** Descriptions of a paired device's registers that differ from the stored ones. */
  descriptions: { channel: string; kind: string; described: RegisterDescription }[];
  /** The device that the owner has paired with this discovered device. Null if there is none. */
  paired: { deviceId: string; settings: DecoderSettings } | null;
  isChanged: boolean;
}

interface Reading {
  decoders: GatewayDecoders;
  settings: DecoderSettings;
}

const keyOf = (family: string, nativeId: string) => `${family}\n${nativeId}`;

/** Loads the discovered devices of gateways. The caller must have locked the rows of these gateways. */
export async function loadDeviceDiscoveries(
  client: PoolClient,
  gatewayIds: readonly string[],
): Promise<DeviceDiscoveryBatch> {
  // Raw SQL for speed: each batch with messages of gateways runs this statement.
  const { rows } = await client.query(
    `SELECT x.discovery_id, x.gateway_id, x.family, x.native_id, x.channels, x.first_seen_at, x.last_seen_at, x.awaits,
       d.device_id, d.timezone, d.decoder_config
     FROM discovered_devices x LEFT JOIN devices d ON d.device_id = x.device_id AND d.deleted_at IS NULL
     WHERE x.gateway_id = ANY ($1)`,
    [gatewayIds],
  );
  const stored = rows.map((row): DeviceDiscovery => {
    const settings = parseDecoderSettings({
      ...row.decoder_config,
      ...omitUndefined({ tz: row.timezone ?? undefined }),
    });
    return {
      discoveryId: row.discovery_id,
      gatewayId: row.gateway_id,
      family: row.family,
      nativeId: row.native_id,
      quantities: row.channels,
      firstSeenMs: row.first_seen_at.getTime(),
      lastSeenMs: row.last_seen_at.getTime(),
      awaits: row.awaits,
      descriptions: [],
      paired: row.device_id === null ? null : { deviceId: row.device_id, settings },
      isChanged: false,
    };
  });
  return new DeviceDiscoveryBatch(gatewayIds, stored);
}

/** The discovered devices of a batch's gateways, with the changes that the batch makes. */
export class DeviceDiscoveryBatch {
  readonly #byGateway: ReadonlyMap<string, Map<string, DeviceDiscovery>>;
  /** Gateways with an announced device that has not sent its first value yet. */
  readonly #awaiting = new Set<string>();

  constructor(gatewayIds: readonly string[], stored: readonly DeviceDiscovery[]) {
    this.#byGateway = new Map(gatewayIds.map((id) => [id, new Map()]));
    for (const one of stored) {
      this.#byGateway.get(one.gatewayId)?.set(keyOf(one.family, one.nativeId), one);
      if (isAwaitingFirstValue(one.awaits)) this.#awaiting.add(one.gatewayId);
    }
  }

  find(gatewayId: string, family: string, nativeId: string): DeviceDiscovery | undefined {
    return this.#byGateway.get(gatewayId)?.get(keyOf(family, nativeId));
  }

  /** Records the devices that a message contains or announces. `decoded`: the result of the gateway's decoders. */
  receive(
    gatewayId: string,
    decoded: DecodeResultWithFamilyName,
    { topic, receivedAtMs }: DeviceMessage,
    by: Reading,
  ): void {
    if (decoded.announced) this.#announce(gatewayId, decoded.family, { ...decoded.announced, receivedAtMs }, by);
    if (this.#awaiting.has(gatewayId)) {
      const announced = by.decoders.announcedOn(topic, decoded.family);
      for (const { family, device } of announced) this.#hide(gatewayId, family, device);
    }
    const valuesByDevice = Map.groupBy(decoded.said, ({ device }) => device);
    for (const nativeId of listDiscoveredNativeIds(decoded)) {
      this.#note(gatewayId, decoded.family, nativeId, valuesByDevice.get(nativeId) ?? [], receivedAtMs);
    }
  }

  /** Updates a discovered device after a message. If it is new and the gateway's list is not full, adds it to the list. */
  #note(gatewayId: string, family: string, nativeId: string, values: readonly DecodedValue[], atMs: number): void {
    const discovery =
      this.find(gatewayId, family, nativeId) ?? this.#add({ gatewayId, family, nativeId, awaits: null }, atMs);
    if (!discovery) return;
    if (discovery.awaits !== null) {
      // In the first hour after its first value, the description of a device may change any number of times.
      Object.assign(discovery, { awaits: null, firstSeenMs: atMs, lastSeenMs: atMs, isChanged: true });
    }
    const placed = assignChannelsToListedQuantities(discovery.quantities, values);
    if (addQuantities(discovery, placed)) discovery.isChanged = true;
    if (noteDescriptions(discovery, placed, atMs)) discovery.isChanged = true;
    if (atMs < discovery.lastSeenMs + SEEN_MS) return;
    discovery.lastSeenMs = atMs;
    discovery.isChanged = true;
  }

  /** Lists an announced device that has not sent a value yet. If it is already listed, extends its topic filter. */
  #announce(
    gatewayId: string,
    family: string,
    { device, topics, receivedAtMs }: AnnouncedDevice & { receivedAtMs: number },
    by: Reading,
  ): void {
    const discovery = this.find(gatewayId, family, device);
    if (!discovery) {
      const awaits = this.#isListedByAnother(gatewayId, family, topics[0], by)
        ? READ_BY_OTHER_FAMILY_MARKER
        : combineTopicsToFilter(topics);
      if (this.#add({ gatewayId, family, nativeId: device, awaits }, receivedAtMs)) this.#awaiting.add(gatewayId);
    } else if (isAwaitingFirstValue(discovery.awaits)) {
      const awaits = combineTopicsToFilter([discovery.awaits, ...topics]);
      if (awaits === discovery.awaits) return;
      discovery.awaits = awaits;
      discovery.isChanged = true;
    }
  }

  /** Whether the topic contains the id of a device that another decoder family has already listed. */
  #isListedByAnother(gatewayId: string, announcer: string, topic: string, { decoders, settings }: Reading): boolean {
    // An empty object contains no quantities, but the decoder family still recognises its topic.
    const reader = decoders.read({ topic, payload: Buffer.from('{}'), receivedAtMs: 0 }, settings)?.family;
    if (reader === announcer) return false;
    return [...(this.#byGateway.get(gatewayId)?.values() ?? [])].some(
      ({ family, nativeId }) => family === reader && isDeviceIdInTopic(topic, nativeId),
    );
  }

  /** Hides an announced device without values, because another decoder family lists the same device. */
  #hide(gatewayId: string, family: string, nativeId: string): void {
    const discovery = this.find(gatewayId, family, nativeId);
    if (!discovery || !isAwaitingFirstValue(discovery.awaits)) return;
    discovery.awaits = READ_BY_OTHER_FAMILY_MARKER;
    discovery.isChanged = true;
  }

  /** Stores the changes of discovered devices. Returns the ids of the paired devices whose consumption must be recomputed. */
  async save(client: PoolClient): Promise<readonly string[]> {
    const changed = [...this.#byGateway.values()].flatMap((all) =>
      [...all.values()].filter(({ isChanged }) => isChanged),
    );
    await saveChanged(client, changed);
    return saveRegisterDescriptions(
      client,
      changed.flatMap(({ paired, descriptions }) =>
        paired ? descriptions.map((one) => ({ ...one, deviceId: paired.deviceId })) : [],
      ),
    );
  }

  #add(
    found: Pick<DeviceDiscovery, 'gatewayId' | 'family' | 'nativeId' | 'awaits'>,
    atMs: number,
  ): DeviceDiscovery | undefined {
    const ofGateway = this.#byGateway.get(found.gatewayId);
    if (!ofGateway || ofGateway.size >= MAX_DEVICES) return;
    const discovery: DeviceDiscovery = {
      ...found,
      discoveryId: createId('dsc'),
      quantities: [],
      firstSeenMs: atMs,
      lastSeenMs: atMs,
      descriptions: [],
      paired: null,
      isChanged: true,
    };
    ofGateway.set(keyOf(found.family, found.nativeId), discovery);
    return discovery;
  }
}

/** Adds new quantities to a device, and chooses again which quantities contribute to its totals. Returns whether a quantity was new. */
function addQuantities(discovery: DeviceDiscovery, values: readonly DecodedValue[]): boolean {
  const known = new Set(discovery.quantities.map(({ channel, kind }) => keyOf(channel, kind)));
  let room = MAX_UNKNOWN_QUANTITIES - discovery.quantities.filter(({ channel }) => !parseChannel(channel).known).length;
  const fresh = values.filter(
    ({ kind, channel, asks }) => kind !== 'availability' && !known.has(keyOf(channel, kind)) && (!asks || room-- > 0),
  );
  if (fresh.length === 0 || known.size >= MAX_QUANTITIES) return false;
  const all = new Map<string, Omit<Quantity, 'counts'>>(
    discovery.quantities.map((one) => [keyOf(one.channel, one.kind), one]),
  );
  for (const { channel, kind } of fresh) all.set(keyOf(channel, kind), { channel, kind });
  const quantities = [...all.values()].slice(0, MAX_QUANTITIES);
  const roles = chooseSeriesRoles(quantities.map(({ channel, kind }) => ({ channel, kind: getStoredValueKind(kind) })));
  discovery.quantities = quantities.map((quantity, index) => {
    const { direction, commodity } = parseChannel(quantity.channel);
    // The negative part of a power may also contribute as export. The list of devices does not show this.
    const counts = commodity === 'electricity' && roles[index]?.roles[direction] ? direction : null;
    return { ...quantity, counts };
  });
  return true;
}

/** Stores changed descriptions of a device's registers. Returns whether a change was accepted. */
function noteDescriptions(discovery: DeviceDiscovery, values: readonly DecodedValue[], atMs: number): boolean {
  let isNew = false;
  for (const one of values) {
    const { described, channel, kind } = one;
    if (!described) continue;
    const digest = hashRegisterDescription(described);
    const at = discovery.quantities.findIndex((other) => other.channel === channel && other.kind === kind);
    const known = discovery.quantities[at];
    if (!known || (known.described === digest && known.key === keyOfSaid(one))) continue;
    if (!isRegisterDescriptionChangeAllowed(known.described_at_ms, discovery.firstSeenMs, atMs)) continue;
    const { native: _, ...rest } = known;
    discovery.quantities = discovery.quantities.with(at, {
      ...rest,
      key: keyOfSaid(one),
      described: digest,
      described_at_ms: atMs,
    });
    if (discovery.paired) discovery.descriptions.push({ channel, kind: getStoredValueKind(kind), described });
    isNew = true;
  }
  return isNew;
}

async function saveChanged(client: PoolClient, changed: readonly DeviceDiscovery[]): Promise<void> {
  if (changed.length === 0) return;
  await client.query(
    `INSERT INTO discovered_devices
       (discovery_id, gateway_id, family, native_id, channels, first_seen_at, last_seen_at, awaits)
     SELECT x.discovery_id, x.gateway_id, x.family, x.native_id, x.channels, to_timestamp(x.first_ms / 1000.0), to_timestamp(x.last_ms / 1000.0),
       x.awaits
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::bigint[], $7::bigint[], $8::text[])
       x (discovery_id, gateway_id, family, native_id, channels, first_ms, last_ms, awaits)
     ORDER BY x.discovery_id
     ON CONFLICT (gateway_id, family, native_id) DO UPDATE
     SET channels = excluded.channels, first_seen_at = excluded.first_seen_at, awaits = excluded.awaits,
       last_seen_at = greatest(discovered_devices.last_seen_at, excluded.last_seen_at)`,
    [
      changed.map(({ discoveryId }) => discoveryId),
      changed.map(({ gatewayId }) => gatewayId),
      changed.map(({ family }) => family),
      changed.map(({ nativeId }) => nativeId),
      changed.map(({ quantities }) => JSON.stringify(quantities)),
      changed.map(({ firstSeenMs }) => firstSeenMs),
      changed.map(({ lastSeenMs }) => lastSeenMs),
      changed.map(({ awaits }) => awaits),
    ],
  );
}
