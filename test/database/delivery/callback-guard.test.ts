import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { assertHostAllowed, isPublicAddress } from '#src/delivery/webhook/guard.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { listDeliveryResponses } from '#test/support/delivery-log.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';

/**
 * An HTTPS agent that looks a name up as configured, records the address to which a real agent would connect, and connects to the local
 * receiver instead.
 */
class Watched extends Agent {
  addresses: string[] = [];
  readonly #receiver: WebhookReceiver;
  constructor(receiver: WebhookReceiver) {
    super({ keepAlive: false });
    this.#receiver = receiver;
  }
  // biome-ignore lint/suspicious/noExplicitAny: @types/node does not declare the options that an agent receives
  override createConnection(options: any, callback: any): any {
    const { host, lookup } = options as { host: string; lookup: LookupFunction };
    const go = (address: string): TLSSocket => {
      this.addresses.push(address);
      return connect({
        host: '127.0.0.1',
        port: this.#receiver.port,
        servername: 'hooks.example.net',
        ca: this.#receiver.ca,
      });
    };
    // If the host is an IP address, Node does not look it up.
    if (/^[\d.]+$|:/.test(host)) return go(host);
    lookup(host, { all: false }, (error, address) => {
      if (error) return callback(error);
      const socket = go(String(address));
      socket.once('secureConnect', () => callback(null, socket));
      socket.once('error', callback);
    });
  }
}

let receiver: WebhookReceiver;
let agent: Watched;
let deliveries: TestDeliveries | undefined;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());
afterEach(async () => {
  receiver.calls = [];
  await deliveries?.close();
  deliveries = undefined;
});

/** Sends one event to a URL and returns the outcome. `answers`: the addresses that each lookup of the name returns. */
async function deliver(url: string, answers: string[][]) {
  agent = new Watched(receiver);
  let asked = 0;
  deliveries = await createTestDeliveries({
    allowPrivate: false,
    agent,
    async resolve() {
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  const userId = await deliveries.user('guarded@example.com');
  const webhookId = await deliveries.subscribe(userId, url);
  await deliveries.happen(userId);
  await deliveries.run();
  const log = async () =>
    (await listDeliveryResponses((deliveries as TestDeliveries).db, ALL_ACCOUNTS, webhookId, { limit: 1 }))[0];
  return { log, asked: () => asked };
}

const HOOK = 'https://hooks.example.net/hook';

test('a name with a public address is resolved once, and connected to at that address', async () => {
  const { log, asked } = await deliver(HOOK, [['93.184.216.34'], ['127.0.0.1']]);
  expect({ addresses: agent.addresses, asked: asked() }).toEqual({ addresses: ['93.184.216.34'], asked: 1 });
  expect((await log())?.status).toBe('succeeded');
});

test.each([
  ['the metadata of a cloud', ['169.254.169.254']],
  ['the loopback', ['127.0.0.1']],
  ['the loopback of IPv6', ['::1']],
  ['a private network inside IPv6', ['::ffff:10.1.2.3']],
  ['a public and a private address', ['93.184.216.34', '10.0.0.1']],
])('a name that resolves to %s is refused before any connection', async (_case, addresses) => {
  const { log } = await deliver(HOOK, [addresses]);
  expect(agent.addresses).toEqual([]);
  expect(receiver.calls).toEqual([]);
  expect((await log())?.attempts[0]?.error).toContain('private or reserved address');
});

test('a name is checked at each attempt, so a change to the loopback between two attempts is detected', async () => {
  receiver.answer = () => ({ status: 500 });
  const { log } = await deliver(HOOK, [['93.184.216.34'], ['127.0.0.1'], ['93.184.216.35']]);
  for (const wait of [5, 30]) {
    deliveries?.later(wait);
    await deliveries?.run();
  }
  receiver.answer = () => ({ status: 200 });
  expect(agent.addresses).toEqual(['93.184.216.34', '93.184.216.35']);
  expect((await log())?.attempts.map(({ error }) => error)).toEqual([
    'HTTP 500',
    expect.stringContaining('127.0.0.1 is a private'),
    'HTTP 500',
  ]);
});

test.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://0/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://172.16.0.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://198.18.0.1/',
])('%s is refused in any notation', async (url) => {
  expect(() => assertHostAllowed(new URL(url).hostname)).toThrow('private or reserved');
});

describe('addresses', () => {
  test('that are public are allowed', () => {
    for (const address of ['8.8.8.8', '93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '::ffff:8.8.8.8']) {
      expect({ address, isPublic: isPublicAddress(address) }).toEqual({ address, isPublic: true });
    }
  });

  test('that are invalid are refused', () => {
    for (const address of ['', 'localhost', '::g', '8.8.8.8/8', '2001:db8::1', '::127.0.0.1', '168.63.129.16']) {
      expect({ address, isPublic: isPublicAddress(address) }).toEqual({ address, isPublic: false });
    }
  });
});

test('an address in the URL itself is refused, too, without a connection', async () => {
  const { log } = await deliver('https://127.0.0.1:8443/hook', []);
  expect(agent.addresses).toEqual([]);
  expect((await log())?.attempts[0]?.error).toContain('private or reserved address');
});
