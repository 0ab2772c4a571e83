/** What series are called, by a number each: a million meters share a few names. */
export interface SeriesNames {
  /** Its number, a new one where it has none; -1: there are too many. */
  numberOf(channel: string, kind: string): number;
  /** Its number; -1: it has none. */
  find(channel: string, kind: string): number;
  /** No more can be added: who keeps them begins anew. */
  isFull(): boolean;
  nameOf(number: number): SeriesName;
}

interface SeriesName {
  readonly channel: string;
  readonly kind: string;
}

const MAX_NAMES = 10_000;

export function seriesNames(): SeriesNames {
  /** By channel and by kind: to join the two for each reading would be a text each time. */
  const numbers = new Map<string, Map<string, number>>();
  const names: SeriesName[] = [];
  return {
    numberOf(channel, kind) {
      const ofChannel = numbers.get(channel);
      const known = ofChannel?.get(kind);
      if (known !== undefined) return known;
      if (names.length === MAX_NAMES) return -1;
      const number = names.push({ channel, kind }) - 1;
      if (ofChannel) ofChannel.set(kind, number);
      else numbers.set(channel, new Map([[kind, number]]));
      return number;
    },
    find: (channel, kind) => numbers.get(channel)?.get(kind) ?? -1,
    isFull: () => names.length === MAX_NAMES,
    nameOf: (number) => names[number] as SeriesName,
  };
}
