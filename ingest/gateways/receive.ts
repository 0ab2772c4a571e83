import type { PoolClient } from '#src/database/connect.ts';
import {
  type DecodedValue,
  type DecoderSettings,
  type DeviceMessage,
  parseDecoderSettings,
  selectCurrentValues,
} from '../decoders/family.ts';
import type { DecodeResultWithFamilyName } from '../decoders/gateway-decoders.ts';
import type { IncomingMessage } from '../message.ts';
import { MessageDecodingError } from '../write-errors.ts';
import {
  type Announcement,
  type GatewayWithAnnouncements,
  isNewAnnouncement,
  isTopicTooLong,
  loadGatewayWithAnnouncements,
  MAX_ANNOUNCEMENT_TOPIC_BYTES,
  recordAnnouncement,
  saveAnnouncements,
} from './announcements.ts';
import { createDecodedMessage } from './assign.ts';
import { type DeviceDiscovery, type DeviceDiscoveryBatch, loadDeviceDiscoveries } from './discoveries.ts';
import { assignChannelsToListedQuantities, filterStorableQuantities } from './listed-quantities.ts';
import { createUnrecognisedMessageCounter, type UnrecognisedMessageCounter } from './unrecognised.ts';

/** Maximum number of gateways that a worker caches, and maximum total bytes of their announcements. */
const MOST = { gateways: 1_000, bytes: 64 * 2 ** 20 };

export class GatewayCache {
  readonly #gateways = new Map<string, GatewayWithAnnouncements>();
  readonly #most: typeof MOST;

  constructor(most = MOST) {
    this.#most = most;
  }

  get(gatewayId: string): GatewayWithAnnouncements | undefined {
    return this.#gateways.get(gatewayId);
  }

  keep(gatewayId: string, known: GatewayWithAnnouncements): void {
    this.#gateways.delete(gatewayId);
    this.#gateways.set(gatewayId, known);
  }

  forget(gatewayId: string): void {
    this.#gateways.delete(gatewayId);
  }

  /** Evicts the least recently used gateways until the cache is within its limits. New announcements can also enlarge a cached gateway. */
  trim(): void {
    let bytes = 0;
    for (const known of this.#gateways.values()) bytes += known.bytes;
    for (const [gatewayId, known] of this.#gateways) {
      if (this.#gateways.size <= this.#most.gateways && bytes <= this.#most.bytes) return;
      this.#gateways.delete(gatewayId);
      bytes -= known.bytes;
    }
  }
}

/**
 * Decodes the messages of gateways within the transaction that stores them. The transaction locks the gateways, so that no other worker
 * adds announcements in the meantime.
 */
export class GatewayReceiver {
  readonly #gateways = new GatewayCache();
  readonly #unread: UnrecognisedMessageCounter;

  constructor(unread: UnrecognisedMessageCounter = createUnrecognisedMessageCounter()) {
    this.#unread = unread;
  }

  /** Evicts the gateways of a batch whose transaction was not committed. */
  forget(batch: readonly IncomingMessage[]): void {
    const ids = idsOf(batch);
    for (const id of ids) this.#gateways.forget(id);
    this.#unread.forget(ids);
  }

  /**
   * Replaces each message of a gateway by one decoded message for each paired device. Also stores announcements, lists new devices, and
   * counts messages that no decoder recognises. Adds to `described` the ids of the devices whose consumption must be recomputed.
   */
  async receive(
    client: PoolClient,
    batch: readonly IncomingMessage[],
    described: Set<string>,
  ): Promise<readonly IncomingMessage[]> {
    const ids = idsOf(batch);
    if (ids.length === 0) return batch;
    // Raw SQL for speed: each batch with messages of gateways runs this statement. It locks the gateways in the order of their ids.
    const { rows } = await client.query(
      `SELECT gateway_id, decoder_config, announced FROM gateways
       WHERE gateway_id = ANY ($1) ORDER BY gateway_id FOR NO KEY UPDATE`,
      [ids],
    );
    const discoveries = await loadDeviceDiscoveries(
      client,
      rows.map((row) => row.gateway_id),
    );
    const unread = this.#unread;
    const gateways = new Map<string, Gateway>();
    for (const { gateway_id, decoder_config, announced } of rows) {
      const known = await this.#know(client, gateway_id, announced);
      gateways.set(gateway_id, { known, settings: settingsOf(known, decoder_config), news: [], discoveries, unread });
    }
    const messages = batch.flatMap((message) => {
      if (!message.gateway) return [message];
      const gateway = gateways.get(message.gateway.gatewayId);
      return gateway ? tryToReceive(message, message.gateway, gateway) : [message];
    });
    for (const [gatewayId, { known, news }] of gateways) {
      if (news.length > 0) await saveAnnouncements(client, gatewayId, known, news);
    }
    for (const deviceId of await discoveries.save(client)) described.add(deviceId);
    await unread.save(client, [...gateways.keys()]);
    this.#gateways.trim();
    return messages;
  }

  async #know(client: PoolClient, gatewayId: string, announced: number): Promise<GatewayWithAnnouncements> {
    const cached = this.#gateways.get(gatewayId);
    const known =
      cached?.announced === announced ? cached : await loadGatewayWithAnnouncements(client, gatewayId, announced);
    this.#gateways.keep(gatewayId, known);
    return known;
  }
}

/** Cache of parsed settings: parsing a hundred mappings takes 7 ms, and each batch needs them. */
const READ = new WeakMap<GatewayWithAnnouncements, { text: string; settings: DecoderSettings }>();

function settingsOf(known: GatewayWithAnnouncements, config: unknown): DecoderSettings {
  const text = JSON.stringify(config);
  const before = READ.get(known);
  if (before?.text === text) return before.settings;
  const settings = parseDecoderSettings(config);
  READ.set(known, { text, settings });
  return settings;
}

const idsOf = (batch: readonly IncomingMessage[]): string[] => [
  ...new Set(batch.flatMap(({ gateway }) => (gateway ? [gateway.gatewayId] : []))),
];

interface Gateway {
  known: GatewayWithAnnouncements;
  settings: DecoderSettings;
  news: Announcement[];
  discoveries: DeviceDiscoveryBatch;
  unread: UnrecognisedMessageCounter;
}

/** Calls `receiveOne`. Throws a MessageDecodingError for any error in it, so that the error is not attributed to the database. */
function tryToReceive(...[message, below, gateway]: Parameters<typeof receiveOne>): IncomingMessage[] {
  try {
    return receiveOne(message, below, gateway);
  } catch (error) {
    throw new MessageDecodingError(error);
  }
}

/** Decodes one message of a gateway for several devices, once for each different set of device settings. */
class ReadingsOfMessage {
  readonly #message: DeviceMessage;
  readonly #decoded: DecodeResultWithFamilyName;
  readonly #gateway: Gateway;
  readonly #bySettings = new Map<string, DecodeResultWithFamilyName>();
  readonly #byDevice = new Map<DecodeResultWithFamilyName, Map<string, DecodedValue[]>>();

  /** `decoded`: the message as decoded with the settings of the gateway. */
  constructor(message: DeviceMessage, decoded: DecodeResultWithFamilyName, gateway: Gateway) {
    this.#message = message;
    this.#decoded = decoded;
    this.#gateway = gateway;
  }

  readFor({ paired }: DeviceDiscovery): DecodeResultWithFamilyName {
    const key = JSON.stringify(paired?.settings ?? {});
    if (key === '{}') return this.#decoded;
    const { known, settings } = this.#gateway;
    const read =
      this.#bySettings.get(key) ??
      known.decoders.read(this.#message, { ...settings, ...paired?.settings }) ??
      this.#decoded;
    this.#bySettings.set(key, read);
    return read;
  }

  /** Returns the values of the device. If the broker had retained the message, values without a timestamp are left out. */
  valuesOf(discovery: DeviceDiscovery): DecodedValue[] {
    const read = this.readFor(discovery);
    const groups =
      this.#byDevice.get(read) ??
      Map.groupBy(selectCurrentValues(read, this.#message.replayed === true), ({ device }) => device);
    this.#byDevice.set(read, groups);
    return groups.get(discovery.nativeId) ?? [];
  }
}

function receiveOne(
  message: IncomingMessage,
  { gatewayId, topic }: NonNullable<IncomingMessage['gateway']>,
  gateway: Gateway,
): IncomingMessage[] {
  const { known, settings, news, discoveries, unread } = gateway;
  const { payload, receivedAtMs, replayed = false } = message;
  const own: DeviceMessage = { topic, payload, receivedAtMs, replayed };
  if (isNewAnnouncement(known, own)) {
    if (isTopicTooLong(topic)) return [tooLong(message)];
    known.decoders.recall(own);
    recordAnnouncement(known, own);
    news.push(own);
  }
  const decoded = known.decoders.read(own, settings);
  if (!decoded) {
    unread.note(gatewayId, own);
    return [];
  }
  discoveries.receive(gatewayId, decoded, own, { decoders: known.decoders, settings });
  const natives = new Set([
    ...decoded.said.map(({ device }) => device),
    ...(decoded.seen ?? []),
    ...(decoded.blamed ?? []),
  ]);
  const found = [...natives].flatMap((nativeId) => discoveries.find(gatewayId, decoded.family, nativeId) ?? []);
  const readings = new ReadingsOfMessage(own, decoded, gateway);
  const { gateway: _gateway, ...rest } = message;
  const of = found.flatMap((discovery) => {
    if (!discovery.paired) return [];
    const { quantities } = discovery;
    const values = filterStorableQuantities(
      quantities,
      assignChannelsToListedQuantities(quantities, readings.valuesOf(discovery)),
    );
    return [{ ...rest, decoded: createDecodedMessage(discovery.paired.deviceId, values, receivedAtMs) }];
  });
  const [only] = found;
  const { refused } = only && natives.size === 1 ? readings.readFor(only) : decoded;
  if (refused.length === 0) return of;
  const blamed = new Set(decoded.blamed ?? []);
  const whose = found.find(({ nativeId, paired }) => paired && (blamed.size === 0 || blamed.has(nativeId)));
  return withRefusals(of, refused, {
    deviceId: whose?.paired?.deviceId,
    isOfNobody: natives.size === 0,
    gatewayId,
    rest,
  });
}

/**
 * Assigns each rejection to the device that caused it or, if that is unknown, to the gateway. Rejections of devices that are not paired are
 * dropped.
 */
function withRefusals(
  of: IncomingMessage[],
  refused: readonly string[],
  whose: {
    deviceId: string | undefined;
    isOfNobody: boolean;
    gatewayId: string;
    rest: Omit<IncomingMessage, 'gateway' | 'decoded'>;
  },
): IncomingMessage[] {
  const rejections = refused.map((reason) => ({ element: null, reason }));
  if (whose.deviceId === undefined) {
    const decoded = { deviceId: whose.gatewayId, readings: [], rejections };
    return whose.isOfNobody ? [...of, { ...whose.rest, decoded }] : of;
  }
  return of.map((one) => {
    if (one.decoded.deviceId !== whose.deviceId) return one;
    return { ...one, decoded: { ...one.decoded, rejections: [...one.decoded.rejections, ...rejections] } };
  });
}

const tooLong = ({ gateway: _gateway, ...message }: IncomingMessage): IncomingMessage => ({
  ...message,
  // The payload is not stored: the announced device is unknown, so the data may belong to another person.
  payload: Buffer.alloc(0),
  decoded: {
    ...message.decoded,
    rejections: [{ element: null, reason: `announced on a topic of more than ${MAX_ANNOUNCEMENT_TOPIC_BYTES} bytes` }],
  },
});

export const rejectMessageOfUnknownGateway = ({ gateway: _gateway, ...message }: IncomingMessage): IncomingMessage => ({
  ...message,
  // The payload is not stored, because its owner is unknown.
  payload: Buffer.alloc(0),
  decoded: { ...message.decoded, rejections: [{ element: null, reason: 'unknown or deleted gateway' }] },
});
