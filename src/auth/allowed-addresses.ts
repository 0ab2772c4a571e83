import { isPartOf, isWithin, type Network, networkOf } from '#src/core/networks.ts';

/** Most addresses and networks of a key. */
export const MAX_ALLOWED = 50;

/** As it is kept and shown; null where it is neither an address nor a network. */
export function normalNetwork(text: string): string | null {
  const network = networkOf(text);
  if (!network) return null;
  const { address, family, bits } = network;
  return bits === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${bits}`;
}

const networksOf = (list: readonly string[]): Network[] => list.map(networkOf).filter((one) => one !== null);

/** Whether a key with these `allowed_addresses` may be used from an address. None are all. */
export const isAllowedFrom = (list: readonly string[]): ((address: string) => boolean) =>
  list.length === 0 ? () => true : isWithin(networksOf(list));

/** Whether a key with `wanted` may be used from nowhere that one with `own` may not. */
export function isNoWider(wanted: readonly string[], own: readonly string[]): boolean {
  if (own.length === 0) return true;
  const outer = networksOf(own);
  return wanted.length > 0 && networksOf(wanted).every((inner) => outer.some((one) => isPartOf(inner, one)));
}
