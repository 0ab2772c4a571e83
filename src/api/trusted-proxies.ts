import { createNetworkTest, parseNetwork } from '#src/core/networks.ts';

/**
 * Returns a function that checks whether an address is trusted to send X-Forwarded-*. `list` has the addresses and networks (`10.0.0.0/8`)
 * of TRUST_PROXY. Throws, naming the entry, if one is neither.
 */
export function trustedProxies(list: readonly string[]): (address: string | undefined) => boolean {
  const isTrusted = createNetworkTest(
    list.map((part) => {
      const network = parseNetwork(part);
      if (!network) throw new Error(`TRUST_PROXY: ${part} is neither an address nor a network such as 10.0.0.0/8`);
      return network;
    }),
  );
  return (address) => address !== undefined && isTrusted(address);
}
