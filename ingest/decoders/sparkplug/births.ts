import { assignChannels, type NamedMeaning, type Quantity } from './channels.ts';
import { meaningOf } from './meaning.ts';
import type { Metric, Opened } from './payload.ts';

/** A metric as its birth announced it. */
export interface Born {
  name: string;
  datatype: number;
  /** Null: nothing that is stored. */
  quantity: Quantity | null;
}

/** What a birth announced: the metrics of a node, or of one of its devices. */
export interface Birth {
  byName: Map<string, Born>;
  byAlias: Map<bigint, Born>;
  /** Of metrics that cannot be announced like this: a sentence each. */
  refused: string[];
}

/** Most metrics of a node with its devices. */
export const MAX_METRICS_OF_NODE = 5_000;
/** Text is read where it is a number; a boolean, a date or a list never is. */
const NUMERIC = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14]);

/** Reads the metrics that a birth announces; `room`: how many more the node may have. */
export function readBirth({ metrics }: Opened, room = MAX_METRICS_OF_NODE): Birth {
  const birth: Birth = { byName: new Map(), byAlias: new Map(), refused: [] };
  const meanings: NamedMeaning[] = [];
  const twice = new Set<bigint>();
  for (const { name, alias, datatype = 0, unit } of metrics) {
    if (name === undefined) {
      birth.refused.push('a metric of a birth has no name');
      continue;
    }
    if (birth.byName.has(name)) {
      birth.refused.push(`${shown(name)} is announced twice`);
      continue;
    }
    if (birth.byName.size >= room) {
      birth.refused.push(`a node has more than ${MAX_METRICS_OF_NODE} metrics`);
      break;
    }
    const born: Born = { name, datatype, quantity: null };
    birth.byName.set(name, born);
    const meaning = NUMERIC.has(datatype) ? meaningOf(name, unit) : null;
    if (meaning) meanings.push({ ...meaning, name });
    if (alias === undefined) continue;
    if (birth.byAlias.has(alias)) twice.add(alias);
    else birth.byAlias.set(alias, born);
  }
  // Which of the two a later message means, nobody can tell.
  for (const alias of twice) {
    birth.byAlias.delete(alias);
    birth.refused.push(`alias ${alias} is announced twice`);
  }
  for (const [name, quantity] of assignChannels(meanings)) {
    const born = birth.byName.get(name);
    if (born) born.quantity = quantity;
  }
  return birth;
}

/** The metric that a message means; undefined: of no birth. */
export const findBorn = (birth: Birth, { name, alias }: Metric): Born | undefined =>
  (name === undefined ? undefined : birth.byName.get(name)) ??
  (alias === undefined ? undefined : birth.byAlias.get(alias));

/** A metric's name as a sentence can hold it. */
export const shown = (name: string): string => name.slice(0, 60).replaceAll(/\p{C}/gu, '?');
