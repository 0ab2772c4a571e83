import { expect } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import { buildBridgeSettings } from './bridge-settings.ts';
import { type Mosquitto, startMosquitto } from './mosquitto.ts';
import { createTemporaryFolder, startRole } from './service.ts';

/** A device that was discovered behind a gateway and has not been paired yet. */
interface Found {
  family: string;
  native_id: string;
  discovery_id: string;
  awaits: string | null;
}

/** A home with a gateway, and a service: the API in this process, ingest with the embedded broker in another. */
export interface GatewayHome {
  api: TestApi;
  userId: string;
  gatewayId: string;
  /** MQTT login with which the gateway connects. */
  mqtt: { username: string; password: string; topic_prefix: string };
  /** URL of the service's embedded broker. */
  url: string;
  /** Sends a request as the homeowner. Throws if the response is not 2xx. */
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  send(path: string, body?: object, method?: 'POST' | 'PATCH'): Promise<any>;
  /**
   * Replaces the household's broker by one with the bridge settings of deploy/DEVICES.md. Returns its URL. `topics`: other topics to
   * bridge.
   */
  bridge(topics?: readonly string[]): Promise<string>;
  /** Waits until `count` devices have been discovered and have values. */
  discovered(count: number): Promise<Found[]>;
  close(): Promise<void>;
}

/** Starts the service, and creates the home with its gateway. */
export async function startGatewayHome(): Promise<GatewayHome> {
  const [api, folder] = await Promise.all([startTestApi(), createTemporaryFolder()]);
  api.now = new Date();
  const ingest = await startRole('ingest', { DATABASE_URL: api.database.url, DATA_DIR: folder.path });
  const { userId, key } = await api.user('homeowner');
  const send: GatewayHome['send'] = async (path, body, method = 'POST') => {
    const { status, json } = await api.send(path, { key, ...(body ? { method, body } : {}) });
    expect([path, status, json.error]).toEqual([path, body && method === 'POST' ? 201 : 200, undefined]);
    return json;
  };
  const { gateway_id: gatewayId, mqtt } = await send('/v1/gateways', { name: 'home' });
  let broker: Mosquitto | undefined;
  return {
    api,
    userId,
    gatewayId,
    mqtt,
    url: `mqtt://127.0.0.1:${ingest.ready.port}`,
    send,
    async bridge(topics) {
      await broker?.stop();
      const to = { gatewayId, password: mqtt.password, port: ingest.ready.tlsPort, folder: folder.path };
      const lines = (topics ?? []).map((topic) => `topic ${topic} out 1 "" gw/${gatewayId}/`);
      const documented = buildBridgeSettings(to);
      const settings = topics ? [documented.replaceAll(/^topic .*\n/gm, ''), ...lines].join('\n') : documented;
      const configuration = `listener 1883\nallow_anonymous true\n${settings}\n`;
      broker = await startMosquitto({ configuration });
      return broker.url;
    },
    async discovered(count) {
      let found: Found[] = [];
      const discoveredWithValues = async () => {
        const all: Found[] = await send('/v1/devices/discovered');
        found = all.filter(({ awaits }) => awaits === null);
        return found.length;
      };
      await expect.poll(discoveredWithValues).toBe(count);
      return found;
    },
    async close() {
      await broker?.stop();
      await ingest.stop();
      await api.close();
      await folder.remove();
    },
  };
}
