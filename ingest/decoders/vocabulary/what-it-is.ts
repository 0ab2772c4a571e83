import { type NotCounted, type SaidOf, saidOf } from './said-of.ts';

/** What a register or a power is, by all that is said of it. */
export type WhatItIs =
  | { is: 'counted'; direction: 'import' | 'export'; medium: SaidOf['medium']; parts: string[] }
  /** Of a roof, a battery or a home's own use: which way it counts, its owner must say. */
  | { is: 'own' }
  | { is: 'not counted'; because: NotCounted }
  | { is: 'unknown' };

/** What is known beside the names. */
export interface Beside {
  /** Words that are a device's own name, and say nothing: folded, as `wordsOfName` has them. */
  ignored?: ReadonlySet<string>;
  /** The names of which one must be understood to its last word; all of them where it is left out. */
  understood?: readonly string[];
  /** It is a roof's or a battery's, but for what it says of the house. */
  isInverter?: boolean;
}

/**
 * What names say together. `names`: the one that tells most first. An OBIS code decides before any word; what is known not to
 * count does not, whichever name says it; names that disagree, and a word that nobody knows, could mean anything. Names that
 * speak of no direction are of what is taken, as a plug's are.
 */
export function whatItIs(names: readonly string[], beside: Beside = {}): WhatItIs {
  const { ignored, understood, isInverter = false } = beside;
  const said = names.filter((name) => name !== '').map(saidOf);
  const coded = said.find(({ obis }) => obis !== null);
  if (coded) return byCode(coded);
  const not = said.find((one) => one.not !== null)?.not;
  if (not) return { is: 'not counted', because: not };
  const medium = said.find((one) => one.medium !== '')?.medium ?? '';
  const isOwn = said.some(({ own }) => own) || (isInverter && !said.some(({ house }) => house));
  if (medium === '' && isOwn && !said.some(({ fed }) => fed)) return { is: 'own' };
  const directions = new Set(said.flatMap(({ direction }) => direction ?? []));
  const isKnown = (one: SaidOf) => one.unknown.every((word) => ignored?.has(word));
  const isUnderstood = understood ? understood.some((name) => isKnown(saidOf(name))) : said.every(isKnown);
  if (directions.size > 1 || directions.has('both') || !isUnderstood) return { is: 'unknown' };
  const [direction = 'import'] = directions as Set<'import' | 'export'>;
  const parts = said.find((one) => one.parts.length > 0)?.parts ?? [];
  return { is: 'counted', direction, medium, parts };
}

function byCode({ not, direction, medium, parts }: SaidOf): WhatItIs {
  if (not) return { is: 'not counted', because: not };
  if (direction !== 'import' && direction !== 'export') return { is: 'unknown' };
  return { is: 'counted', direction, medium, parts };
}
