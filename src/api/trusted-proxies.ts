import { BlockList, isIP } from 'node:net';

const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An IPv4 address that a dual-stack socket names ::ffff:a.b.c.d, by its own name. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/**
 * Whether an address is one whose X-Forwarded-* count: addresses and networks (`10.0.0.0/8`) of TRUST_PROXY. Throws, naming
 * the part, where one is neither.
 */
export function trustedProxies(list: readonly string[]): (address: string | undefined) => boolean {
  const known = new BlockList();
  for (const part of list) {
    const [address = '', bits] = part.split('/');
    if (isIP(address) === 0)
      throw new Error(`TRUST_PROXY: ${part} is neither an address nor a network such as 10.0.0.0/8`);
    if (bits === undefined) known.addAddress(address, family(address));
    else known.addSubnet(address, Number(bits), family(address));
  }
  return (address) => address !== undefined && known.check(plain(address), family(plain(address)));
}
