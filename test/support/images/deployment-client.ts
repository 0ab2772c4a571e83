import { request } from 'node:https';
import { connect, isIP } from 'node:net';
import mqtt from 'mqtt';

/** A client in the network of a deployment, which checks the name in the certificate. */
interface DeploymentClient {
  /** Sends a request and returns the body of the response. Throws if the status is not 2xx. */
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  ask(path: string, body?: unknown): Promise<any>;
  /**
   * Creates a home with a meter that publishes two register readings over MQTT with TLS. Returns a function that requests the day's energy
   * in kWh.
   */
  publishOneDay(): Promise<() => Promise<number[]>>;
}

/** Energy of the day between the two register readings that `publishOneDay` publishes. */
export const PUBLISHED_DAY_KWH = 1.5;

/**
 * Returns a client with an administrator's key that connects to `address` and expects the name `name` in the certificate. Without `ca`
 * (certificates of authorities), it downloads the deployment's own certificate.
 */
export async function connectDeploymentClient(at: {
  address: string;
  name: string;
  key: string;
  ca?: string;
}): Promise<DeploymentClient> {
  const { address, name, key } = at;
  // TLS forbids an IP address as server name.
  const server = isIP(name) ? {} : { servername: name };
  const send = (path: string, trusted: { ca: string } | { rejectUnauthorized: false }, body?: unknown) =>
    // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
    new Promise<any>((done, failed) => {
      const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
      const method = body ? 'POST' : 'GET';
      const outgoing = request(
        // Each request uses a new connection, because the deployment may have restarted.
        { host: address, port: 8443, path, method, headers, timeout: 30_000, agent: false, ...server, ...trusted },
        async (response) => {
          const text = Buffer.concat(await response.toArray()).toString();
          const isWell = Math.trunc((response.statusCode ?? 0) / 100) === 2;
          if (!isWell) failed(new Error(`${path}: ${response.statusCode} ${text}`));
          else done(/json/.test(response.headers['content-type'] ?? '') ? JSON.parse(text) : text);
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error(`${path}: no response within 30 s`)));
      outgoing.on('error', failed);
      outgoing.end(body && JSON.stringify(body));
    });
  const ca = at.ca ?? (await send('/certificate.pem', { rejectUnauthorized: false }));
  const ask = (path: string, body?: unknown) => send(path, { ca }, body);
  return {
    ask,
    async publishOneDay() {
      const { user_id } = await ask('/v1/users', { email: 'anna@example.com', role: 'homeowner' });
      const meter = await ask('/v1/devices', { user_id, type: 'smart_meter', location: 'Cellar' });
      const { username, password, topic } = meter.mqtt;
      const device = await mqtt.connectAsync(`mqtts://${address}:8883`, { username, password, ca, ...server }, false);
      const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
      for (const [hour, kwh] of [
        [1, 100],
        [2, 100 + PUBLISHED_DAY_KWH],
      ] as const) {
        const reading = { ts: `${day}T0${hour}:00:00Z`, energy_total_kwh: kwh };
        await device.publishAsync(topic, JSON.stringify(reading), { qos: 1 });
      }
      await device.endAsync();
      return async () => {
        const path = `/v1/energy-insights?user_id=${user_id}&start=${day}&end=${day}&group_by=day`;
        return (await ask(path)).data.map((row: { kwh_used: number }) => row.kwh_used);
      };
    },
  };
}

/** Whether no broker at this address accepts connections without TLS. */
export function isUnencryptedMqttRefused(address: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: address, port: 1883, timeout: 5_000 });
    const end = (isRefused: boolean) => {
      socket.destroy();
      done(isRefused);
    };
    socket
      .on('connect', () => end(false))
      .on('error', () => end(true))
      .on('timeout', () => end(true));
  });
}
