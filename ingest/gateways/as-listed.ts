import type { Said } from '../decoders/family.ts';
import { circuitWord } from '../decoders/read/circuit-word.ts';

/** What of a device is listed: its channels and kinds, as its messages say them. */
export type Listed = readonly ListedQuantity[];

interface ListedQuantity {
  readonly channel: string;
  readonly kind: string;
  /** What tells it from all others of its device (`Said.key`); left out: it is not judged with them, or from before this was kept. */
  readonly key?: string;
  /** How the device calls it, of what was listed before there were keys. */
  readonly native?: string;
}

/** Most quantities of one device that its owner is asked about; more are a script's rubbish, and are not kept. */
export const MAX_ASKED = 50;

const isListed = (listed: Listed, channel: string, kind: string) =>
  listed.some((one) => one.channel === channel && one.kind === kind);

/** What tells a quantity that is judged from the others of its device. */
export const keyOf = ({ key, native }: Said): string => key ?? native;

/**
 * What a message says, put where its device has it already: what a register is can change with what else its device announces, and the channel
 * that it was first stored under is its name for good. Where nothing of it is judged it is the same list.
 */
export const asBefore = (listed: Listed, said: readonly Said[]): readonly Said[] =>
  said.some(({ described }) => described)
    ? said.map((one) => (one.described ? { ...one, channel: channelOf(listed, one) } : one))
    : said;

function channelOf(listed: Listed, one: Said): string {
  const ofKind = listed.filter(({ kind }) => kind === one.kind);
  const known = ofKind.find(({ key }) => key === keyOf(one));
  if (known) return known.channel;
  const named = ofKind.filter(({ key, native }) => key === undefined && native === one.native);
  if (named.length === 1) return (named[0] as ListedQuantity).channel;
  const there = ofKind.find(({ channel }) => channel === one.channel);
  // What was listed before there were keys is what has its channel; another one's channel is taken.
  return there && (there.key !== undefined || named.length > 1)
    ? `${circuitWord(keyOf(one))}/${one.channel}`
    : one.channel;
}

/** What of it is kept of a paired device: of what is asked about only as much as is listed. */
export const asListed = (listed: Listed, said: readonly Said[]): readonly Said[] =>
  said.some(({ asks }) => asks)
    ? said.filter(({ asks, channel, kind }) => !asks || isListed(listed, channel, kind))
    : said;
