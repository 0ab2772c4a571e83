import { expect, test } from 'vitest';
import { createGatewayDecoders } from '../decoders/gateway-decoders.ts';
import { type GatewayWithAnnouncements, recordAnnouncement } from './announcements.ts';
import { GatewayCache } from './receive.ts';

const known = (): GatewayWithAnnouncements => ({
  announced: 0,
  decoders: createGatewayDecoders(),
  learnt: new Map(),
  bytes: 0,
});
const announce = (to: GatewayWithAnnouncements, bytes: number) =>
  recordAnnouncement(to, { topic: `t${to.learnt.size}`, payload: Buffer.alloc(bytes - 2), receivedAtMs: 0 });

test('bounds the announcements of all gateways together, and evicts the least recently used gateways', () => {
  const gateways = new GatewayCache({ gateways: 3, bytes: 1_000 });
  const all = ['a', 'b', 'c'].map((name) => [name, known()] as const);
  for (const [name, one] of all) gateways.keep(name, one);
  // The announcements of gateways that are already cached become longer.
  for (const [, one] of all) announce(one, 400);
  gateways.keep('a', all[0]?.[1] as GatewayWithAnnouncements);
  gateways.trim();
  expect(['a', 'b', 'c'].filter((name) => gateways.get(name))).toEqual(['a', 'c']);
  gateways.keep('d', known());
  gateways.keep('e', known());
  gateways.trim();
  expect(['a', 'c', 'd', 'e'].filter((name) => gateways.get(name))).toEqual(['a', 'd', 'e']);
});

test('counts the size of an announcement including its topic, and a repeated announcement only once', () => {
  const one = known();
  recordAnnouncement(one, { topic: 'abc', payload: Buffer.alloc(10), receivedAtMs: 0 });
  recordAnnouncement(one, { topic: 'abc', payload: Buffer.alloc(4), receivedAtMs: 1 });
  expect(one.bytes).toBe(7);
});
