import type { DecodedValue } from '../decoders/family.ts';
import { createCircuitWord } from '../decoders/read/circuit-word.ts';

type ListedQuantities = readonly ListedQuantity[];

interface ListedQuantity {
  readonly channel: string;
  readonly kind: string;
  /** Key of the quantity within its device. Undefined if the quantity was listed before keys were stored, or needs no key. */
  readonly key?: string;
  /** Name that the device itself gives to the quantity. Set only if the quantity was listed before keys were stored. */
  readonly native?: string;
}

/** Maximum number of a device's unknown quantities that its owner is asked to classify. A device with more of them is probably faulty. */
export const MAX_UNKNOWN_QUANTITIES = 50;

const isListed = (listed: ListedQuantities, channel: string, kind: string) =>
  listed.some((one) => one.channel === channel && one.kind === kind);

/** Returns the key of a quantity within its device. */
export const getQuantityKey = ({ key, native }: DecodedValue): string => key ?? native;

/**
 * Gives each quantity of a message the channel under which it is already listed. A later announcement may change the meaning of a quantity,
 * but never its channel.
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
  // If another quantity uses this channel name, a new channel name is derived from the key.
  return there && (there.key !== undefined || named.length > 1)
    ? `${createCircuitWord(getQuantityKey(one))}/${one.channel}`
    : one.channel;
}

/** Returns the quantities of a paired device that may be stored. A quantity that the owner must classify is stored only if it is listed. */
export const filterStorableQuantities = (
  listed: ListedQuantities,
  values: readonly DecodedValue[],
): readonly DecodedValue[] =>
  values.some(({ asks }) => asks)
    ? values.filter(({ asks, channel, kind }) => !asks || isListed(listed, channel, kind))
    : values;
