import type { Said } from '../decoders/family.ts';

/** What of a device is listed: its channels and kinds, as its messages say them. */
export type Listed = readonly { readonly channel: string; readonly kind: string }[];

/** Most quantities of one device that its owner is asked about; more are a script's rubbish, and are not kept. */
export const MAX_ASKED = 50;

const isListed = (listed: Listed, channel: string, kind: string) =>
  listed.some((one) => one.channel === channel && one.kind === kind);

/**
 * What a message says, put where its device has it already: what was guessed and counted by an earlier version stays as it was,
 * and is not asked about. Where nothing has changed it is the same list.
 */
export const asBefore = (listed: Listed, said: readonly Said[]): readonly Said[] =>
  said.some(({ was }) => was !== undefined)
    ? said.map(({ asks, was, ...one }) =>
        was !== undefined && isListed(listed, was, one.kind) && !isListed(listed, one.channel, one.kind)
          ? { ...one, channel: was }
          : { ...one, ...(asks ? { asks } : {}) },
      )
    : said;

/** What of it is kept of a paired device: of what is asked about only as much as is listed. */
export const asListed = (listed: Listed, said: readonly Said[]): readonly Said[] =>
  said.some(({ asks }) => asks)
    ? said.filter(({ asks, channel, kind }) => !asks || isListed(listed, channel, kind))
    : said;
