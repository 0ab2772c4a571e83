import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classifySingleRegister, type SingleRegisterClassification } from '../registers-of-a-device/classify-single.ts';
import { LANGUAGES } from './language.ts';
import { getNameMeaning } from './name-facts.ts';

const names = readFileSync(new URL('./register-names.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .slice(1)
  .map((line) => line.split('\t') as [language: string, name: string, meaning: string, source: string]);
const NOT_COUNTED = new Set(['period', 'cost', 'reactive', 'balance']);

const named = (name: string): SingleRegisterClassification => classifySingleRegister({ names: [name], unit: 'kWh' });
const shown = (what: SingleRegisterClassification): string =>
  what.is === 'counted'
    ? what.channel.replace(/^(gas|heat)\/import/, '$1')
    : what.is === 'not counted'
      ? what.because
      : what.is;

/**
 * Rates a classification as `right`, `unknown` or `wrong`. For names of production and batteries, two results are right: an unknown
 * meaning, and the export of panels or a battery.
 */
function judged(meaning: string, what: SingleRegisterClassification): 'right' | 'unknown' | 'wrong' {
  if (meaning === 'own') return ['unknown', 'pv/export', 'battery/export'].includes(shown(what)) ? 'right' : 'wrong';
  if (what.is === 'unknown') return 'unknown';
  if (NOT_COUNTED.has(meaning)) return what.is === 'not counted' ? 'right' : 'wrong';
  return shown(what) === meaning ? 'right' : 'wrong';
}

describe.each([
  ['that the vocabulary was written with', 0],
  ['that were kept', 1],
] as const)('vocabulary: the names %s', (_which, half) => {
  const all = names.filter((_, index) => index % 2 === half);
  const judgements = all.map(
    ([language, name, meaning]) => [judged(meaning, named(name)), language, name, meaning] as const,
  );

  test('never classifies a name wrongly', () => {
    expect(all.length).toBeGreaterThan(200);
    expect(judgements.filter(([judgement]) => judgement === 'wrong')).toEqual([]);
  });

  test('leaves fewer than one name in ten unknown', () => {
    const unknown = judgements.filter(([judgement]) => judgement === 'unknown');
    expect(unknown.length / all.length).toBeLessThan(0.1);
  });
});

test('each language has words for both directions, for periods, and for quantities that are not active energy', () => {
  expect(LANGUAGES).toHaveLength(13);
  for (const { code, words } of LANGUAGES) {
    for (const concept of ['import', 'export', 'period', 'reactive', 'cost', 'balance', 'gas', 'heat', 'water']) {
      expect([code, concept, words.some(([one]) => one === concept)]).toEqual([code, concept, true]);
    }
  }
});

test.each([
  // Names from issue 17.
  ['Energy 2 Days Ago', 'period'],
  ['Tagesverbrauch', 'period'],
  ['Dagverbruik', 'period'],
  ['Energy balance', 'balance'],
  ['Stromsaldo', 'balance'],
  ['Netzbezug 30Tage', 'period'],
  ['Neg Wirkenergie Tarif 1', 'export/t1'],
  ['Import Act. Energy Tar.2', 'import/t2'],
  ['Reactive energy import', 'reactive'],
  ['Total energy', 'import'],
  // An OBIS code takes precedence over words.
  ['1-0:2.8.0 Verbrauch', 'export'],
  ['1-0:1.8.1*255', 'import/t1'],
  ['2_8_2', 'export/t2'],
  ['1.8.0*01', 'period'],
  ['16.8.0', 'balance'],
  ['3.8.0', 'reactive'],
  ['21.8.0', 'import/l1'],
  ['1.0.2.8.0.255', 'export'],
  ['Firmware 1.8.0.4', 'unknown'],
  // Plus and minus signs of directions, as meters print them.
  ['+A T1', 'import/t1'],
  ['Energia A-', 'export'],
  ['R+ energy', 'reactive'],
  // Names that state the source or destination of the flow.
  ['Delivered to grid', 'export'],
  ['Supply from grid', 'import'],
  ['Energy received', 'unknown'],
  ['Import and export', 'unknown'],
  // Words without their accents, and with accented letters spelt out.
  ['Waermemengenzaehler', 'heat'],
  ['rueckspeisung gesamt', 'export'],
  ['Energia zuzycie dzisiaj', 'period'],
  ['Kitchen plug energy', 'import'],
  ['Warmtepomp energie', 'import'],
  ['Energia Attiva Prelevata F2', 'import/t2'],
  ['Compteur HC', 'import/t1'],
  ['HP energy', 'import'],
  ['Foobar energy', 'unknown'],
  ['Spotreba včera', 'period'],
  // Numbers before `w` and `s`, which may be watts, cells or the length of a period.
  ['Lamp 60w energy', 'unknown'],
  ['Pack 16s energy', 'unknown'],
  // "Net" at the end of a word does not mean a balance, but in "nettoverbrauch" it does.
  ['solarnet energy', 'unknown'],
  ['WMZ Energie', 'heat'],
  ['Battery export energy', 'unknown'],
  ['Solar export', 'export'],
  ['Cumulative hourly import', 'unknown'],
])('classifies %s as %s', (name, meaning) => {
  expect(shown(named(name))).toBe(meaning);
});

test('reports contradictory names as unknown, and ignores the device’s own name', () => {
  const of = (names: string[], more: object = {}) => classifySingleRegister({ names, unit: 'kWh', ...more }).is;
  expect(of(['energy_import', 'Rückspeisung'])).toBe('unknown');
  expect(of(['Xyzzy energy'], { ignored: ['xyzzy'] })).toBe('counted');
  expect(of(['zz_total', 'Total energy'], { understood: ['Total energy'] })).toBe('counted');
});

test('the time to classify an unknown word grows at most linearly with its length', () => {
  let count = 100_000;
  // Generates a word of many parts, each of which is a dictionary word, so that a slow search would try every split.
  const wordOf = (length: number) => `${'nachtverbrauch'.repeat(20).slice(0, length - 6)}${count++}q`;
  const timeOf = (length: number) => {
    const names = Array.from({ length: 1_000 }, () => wordOf(length));
    const { user: before } = process.cpuUsage();
    for (const name of names) getNameMeaning(name);
    return process.cpuUsage().user - before;
  };
  // Warm-up, so that V8 compiles the code. Names are cached, so each round generates new names.
  timeOf(40);
  const shortest = (length: number) => Math.min(...[1, 2, 3].map(() => timeOf(length)));
  // The long names are 4.75 times as long. Quadratic time would be 23 times as much.
  expect(shortest(190) / shortest(40)).toBeLessThan(12);
});
