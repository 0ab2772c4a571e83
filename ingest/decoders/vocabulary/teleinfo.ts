import type { ObisMeaning } from './obis.ts';

const register = (direction: 'import' | 'export', ...parts: string[]): ObisMeaning => ({
  quantity: 'register',
  direction,
  parts,
  medium: '',
  not: null,
});
/**
 * Meaning of the distributor's four tariff registers. They contribute to no total, because the supplier's ten tariffs contain the same
 * energy.
 */
const AGAIN: ObisMeaning = { ...register('import'), quantity: 'none', direction: null, not: 'again' };
const REACTIVE: ObisMeaning = { ...AGAIN, not: 'reactive' };

const TARIFFS = ['HCHC', 'HCHP', 'EJPHN', 'EJPHPM', 'BBRHCJB', 'BBRHPJB', 'BBRHCJW', 'BBRHPJW', 'BBRHCJR', 'BBRHPJR'];

/** Meanings of the labels of French meters (Enedis-NOI-CPT_54E), in the form in which fmartinou/teleinfo2mqtt announces them. */
const LABELS = new Map<string, ObisMeaning>([
  ['BASE', register('import')],
  ['EAST', register('import')],
  ['EAIT', register('export')],
  ...TARIFFS.map((label, index) => [label, register('import', `t${index + 1}`)] as const),
  ...Array.from({ length: 10 }, (_, index): [string, ObisMeaning] => [
    `EASF${String(index + 1).padStart(2, '0')}`,
    register('import', `t${index + 1}`),
  ]),
  ...Array.from({ length: 4 }, (_, index): [string, ObisMeaning] => [`EASD0${index + 1}`, AGAIN]),
  ...Array.from({ length: 4 }, (_, index): [string, ObisMeaning] => [`ERQ${index + 1}`, REACTIVE]),
]);

/** Returns the meaning of a French meter's label; null if the name is not such a label. */
export const readTeleinfoLabel = (name: string): ObisMeaning | null => LABELS.get(name) ?? null;
