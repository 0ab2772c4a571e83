import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Resolves a host name to its addresses, like node:dns. */
export type ResolveHostName = (hostname: string) => Promise<LookupAddress[]>;

/** Error for a network address that callbacks must not reach. The message appears in the delivery log. */
class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}

/** Network addresses that look public but are internal to a cloud provider: the platform address of Azure. */
const PLATFORMS = new Set(['168.63.129.16']);

/**
 * Whether a callback may go to a network address. Only globally routable unicast is allowed (IANA special-purpose registries; RFC 6890).
 * Private, loopback, link-local, multicast, carrier-grade and reserved networks are forbidden in every notation, as are IPv6 addresses that
 * are translated to IPv4 (NAT64, 6to4, Teredo). Pure.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address inside an IPv6 address (::ffff:10.0.0.1) is treated as IPv4.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || PLATFORMS.has(parsed.toString())) return false;
  if (parsed.kind() === 'ipv4') return true;
  // All assigned IPv6 addresses are in 2000::/3. "IPv4-compatible" and similar ones are outside.
  return parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Rejects a URL whose host is a forbidden network address. A host name is checked when it is resolved. */
export function refuseForbiddenHost(hostname: string): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isPublicAddress(literal)) throw forbidden(literal);
}

/**
 * Returns a lookup for `node:net` that returns only allowed addresses. The connection uses these checked addresses: the name is not
 * resolved again. If one address of a name is forbidden, the lookup fails, because a name with both public and private addresses is
 * suspicious.
 */
export function createGuardedLookup(resolve: ResolveHostName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const bad = addresses.find(({ address }) => !isPublicAddress(address));
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
