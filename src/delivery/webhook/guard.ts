import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Resolves a host name to its network addresses. */
export type ResolveHostName = (hostname: string) => Promise<LookupAddress[]>;

/** Error for a network address to which no webhook may be sent. */
class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}

/** Network addresses that look public but are internal to a cloud provider (Azure). */
const PLATFORMS = new Set(['168.63.129.16']);

/**
 * Whether a webhook may be sent to a network address. Only globally routable unicast addresses are allowed (RFC 6890). IPv6 addresses that
 * are translated to IPv4 (NAT64, 6to4, Teredo) are forbidden.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address inside IPv6 (::ffff:10.0.0.1) is treated as IPv4.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || PLATFORMS.has(parsed.toString())) return false;
  if (parsed.kind() === 'ipv4') return true;
  // All assigned global unicast addresses of IPv6 are in 2000::/3.
  return parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Throws if the host of a URL is a forbidden network address. A host name is checked later, when it is resolved. */
export function assertHostAllowed(hostname: string): void {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isPublicAddress(literal)) throw forbidden(literal);
}

/**
 * Returns a lookup function for `node:net` that returns only allowed addresses, to which the connection is then made. If any address of a
 * name is forbidden, the lookup fails.
 */
export function createAllowedAddressLookup(resolve: ResolveHostName): LookupFunction {
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
