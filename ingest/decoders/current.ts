import type { Heard, Said } from './family.ts';

/** The part of a message that counts: all of it, or, if the broker replayed it, only what has a time of its own. */
export const current = ({ said }: Heard, replayed: boolean): Said[] =>
  replayed ? said.filter(({ atMs }) => atMs !== null) : said;
