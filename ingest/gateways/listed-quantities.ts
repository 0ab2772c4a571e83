import type { DecodedValue } from '../decoders/family.ts';
import { createCircuitWord } from '../decoders/read/circuit-word.ts';

/** The quantities that are already listed for a device, by channel and kind. */
export type ListedQuantities = readonly ListedQuantity[];

interface ListedQuantity {
  readonly channel: string;
  readonly kind: string;
  /**
   * Key of the quantity within its device (`DecodedValue.key`). Undefined if the meaning of the quantity does not depend on the device's
   * other quantities, or if the quantity was listed before keys were stored.
   */
  readonly key?: string;
  /** The name that the device itself gives to the quantity. Set only if the quantity was listed before keys were stored. */
  readonly native?: string;
}

/**
 * Maximum number of unknown quantities of one device that are shown to its owner for classification. A device with more of them probably
 * has a faulty script, so further ones are not stored.
 */
export const MAX_UNKNOWN_QUANTITIES = 50;

const isListed = (listed: ListedQuantities, channel: string, kind: string) =>
  listed.some((one) => one.channel === channel && one.kind === kind);

/** Returns the key of a quantity within its device. */
export const getQuantityKey = ({ key, native }: DecodedValue): string => key ?? native;

/**
 * Gives each quantity of a message the channel under which the quantity is already listed. Later announcements of a device may change the
 * meaning of a register, but never its channel. If no quantity has a description, returns the same list.
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
  // A quantity that is listed without a key keeps its channel only if its native name is the same. If another quantity has this channel, a
  // new channel name is derived from the key of the quantity.
  return there && (there.key !== undefined || named.length > 1)
    ? `${createCircuitWord(getQuantityKey(one))}/${one.channel}`
    : one.channel;
}

/**
 * Returns the quantities of a paired device that are stored. A quantity that the owner must classify is stored only if it is already
 * listed.
 */
export const filterStorableQuantities = (
  listed: ListedQuantities,
  values: readonly DecodedValue[],
): readonly DecodedValue[] =>
  values.some(({ asks }) => asks)
    ? values.filter(({ asks, channel, kind }) => !asks || isListed(listed, channel, kind))
    : values;
