import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNetworkMatcher, isSubnetOf, type Network, parseNetwork } from './networks.ts';

const networks = (...texts: string[]) => texts.map((text) => parseNetwork(text) as Network);

describe('a network', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.7', '203.0.113.8', false],
    ['0.0.0.0/0', '198.51.100.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
    // An IPv4 address as a socket for both protocols reports it.
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['10.0.0.0/8', '::FFFF:11.1.2.3', false],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['10.0.0.0/8', 'rubbish', false],
    ['10.0.0.0/8', '', false],
  ])('%s contains the address %s: %s', (network, address, expected) => {
    expect(createNetworkMatcher(networks(network))(address)).toBe(expected);
  });

  test.each([
    ...[
      '',
      '/',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '10.0.0.0/1e1',
      '10.0.0.0/0x8',
      '10.0.0',
      'example.com',
    ],
    ...['::/129', '::ffff:10.0.0.0/95', 'fe80::1%eth0', '10.0.0.0 /8', ' 10.0.0.0/8', '[::1]', '*', '10.0.0.0/08x'],
  ])('%j is not a valid network', (text) => {
    expect(parseNetwork(text)).toBeNull();
  });

  test('an empty list of networks contains no address', () => {
    expect(createNetworkMatcher([])('127.0.0.1')).toBe(false);
  });

  test('is part of another network exactly if that contains each of its addresses', () => {
    const address = fc.integer({ min: 0, max: 255 }).map((last) => `10.0.0.${last}`);
    const network = fc.tuple(address, fc.integer({ min: 24, max: 32 })).map(([base, bits]) => `${base}/${bits}`);
    const all = Array.from({ length: 256 }, (_, last) => `10.0.0.${last}`);
    fc.assert(
      fc.property(network, network, (inner, outer) => {
        const [a, b] = networks(inner, outer) as [Network, Network];
        expect(isSubnetOf(a, b)).toBe(all.filter(createNetworkMatcher([a])).every(createNetworkMatcher([b])));
      }),
    );
    expect(isSubnetOf(...(networks('::/128', '0.0.0.0/0') as [Network, Network]))).toBe(false);
  });
});
