import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Resolves a name to its addresses, as node:dns does. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** An address that callbacks must not reach. The message is for the delivery's log. */
class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}

/** Addresses that are public by their form and lead into a cloud's own platform: Azure's. */
const PLATFORMS = new Set(['168.63.129.16']);

/**
 * Whether a callback may go to an address: only what is globally routable unicast. No private, loopback, link-local,
 * multicast, carrier-grade or reserved network, in no notation, and none that is translated to IPv4 on its way (NAT64, 6to4,
 * Teredo). IANA special-purpose registries; RFC 6890. Pure.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address inside an IPv6 one (::ffff:10.0.0.1) is that IPv4 address.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || PLATFORMS.has(parsed.toString())) return false;
  if (parsed.kind() === 'ipv4') return true;
  // 2000::/3 is all of IPv6 that is assigned; "IPv4-compatible" and the like lie beyond it.
  return parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Refuses a URL whose host is an address that callbacks must not reach; a name is looked at when it is resolved. */
export function checkHost(hostname: string): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isPublic(literal)) throw forbidden(literal);
}

/**
 * A lookup for `node:net` that hands on only addresses that callbacks may reach: the connection goes to what was checked,
 * since nothing is resolved again. A name of which any address is forbidden is refused as a whole: one that answers with
 * both is up to no good.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const bad = addresses.find(({ address }) => !isPublic(address));
        if (bad) return callback(forbidden(bad.address), '', 0);
        const [first] = addresses;
        if (!first) return callback(new Error(`${hostname} has no address`), '', 0);
        if (options.all) return callback(null, addresses);
        callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

const forbidden = (address: string) =>
  new ForbiddenAddress(`${address} is a private or reserved address; callbacks go to public ones only`);
