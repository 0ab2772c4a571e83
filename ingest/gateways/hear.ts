import type { PoolClient } from '#src/database/connect.ts';
import { current, type DecoderSettings, type DeviceMessage, readSettings, type Said } from '../decoders/family.ts';
import type { FamilyHeard } from '../decoders/remembering.ts';
import { ReadingFault } from '../fault.ts';
import type { IncomingMessage } from '../message.ts';
import {
  type Announcement,
  isNews,
  isTooLong,
  type Known,
  loadKnown,
  MAX_TOPIC_BYTES,
  remember,
  saveNews,
} from './announcements.ts';
import { asBefore, asListed } from './as-listed.ts';
import { assign } from './assign.ts';
import { type Discoveries, type Discovery, loadDiscoveries } from './discoveries.ts';
import { createKnownGateways } from './known-gateways.ts';
import { createUnreadMessages, type UnreadMessages } from './unread.ts';

/** Reads what came through gateways, within the transaction that stores it. */
export interface GatewayHearing {
  /**
   * Answers the batch with each message of a gateway in the place of what it says: one message for each paired device, and
   * none for those that are not; one of a gateway that is not here as it came. Learns announcements, lists what was heard for the
   * first time, and counts what no family knows. `described` is given the devices that are judged otherwise from now on.
   */
  hear(
    client: PoolClient,
    batch: readonly IncomingMessage[],
    described?: Set<string>,
  ): Promise<readonly IncomingMessage[]>;
  /** The transaction did not commit: what was learnt in it is not known. */
  forget(batch: readonly IncomingMessage[]): void;
}

/** A worker's memory of its gateways. Their rows are locked while a batch is read, so that workers learn from each other. `unread`: the worker's counts. */
export function createGatewayHearing(unread: UnreadMessages = createUnreadMessages()): GatewayHearing {
  const gatewaysKnown = createKnownGateways();

  async function know(client: PoolClient, gatewayId: string, announced: number): Promise<Known> {
    const kept = gatewaysKnown.get(gatewayId);
    const known = kept?.announced === announced ? kept : await loadKnown(client, gatewayId, announced);
    gatewaysKnown.keep(gatewayId, known);
    return known;
  }

  return {
    forget(batch) {
      const ids = idsOf(batch);
      for (const id of ids) gatewaysKnown.forget(id);
      unread.forget(ids);
    },
    async hear(client, batch, described = new Set()) {
      const ids = idsOf(batch);
      if (ids.length === 0) return batch;
      // Raw SQL: the hot path of ingest: gateways are locked in one order, by their ids.
      const { rows } = await client.query(
        `SELECT gateway_id, decoder_config, announced FROM gateways
         WHERE gateway_id = ANY ($1) ORDER BY gateway_id FOR NO KEY UPDATE`,
        [ids],
      );
      const discoveries = await loadDiscoveries(
        client,
        rows.map((row) => row.gateway_id),
      );
      const gateways = new Map<string, Gateway>();
      for (const { gateway_id, decoder_config, announced } of rows) {
        const known = await know(client, gateway_id, announced);
        gateways.set(gateway_id, { known, settings: settingsOf(known, decoder_config), news: [], discoveries, unread });
      }
      const heard = batch.flatMap((message) => {
        if (!message.gateway) return [message];
        const gateway = gateways.get(message.gateway.gatewayId);
        return gateway ? tryToHear(message, message.gateway, gateway) : [message];
      });
      for (const [gatewayId, { known, news }] of gateways) {
        if (news.length > 0) await saveNews(client, gatewayId, known, news);
      }
      for (const deviceId of await discoveries.save(client)) described.add(deviceId);
      await unread.save(client, [...gateways.keys()]);
      gatewaysKnown.trim();
      return heard;
    },
  };
}

/** What was read of the settings of a gateway that is known: a hundred mappings take 7 ms, and each batch would read them again. */
const READ = new WeakMap<Known, { text: string; settings: DecoderSettings }>();

function settingsOf(known: Known, config: unknown): DecoderSettings {
  const text = JSON.stringify(config);
  const before = READ.get(known);
  if (before?.text === text) return before.settings;
  const settings = readSettings(config);
  READ.set(known, { text, settings });
  return settings;
}

const idsOf = (batch: readonly IncomingMessage[]): string[] => [
  ...new Set(batch.flatMap(({ gateway }) => (gateway ? [gateway.gatewayId] : []))),
];

interface Gateway {
  known: Known;
  settings: DecoderSettings;
  news: Announcement[];
  discoveries: Discoveries;
  unread: UnreadMessages;
}

/** `hearOne`, telling what it throws from what the database does: families are to throw nothing. */
function tryToHear(...[message, below, gateway]: Parameters<typeof hearOne>): IncomingMessage[] {
  try {
    return hearOne(message, below, gateway);
  } catch (error) {
    throw new ReadingFault(error);
  }
}

/** Learns from one message, lists whom it is of, and answers what it says of those that are paired. */
function hearOne(
  message: IncomingMessage,
  { gatewayId, topic }: NonNullable<IncomingMessage['gateway']>,
  { known, settings, news, discoveries, unread }: Gateway,
): IncomingMessage[] {
  const { payload, receivedAtMs, replayed = false } = message;
  const own: DeviceMessage = { topic, payload, receivedAtMs, replayed };
  if (isNews(known, own)) {
    if (isTooLong(topic)) return [tooLong(message)];
    known.decoders.recall(own);
    remember(known, own);
    news.push(own);
  }
  const heard = known.decoders.read(own, settings);
  if (!heard) {
    unread.note(gatewayId, own);
    return [];
  }
  discoveries.receive(gatewayId, heard, own, { decoders: known.decoders, settings });
  const natives = new Set([...heard.said.map(({ device }) => device), ...(heard.seen ?? []), ...(heard.blamed ?? [])]);
  const found = [...natives].flatMap((nativeId) => discoveries.find(gatewayId, heard.family, nativeId) ?? []);
  // A device's own settings come before its gateway's; each set of settings is read with once, however many devices have it.
  const readings = new Map<string, FamilyHeard>();
  const withOwn = ({ paired }: Discovery): FamilyHeard => {
    const key = JSON.stringify(paired?.settings ?? {});
    if (key === '{}') return heard;
    const read = readings.get(key) ?? known.decoders.read(own, { ...settings, ...paired?.settings }) ?? heard;
    readings.set(key, read);
    return read;
  };
  const grouped = new Map<FamilyHeard, Map<string, Said[]>>();
  const saidOf = (read: FamilyHeard, nativeId: string): Said[] => {
    const groups = grouped.get(read) ?? Map.groupBy(current(read, replayed), ({ device }) => device);
    grouped.set(read, groups);
    return groups.get(nativeId) ?? [];
  };
  const { gateway: _read, ...rest } = message;
  const of = found.flatMap((discovery) => {
    if (!discovery.paired) return [];
    const { quantities } = discovery;
    const said = asListed(quantities, asBefore(quantities, saidOf(withOwn(discovery), discovery.nativeId)));
    return [{ ...rest, decoded: assign(discovery.paired.deviceId, said, receivedAtMs) }];
  });
  // What is refused with a device's own settings is its own, where the message is.
  const [only] = found;
  const { refused } = only && natives.size === 1 ? withOwn(only) : heard;
  if (refused.length === 0) return of;
  const blamed = new Set(heard.blamed ?? []);
  const whose = found.find(({ nativeId, paired }) => paired && (blamed.size === 0 || blamed.has(nativeId)));
  return withRefusals(of, refused, {
    deviceId: whose?.paired?.deviceId,
    isOfNobody: natives.size === 0,
    gatewayId,
    rest,
  });
}

/**
 * What cannot be used is kept for its device, or for the gateway where it cannot be told whose it is. Of devices that are not
 * paired nothing is kept.
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

/** An announcement on a topic that is too long to be kept under it. */
const tooLong = ({ gateway: _gateway, ...message }: IncomingMessage): IncomingMessage => ({
  ...message,
  // Whose device it announces cannot be told, and what is not its owner's is not kept.
  payload: Buffer.alloc(0),
  decoded: {
    ...message.decoded,
    rejections: [{ element: null, reason: `announced on a topic of more than ${MAX_TOPIC_BYTES} bytes` }],
  },
});

/** What comes of a gateway that was deleted, or never was. */
export const unknownGateway = ({ gateway: _gateway, ...message }: IncomingMessage): IncomingMessage => ({
  ...message,
  // Whose it was is gone, and what it was is not kept.
  payload: Buffer.alloc(0),
  decoded: { ...message.decoded, rejections: [{ element: null, reason: 'unknown or deleted gateway' }] },
});
