import { Agent, request } from 'node:https';
import { createKey } from '#src/auth/keys.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import type { PairedDevice } from '../support.ts';
import { deliverReadings, type RetryingFleet } from './fleet.ts';

/**
 * Maximum time in ms to wait for a response. It is needed for processes that a fault has stopped; a request to a killed process fails at
 * once.
 */
const ANSWER_MS = 20_000;
const RETRY_MS = 20;
/** Number of concurrent requests of a device. The API must serve this many requests of one account at once. */
const CONNECTIONS = 6;

/**
 * Starts devices that send register readings over HTTPS, each with its own key. Each device repeats a reading until it gets a 2xx response.
 */
export async function startHttpsFleet(
  pool: Pool,
  port: number,
  players: readonly PairedDevice[],
  perSecond: number,
): Promise<RetryingFleet> {
  const keys = await createDeviceKeys(pool, players);
  return deliverReadings(players, perSecond, async ({ deviceId }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false });
    const headers = { authorization: `Bearer ${keys.get(deviceId)}`, 'content-type': 'application/json' };
    const path = `/v1/devices/${deviceId}/readings`;
    const options = { host: '127.0.0.1', port, path, method: 'POST', agent, headers, timeout: ANSWER_MS };
    return {
      async deliver(reading) {
        const payload = JSON.stringify(reading);
        while (!(await isAccepted(options, payload))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      },
      close: async () => agent.destroy(),
    };
  });
}

/** Creates a key for each device, with which only this device's readings can be written. Returns the keys by device id. */
async function createDeviceKeys(pool: Pool, players: readonly PairedDevice[]): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const { deviceId } of players) {
    const { rows } = await pool.query('SELECT user_id FROM devices WHERE device_id = $1', [deviceId]);
    const device = { id: deviceId, madeBy: 'owner' as const };
    const scopes = ['readings:write' as const];
    const { key } = await createKey(createDatabase(pool), {
      userId: rows[0].user_id,
      environment: 'live',
      scopes,
      device,
    });
    keys.set(deviceId, key);
  }
  return keys;
}

/**
 * Sends a reading once. Returns true if the service has stored the reading, now or before, and false if the reading must be sent again.
 * Throws if the request is invalid, or if the response is 2xx although the reading is not stored.
 */
function isAccepted(options: Parameters<typeof request>[1], payload: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const sent = request(options as object, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', () => resolve(false));
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 400 && statusCode < 500) return reject(new Error(`answered ${statusCode}: ${text}`));
        if (statusCode >= 300) return resolve(false);
        const { stored, duplicates } = JSON.parse(text) as { stored: number; duplicates: number };
        if (stored + duplicates === 1) resolve(true);
        else reject(new Error(`answered ${statusCode}, and stored no reading: ${text}`));
      });
    });
    sent.on('timeout', () => sent.destroy());
    // Without this listener, the error of a connection to a killed process would end this process.
    sent.on('error', () => resolve(false));
    sent.end(payload);
  });
}
