import { expect, test } from 'vitest';
import { findPacketSizeFault } from './packet-limit.ts';

const filters = (count: number) => Array.from({ length: count }, () => 'x');

test.each([
  [{ cmd: 'connect', clientId: 'x'.repeat(256), length: 400 }, null],
  [{ cmd: 'connect', clientId: 'x'.repeat(257), length: 400 }, 'client id of more than 256 characters'],
  [{ cmd: 'connect', clientId: 'x', length: 16_385 }, 'CONNECT of more than 16384 bytes'],
  [{ cmd: 'subscribe', subscriptions: filters(100), length: 400 }, null],
  [{ cmd: 'subscribe', subscriptions: filters(101), length: 404 }, 'SUBSCRIBE of more than 100 filters'],
  [{ cmd: 'unsubscribe', unsubscriptions: filters(101), length: 303 }, 'UNSUBSCRIBE of more than 100 filters'],
  [{ cmd: 'subscribe', subscriptions: filters(1), length: 20_000 }, 'SUBSCRIBE of more than 16384 bytes'],
  [{ cmd: 'publish', length: 1_048_576 }, null],
  [{ cmd: 'pingreq' }, null],
])('%j', (packet, why) => {
  expect(findPacketSizeFault(packet)?.why ?? null).toBe(why);
});
