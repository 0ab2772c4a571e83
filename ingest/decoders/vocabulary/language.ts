import { readFileSync } from 'node:fs';

/** Meanings that a word in a register's name can have. */
const WORD_MEANINGS = [
  /**
   * Directions of flow. `import`: taken from the grid. `export`: fed into the grid. `produced`: produced by the measured device, so the
   * energy flows out of the device.
   */
  'import',
  'export',
  'produced',
  /** "Consumed". Means import, unless the name of another register of the device is more explicit: drawn, bought or from the grid. */
  'consumed',
  /** "Returned". A register with the same name without this word is then the import: `energy` next to `energy_returned`. */
  'returned',
  /**
   * Subject of a quantity: the grid, the home's consumption, solar panels or a generator, or a battery. For a battery, also the direction
   * of flow.
   */
  'grid',
  'home',
  'sun',
  'inverter',
  'store',
  'charge',
  'discharge',
  /** Self-consumption: the share of a home's production that the home uses itself. */
  'self',
  /** Production, battery or self-consumption. Such energy is neither taken from the grid nor fed into the grid. */
  'own',
  /**
   * Source or destination of the flow. Takes precedence over `import` and `export`, which may be stated from the point of view of the grid
   * or of the home.
   */
  'fromGrid',
  'toGrid',
  /**
   * Surplus: the difference of two flows. An energy with this word is an export. A power with this word may be negative, and the meaning of
   * its sign is unknown.
   */
  'surplus',
  /** Period: a counter that resets, or a period that has ended. */
  'period',
  /** Lifetime total. Contradicts a word for a period in the same name: `Cumulative hourly import`. */
  'lifetime',
  /** "Since the last reset". Such a counter may never have been reset, so it may be a lifetime total or the counter of a period. */
  'sinceReset',
  /** "Day". Means a tariff if the name mentions tariffs, otherwise a period. */
  'day',
  /** Quantities other than active energy, and quantities that are not measured. */
  'reactive',
  'apparent',
  'cost',
  'balance',
  'unmeasured',
  'gas',
  'heat',
  'water',
  'tariff',
  /** Tariffs: off-peak hours and peak hours. */
  'low',
  'high',
  'phase',
  /** Directions that depend on the point of view: `received`, `supplied`. */
  'unclear',
  /** Words such as "grid" or "house". An energy with such a name does not belong to an inverter. */
  'house',
  /** Words that add no information: energy, total, meter, articles. */
  'plain',
  /** "Capacity". Means a maximum. In translated names, it also means an amount of energy: `Total charging capacity`. */
  'vague',
  /** A device that heats or cools. */
  'heats',
  /**
   * A device with a switch. If names contain such a word and differ only in the number, they belong to independent circuits (measured parts
   * of the home).
   */
  'switches',
  'meter',
  /** An appliance or a place. Such a word can name a circuit (measured part of the home). */
  'place',
] as const;
export type WordMeaning = (typeof WORD_MEANINGS)[number];

/** Words of a language, in lower case, with their meanings. */
export interface LanguageVocabulary {
  code: string;
  /** Whether the language writes compounds as one word: `Tagesverbrauch`. */
  compounds: boolean;
  words: readonly (readonly [WordMeaning, words: readonly string[]])[];
}

/** Languages that write compounds as one word. (English does so in names such as `gridimport`.) */
const COMPOUNDING = new Set(['en', 'de', 'nl', 'sv', 'no', 'da', 'fi']);

/** Reads the words of all languages from `words.tsv`. Throws an error that names the line if a meaning in it does not exist. */
function readLanguages(): LanguageVocabulary[] {
  const [, ...lines] = readFileSync(new URL('words.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t') as [code: string, meaning: string, source: string, words: string]);
  return [...Map.groupBy(lines, ([code]) => code)].map(([code, all]) => ({
    code,
    compounds: COMPOUNDING.has(code),
    words: all.map(([, name, , words]) => {
      const meaning = WORD_MEANINGS.find((one) => one === name);
      if (!meaning)
        throw new Error(`ingest/decoders/vocabulary/words.tsv: ${code} has words of an unknown meaning ${name}`);
      return [meaning, words.split(' ')] as const;
    }),
  }));
}

export const LANGUAGES: readonly LanguageVocabulary[] = readLanguages();
