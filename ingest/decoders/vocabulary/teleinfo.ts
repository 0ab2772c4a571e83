import type { ObisMeaning } from './obis.ts';

const register = (direction: 'import' | 'export', ...parts: string[]): ObisMeaning => ({
  quantity: 'register',
  direction,
  parts,
  medium: '',
  not: null,
});
/** Of ten tariffs of a supplier the energy is split again by the four of the distributor. */
const AGAIN: ObisMeaning = { ...register('import'), quantity: 'none', direction: null, not: 'again' };
const REACTIVE: ObisMeaning = { ...AGAIN, not: 'reactive' };

const TARIFFS = ['HCHC', 'HCHP', 'EJPHN', 'EJPHPM', 'BBRHCJB', 'BBRHPJB', 'BBRHCJW', 'BBRHPJW', 'BBRHCJR', 'BBRHPJR'];

/** Labels of French meters (Enedis-NOI-CPT_54E, as fmartinou/teleinfo2mqtt announces them), and what they say. */
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

/** What a label of a French meter says; null: it is none. */
export const readTeleinfoLabel = (name: string): ObisMeaning | null => LABELS.get(name) ?? null;
