import { createNetworkMatcher, isSubnetOf, type Network, parseNetwork } from '#src/core/networks.ts';

/** Maximum number of addresses and networks to which a key can be limited. */
export const MAX_ALLOWED_ADDRESSES = 50;

export function normaliseNetwork(text: string): string | null {
  const network = parseNetwork(text);
  if (!network) return null;
  const { address, family, bits } = network;
  return bits === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${bits}`;
}

const networksOf = (list: readonly string[]): Network[] => list.map(parseNetwork).filter((one) => one !== null);

/** Returns a function that checks whether a key may be used from an address. An empty `list` allows all addresses. */
export const createAllowedAddressChecker = (list: readonly string[]): ((address: string) => boolean) =>
  list.length === 0 ? () => true : createNetworkMatcher(networksOf(list));

/** Whether every address and network in `wanted` lies within an address or network in `own`. */
export function areAddressesWithinAllowed(wanted: readonly string[], own: readonly string[]): boolean {
  if (own.length === 0) return true;
  const outer = networksOf(own);
  return wanted.length > 0 && networksOf(wanted).every((inner) => outer.some((one) => isSubnetOf(inner, one)));
}
