import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { type HttpResponse, type RequestOptions, type ServerAddress, sendRequest } from './client.ts';
import type { AttackTarget } from './target.ts';

type Role = 'homeowner' | 'utility' | 'admin';

/** A person, and a key that has all scopes of the person's role. */
export interface Person {
  userId: string;
  email: string;
  key: string;
  keyId: string;
}

/** A paired device and its login. */
export interface Device {
  deviceId: string;
  username: string;
  password: string;
  topic: string;
}

/** The installation under attack, with helper functions for probes. All objects that the functions create are removed at the end. */
export interface AttackedInstallation {
  target: AttackTarget;
  /** Addresses of all API processes. */
  apis: readonly ServerAddress[];
  ask(method: string, path: string, sent?: RequestOptions): Promise<HttpResponse>;
  /** Sends a request as the administrator. Rejects if the response is not 2xx. */
  must(method: string, path: string, sent?: RequestOptions): Promise<HttpResponse>;
  person(role: Role, options?: { enrolledBy?: Person; plan?: string; scopes?: string[] }): Promise<Person>;
  key(of: Person, options?: { scopes?: string[]; expires_at?: string }): Promise<{ key: string; keyId: string }>;
  /** Pairs a device for the given person, or for a new account. */
  device(owner?: Pick<Person, 'userId'>): Promise<Device>;
  /** Connects to the broker as the device. */
  connect(device: Device, options?: IClientOptions): Promise<MqttClient>;
  /** Returns a loopback address that no other client uses, because the service counts failed authentications by address. */
  address(): string;
  /** Returns a value that is created once and shared by several probes. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
  /** Ends the connections that probes opened. */
  end(): Promise<void>;
  /** Deletes the accounts that probes created. Needed for an installation that continues to run after the attack. */
  clear(): Promise<void>;
}

const AT = 'attack.example.com';
/**
 * Maximum number of times that a request is repeated after 429 or 503. An installation with the usual limits refuses requests by 429. On a
 * busy machine, a request that waits too long for its account's slot gets 503.
 */
const MAX_PATIENCE = 3;

export function createAttackedInstallation(target: AttackTarget): AttackedInstallation {
  const { api, otherApi, adminKey } = target;
  const run = Math.random().toString(36).slice(2, 8);
  const made: string[] = [];
  const clients: MqttClient[] = [];
  const shared = new Map<string, Promise<unknown>>();
  let people = 0;
  let addresses = 0;

  const world: AttackedInstallation = {
    target,
    apis: otherApi ? [api, otherApi] : [api],
    ask: (method, path, sent) => sendRequest(api, method, path, sent),
    async must(method, path, sent = {}) {
      for (let tried = 1; ; tried++) {
        const answer = await sendRequest(api, method, path, { key: adminKey, ...sent });
        if (answer.status < 300) return answer;
        const waitSeconds = Number(answer.headers['retry-after'] ?? Number.POSITIVE_INFINITY);
        if (![429, 503].includes(answer.status) || waitSeconds > 65 || tried > MAX_PATIENCE)
          throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 200)}`);
        await new Promise((done) => setTimeout(done, waitSeconds * 1_000));
      }
    },
    async person(role, { enrolledBy, plan = 'enterprise', scopes } = {}) {
      const email = `${role}-${run}-${++people}@${AT}`;
      const by = enrolledBy === undefined ? {} : { key: enrolledBy.key };
      const { user_id: userId } = (await world.must('POST', '/v1/users', { ...by, body: { email, role } })).json;
      made.push(userId);
      await world.must('PATCH', `/v1/users/${userId}`, { body: { plan } });
      const person = { userId, email, key: '', keyId: '' };
      return { ...person, ...(await world.key(person, scopes === undefined ? {} : { scopes })) };
    },
    async key({ userId }, options = {}) {
      const { key, key_id: keyId } = (await world.must('POST', '/v1/keys', { body: { user_id: userId, ...options } }))
        .json;
      return { key, keyId };
    },
    async device(owner) {
      const { userId } = owner ?? (await world.person('homeowner'));
      const body = { user_id: userId, type: 'smart_meter', location: 'attack' };
      const { device_id: deviceId, mqtt: login } = (await world.must('POST', '/v1/devices', { body })).json;
      return { deviceId, ...login };
    },
    async connect({ username, password }, options = {}) {
      const { host, port } = target.mqtt as ServerAddress;
      const login = {
        username,
        password,
        clientId: `attack-${Math.random()}`,
        reconnectPeriod: 0,
        connectTimeout: 10_000,
      };
      const client = await mqtt.connectAsync(`mqtt://${host}:${port}`, { ...login, ...options });
      client.on('error', () => {});
      clients.push(client);
      return client;
    },
    address: () => `127.66.${1 + Math.floor(addresses / 250)}.${1 + (addresses++ % 250)}`,
    once<T>(name: string, make: () => Promise<T>) {
      const found = shared.get(name) ?? make();
      shared.set(name, found);
      return found as Promise<T>;
    },
    async end() {
      await Promise.all(clients.map((client) => client.endAsync(true).catch(() => {})));
    },
    async clear() {
      for (const userId of made)
        await sendRequest(api, 'DELETE', `/v1/users/${userId}`, { key: adminKey }).catch(() => {});
    },
  };
  return world;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
