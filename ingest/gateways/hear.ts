import type { PoolClient } from '#src/database/connect.ts';
import { current } from '../decoders/describe.ts';
import type { DecoderSettings, DeviceMessage } from '../decoders/family.ts';
import type { FamilyHeard } from '../decoders/remembering.ts';
import { readSettings } from '../decoders/settings.ts';
import type { IncomingMessage } from '../write/message.ts';
import { type Announcement, isNews, type Known, loadKnown, remember, saveNews } from './announcements.ts';
import { assign, discoveredIn } from './assign.ts';
import { type Discoveries, type Discovery, loadDiscoveries } from './discoveries.ts';

/** Gateways whose decoders a worker keeps; the others are loaded again when they speak. */
const MAX_KNOWN = 1_000;

/** Reads what came through gateways, within the transaction that stores it. */
export interface GatewayHearing {
  /**
   * Answers the batch with each message of a gateway in the place of what it says: one message for each paired device, and
   * none for those that are not. Learns announcements, and lists what was heard for the first time.
   */
  hear(client: PoolClient, batch: readonly IncomingMessage[]): Promise<readonly IncomingMessage[]>;
  /** The transaction did not commit: what was learnt in it is not known. */
  forget(batch: readonly IncomingMessage[]): void;
}

/** A worker's memory of its gateways. Their rows are locked while a batch is read, so that workers learn from each other. */
export function createGatewayHearing(): GatewayHearing {
  const knowns = new Map<string, Known>();

  async function know(client: PoolClient, gatewayId: string, announced: number): Promise<Known> {
    const kept = knowns.get(gatewayId);
    knowns.delete(gatewayId);
    const known = kept?.announced === announced ? kept : await loadKnown(client, gatewayId, announced);
    // The last one used comes last.
    knowns.set(gatewayId, known);
    const [oldest] = knowns.keys();
    if (knowns.size > MAX_KNOWN && oldest !== undefined) knowns.delete(oldest);
    return known;
  }

  return {
    forget(batch) {
      for (const { gateway } of batch) if (gateway) knowns.delete(gateway.gatewayId);
    },
    async hear(client, batch) {
      const ids = [...new Set(batch.flatMap(({ gateway }) => (gateway ? [gateway.gatewayId] : [])))];
      if (ids.length === 0) return batch;
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
        gateways.set(gateway_id, { known, settings: readSettings(decoder_config), news: [], discoveries });
      }
      const heard = batch.flatMap((message) => {
        if (!message.gateway) return [message];
        const gateway = gateways.get(message.gateway.gatewayId);
        return gateway ? hearOne(message, message.gateway, gateway) : [unknownGateway(message)];
      });
      for (const [gatewayId, { known, news }] of gateways) {
        if (news.length > 0) await saveNews(client, gatewayId, known, news);
      }
      await discoveries.save(client);
      return heard;
    },
  };
}

interface Gateway {
  known: Known;
  settings: DecoderSettings;
  news: Announcement[];
  discoveries: Discoveries;
}

/** Learns from one message, lists whom it is of, and answers what it says of those that are paired. */
function hearOne(
  message: IncomingMessage,
  { gatewayId, topic, replayed }: NonNullable<IncomingMessage['gateway']>,
  { known, settings, news, discoveries }: Gateway,
): IncomingMessage[] {
  const { payload, receivedAtMs } = message;
  const own: DeviceMessage = { topic, payload, receivedAtMs, replayed };
  if (isNews(known, own)) {
    known.decoders.recall(own);
    remember(known, own);
    news.push(own);
  }
  const heard = known.decoders.read(own, settings);
  if (!heard) return [];
  for (const nativeId of discoveredIn(heard)) {
    const said = heard.said.filter(({ device }) => device === nativeId);
    discoveries.note(gatewayId, heard.family, nativeId, said, receivedAtMs);
  }
  const natives = new Set([...heard.said.map(({ device }) => device), ...(heard.seen ?? []), ...(heard.blamed ?? [])]);
  const found = [...natives].flatMap((nativeId) => discoveries.find(gatewayId, heard.family, nativeId) ?? []);
  // A device's own settings come before its gateway's. What is refused with them is its own, where the message is.
  const withOwn = ({ paired }: Discovery): FamilyHeard => {
    const isAsGateway = !paired || Object.keys(paired.settings).length === 0;
    return isAsGateway ? heard : (known.decoders.read(own, { ...settings, ...paired.settings }) ?? heard);
  };
  const read = found.map((discovery) => ({ ...discovery, heard: withOwn(discovery) }));
  const [only] = read;
  const { refused } = only && read.length === 1 ? only.heard : heard;
  const { gateway: _read, ...rest } = message;
  const of = read.flatMap(({ nativeId, paired, heard: ofDevice }) => {
    if (!paired) return [];
    const said = current(ofDevice, replayed).filter(({ device }) => device === nativeId);
    return [{ ...rest, decoded: assign(paired.deviceId, said, receivedAtMs) }];
  });
  return withRefusals(of, refused, found, { ...rest, decoded: { deviceId: gatewayId, readings: [], rejections: [] } });
}

/**
 * What cannot be used is kept for its device, or for the gateway where it cannot be told whose it is. Of devices that are not
 * paired nothing is kept.
 */
function withRefusals(
  of: IncomingMessage[],
  refused: readonly string[],
  found: readonly Discovery[],
  ofGateway: IncomingMessage,
): IncomingMessage[] {
  if (refused.length === 0) return of;
  const rejections = refused.map((reason) => ({ element: null, reason }));
  const [first, ...others] = of;
  if (first) {
    const decoded = { ...first.decoded, rejections: [...first.decoded.rejections, ...rejections] };
    return [{ ...first, decoded }, ...others];
  }
  return found.length > 0 ? [] : [{ ...ofGateway, decoded: { ...ofGateway.decoded, rejections } }];
}

/** A gateway that was deleted, or never was. */
const unknownGateway = ({ gateway: _gateway, ...message }: IncomingMessage): IncomingMessage => ({
  ...message,
  decoded: { ...message.decoded, rejections: [{ element: null, reason: 'unknown or deleted gateway' }] },
});
