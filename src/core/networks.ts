import { BlockList, isIP, SocketAddress } from 'node:net';

export interface Network {
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}

/** Normalises an address, without the zone of an IPv6 address. ::ffff:a.b.c.d becomes IPv4. */
function plain(address: string): string {
  if (isIP(address) !== 6) return address;
  const [bare = ''] = address.split('%');
  const written = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(written)?.[1] ?? written;
}

/** Parses an address or a network: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. Returns null if the text is neither. */
export function parseNetwork(text: string): Network | null {
  const [, given = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (isIP(given) === 0) return null;
  const address = plain(given);
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const most = family === 'ipv4' ? 32 : 128;
  // The prefix length of an IPv4 network in IPv6 form is 96 bits longer.
  const mappedBits = isIP(given) === 6 && family === 'ipv4' ? 96 : 0;
  const bits = digits === undefined ? most : Number(digits) - mappedBits;
  return bits < 0 || bits > most ? null : { address, family, bits };
}

/** Returns a function that checks whether an address is in one of the networks. */
export function createNetworkMatcher(networks: readonly Network[]): (address: string) => boolean {
  const known = new BlockList();
  for (const { address, bits, family } of networks) known.addSubnet(address, bits, family);
  return (address) => {
    const named = plain(address);
    return isIP(named) !== 0 && known.check(named, isIP(named) === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Whether `outer` contains all addresses of `inner`. */
export const isSubnetOf = (inner: Network, outer: Network): boolean =>
  inner.family === outer.family && inner.bits >= outer.bits && createNetworkMatcher([outer])(inner.address);
