import type { DecodedValue } from '../decoders/family.ts';
import { toCircuitWord } from '../decoders/read/circuit-word.ts';

/** Quantities listed for a device: the channels and kinds of its messages. */
export type ListedQuantities = readonly ListedQuantity[];

interface ListedQuantity {
  readonly channel: string;
  readonly kind: string;
  /**
   * Key of the quantity within its device (`Said.key`). Left out: the quantity's meaning does not depend on its device's other quantities,
   * or it was listed before keys were stored.
   */
  readonly key?: string;
  /** The device's own name of the quantity, for quantities listed before keys existed. */
  readonly native?: string;
}

/**
 * Maximum number of unknown quantities of one device that its owner must classify. Further ones are probably caused by faulty scripts, and
 * are not stored.
 */
export const MAX_UNKNOWN_QUANTITIES = 50;

const isListed = (listed: ListedQuantities, channel: string, kind: string) =>
  listed.some((one) => one.channel === channel && one.kind === kind);

/** Returns the key of a quantity within its device. */
export const quantityKey = ({ key, native }: DecodedValue): string => key ?? native;

/**
 * Gives each quantity of a message the channel under which its device already has it. The meaning of a register can change with the
 * device's other announcements, but the channel under which it was first stored stays its name. If no quantity has a description, the same
 * list is returned.
 */
export const assignListedChannels = (
  listed: ListedQuantities,
  values: readonly DecodedValue[],
): readonly DecodedValue[] =>
  values.some(({ described }) => described)
    ? values.map((one) => (one.described ? { ...one, channel: channelOf(listed, one) } : one))
    : values;

function channelOf(listed: ListedQuantities, one: DecodedValue): string {
  const ofKind = listed.filter(({ kind }) => kind === one.kind);
  const known = ofKind.find(({ key }) => key === quantityKey(one));
  if (known) return known.channel;
  const named = ofKind.filter(({ key, native }) => key === undefined && native === one.native);
  if (named.length === 1) return (named[0] as ListedQuantity).channel;
  const there = ofKind.find(({ channel }) => channel === one.channel);
  // An entry from before keys existed owns its channel. If another quantity has the channel, a new name is derived.
  return there && (there.key !== undefined || named.length > 1)
    ? `${toCircuitWord(quantityKey(one))}/${one.channel}`
    : one.channel;
}

/**
 * Returns the quantities of a paired device that are stored. Quantities that the owner must classify are stored only if they are listed.
 */
export const dropUnlistedUnknown = (
  listed: ListedQuantities,
  values: readonly DecodedValue[],
): readonly DecodedValue[] =>
  values.some(({ asks }) => asks)
    ? values.filter(({ asks, channel, kind }) => !asks || isListed(listed, channel, kind))
    : values;
