import { createNetworkMatcher, parseNetwork } from '#src/core/networks.ts';

/**
 * Returns a function that checks whether the X-Forwarded-* headers from an address can be trusted. `list`: addresses and networks
 * (`10.0.0.0/8`) in TRUST_PROXY. Throws an error that names an invalid entry.
 */
export function createTrustedProxyChecker(list: readonly string[]): (address: string | undefined) => boolean {
  const isTrusted = createNetworkMatcher(
    list.map((part) => {
      const network = parseNetwork(part);
      if (!network) throw new Error(`TRUST_PROXY: ${part} is neither an address nor a network such as 10.0.0.0/8`);
      return network;
    }),
  );
  return (address) => address !== undefined && isTrusted(address);
}
