import { BlockList, isIP, SocketAddress } from 'node:net';

/** An address, or a network of addresses by its first bits. */
export interface Network {
  address: string;
  family: 'ipv4' | 'ipv6';
  bits: number;
}

/** As Node writes it; without the zone of an IPv6 address. What IPv6 calls ::ffff:a.b.c.d, in whatever form, is that IPv4 address. */
function plain(address: string): string {
  if (isIP(address) !== 6) return address;
  const [bare = ''] = address.split('%');
  const written = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(written)?.[1] ?? written;
}

/** `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`; null where it is neither an address nor a network. Pure. */
export function networkOf(text: string): Network | null {
  const [, given = '', digits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (isIP(given) === 0) return null;
  const address = plain(given);
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const most = family === 'ipv4' ? 32 : 128;
  // A network of IPv4 addresses that is written as one of IPv6.
  const mappedBits = isIP(given) === 6 && family === 'ipv4' ? 96 : 0;
  const bits = digits === undefined ? most : Number(digits) - mappedBits;
  return bits < 0 || bits > most ? null : { address, family, bits };
}

/** Whether an address, as a socket or a proxy names it, lies in one of the networks. */
export function isWithin(networks: readonly Network[]): (address: string) => boolean {
  const known = new BlockList();
  for (const { address, bits, family } of networks) known.addSubnet(address, bits, family);
  return (address) => {
    const named = plain(address);
    return isIP(named) !== 0 && known.check(named, isIP(named) === 4 ? 'ipv4' : 'ipv6');
  };
}

/** Whether all addresses of one network lie in another. */
export const isPartOf = (inner: Network, outer: Network): boolean =>
  inner.family === outer.family && inner.bits >= outer.bits && isWithin([outer])(inner.address);
