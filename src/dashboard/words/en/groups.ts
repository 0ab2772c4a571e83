import { plural } from '../locale.ts';

/** Groups of homes: of utilities and administrators. */
export const groups = {
  about:
    'Homes that belong together: a building, a feeder, a district. A group tells what all of its homes used together, those of the groups below it included.',
  yours: 'Groups of homes',
  create: 'New group',
  list: 'List of groups',
  empty: 'There is no group yet. Make one, and add homes to it.',
  kind: 'Kind',
  kindHint: 'Optional: what such groups are called, for example building or feeder.',
  homes: 'Homes',
  partOf: 'Part of',
  ofNothing: 'nothing',
  show: 'Show',
  showOf: (name: string) => `Show ${name}`,
  deleteQuestion:
    'Keys that are limited to this group end with it. Its homes stay as they are. A group with others below it cannot be deleted.',
  homesOf: (name: string) => `Homes of ${name}`,
  noHomes: 'No home is in this group itself.',
  add: 'Add home',
  addHint: 'E-mail address of the account.',
  remove: 'Remove',
  removeQuestion: 'It no longer counts in this group, the past included. The home itself stays as it is.',
  usedBy: (name: string) => `${name}: the last 30 days`,
  countOf: (homes: number) => plural(homes, { one: '# home, counted once', other: '# homes, each counted once' }),
};
