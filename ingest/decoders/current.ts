import type { Heard, Said } from './family.ts';

/** What counts of a message: all of it, or, where the broker replayed it, what has a time of its own. */
export const current = ({ said }: Heard, replayed: boolean): Said[] =>
  replayed ? said.filter(({ atMs }) => atMs !== null) : said;
