import { connect } from 'node:net';
import { tryBroker } from '#ingest/source/try-broker.ts';
import { fromHere, hostAndPort } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { shownUrl } from '#src/config/shown-url.ts';
import type { BrokerFacts } from '../facts.ts';
import { ANSWER_MS, within } from './within.ts';

/** Tries the broker: that of MQTT_URL with its login, the embedded one by its port. */
export async function gatherBroker({ mqtt }: Config): Promise<BrokerFacts | null> {
  const { url } = mqtt;
  const reached = { reached: true } as const;
  if (url !== undefined)
    return {
      shown: shownUrl(url),
      isEmbedded: false,
      reached: await within(async () => {
        await tryBroker(url, ANSWER_MS);
        return reached;
      }),
    };
  // A port that is chosen anew at each start is not known here.
  if (mqtt.port === 0) return null;
  const host = fromHere(mqtt.host);
  return {
    shown: hostAndPort(host, mqtt.port),
    isEmbedded: true,
    reached: await within(async () => {
      await opens(host, mqtt.port);
      return reached;
    }),
  };
}

const opens = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => {
      socket.destroy();
      reject(new Error('no answer'));
    });
    socket.once('error', reject);
  });
