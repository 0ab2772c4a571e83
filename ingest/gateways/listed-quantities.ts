import type { DecodedValue } from '../decoders/family.ts';
import { createCircuitWord } from '../decoders/read/circuit-word.ts';

/** Quantities that are listed for a device, by channel and kind. */
export type ListedQuantities = readonly ListedQuantity[];

interface ListedQuantity {
  readonly channel: string;
  readonly kind: string;
  /**
   * Key of the quantity within its device (`DecodedValue.key`). Undefined if its meaning does not depend on the device's other
   * quantities, or if it was listed before keys were stored.
   */
  readonly key?: string;
  /** The device's own name of the quantity. Set only if the quantity was listed before keys were stored. */
  readonly native?: string;
}

/**
 * Maximum number of unknown quantities of one device that its owner is asked to classify. Further unknown quantities are not stored,
 * because a faulty script probably causes them.
 */
export const MAX_UNKNOWN_QUANTITIES = 50;

const isListed = (listed: ListedQuantities, channel: string, kind: string) =>
  listed.some((one) => one.channel === channel && one.kind === kind);

/** Returns the key of a quantity within its device. */
export const getQuantityKey = ({ key, native }: DecodedValue): string => key ?? native;

/**
 * Assigns to each quantity of a message the channel under which the device already has the quantity. The meaning of a register may change
 * with later announcements of the device, but its channel does not. If no quantity has a description, returns the same list.
 */
export const assignChannelsToListedQuantities = (
  listed: ListedQuantities,
  values: readonly DecodedValue[],
): readonly DecodedValue[] =>
  values.some(({ described }) => described)
    ? values.map((one) => (one.described ? { ...one, channel: channelOf(listed, one) } : one))
    : values;

function channelOf(listed: ListedQuantities, one: DecodedValue): string {
  const ofKind = listed.filter(({ kind }) => kind === one.kind);
  const known = ofKind.find(({ key }) => key === getQuantityKey(one));
  if (known) return known.channel;
  const named = ofKind.filter(({ key, native }) => key === undefined && native === one.native);
  if (named.length === 1) return (named[0] as ListedQuantity).channel;
  const there = ofKind.find(({ channel }) => channel === one.channel);
  // A listed quantity without a key keeps its channel only for its own native name. If another quantity has the channel, a new channel name
  // is derived from the quantity's key.
  return there && (there.key !== undefined || named.length > 1)
    ? `${createCircuitWord(getQuantityKey(one))}/${one.channel}`
    : one.channel;
}

/** Returns those quantities of a paired device that are stored. A quantity that the owner must classify is stored only if it is listed. */
export const filterStorableQuantities = (
  listed: ListedQuantities,
  values: readonly DecodedValue[],
): readonly DecodedValue[] =>
  values.some(({ asks }) => asks)
    ? values.filter(({ asks, channel, kind }) => !asks || isListed(listed, channel, kind))
    : values;
