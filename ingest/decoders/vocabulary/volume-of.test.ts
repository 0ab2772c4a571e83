import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findVolumeCommodity } from './volume-of.ts';

test.each([
  // Volume names from public projects and forums.
  ['Gaszähler', 'gas'],
  ['Gasverbrauch gesamt', 'gas'],
  ['Gas Counter', 'gas'],
  ['Gas verbruik', 'gas'],
  ['Compteur GAZ', 'gas'],
  ['Consumo de gas', 'gas'],
  ['Zużycie gazu', 'gas'],
  ['Gassforbruk', 'gas'],
  ['Kaasun kulutus', 'gas'],
  ['Compteur Eau froide', 'water'],
  ['Wasserzähler', 'water'],
  ['Wasseruhr', 'water'],
  ['Watermeter Totaal', 'water'],
  ['Backyard water meter', 'water'],
  ['Hot water total', 'water'],
  ['Warmwasser Verbrauch', 'water'],
  ['Vattenmätare total', 'water'],
  ['Heat meter volume', 'heat'],
  ['Wärmemengenzähler Volumen', 'heat'],
  // Names of volumes without a word for a total.
  ['Gas', null],
  ['Water volume', null],
  // Names of volumes that are not a consumption.
  ['Water tank total', null],
  ['Regenwasser gesamt', null],
  ['Water meter reverse total', null],
  ['Water leakage total', null],
  ['Gas verbruik vandaag', null],
  ['Gasverbrauch Monat', null],
  ['Gas day consumption', null],
  ['Gas cost total', null],
  ['Water consumption limit', null],
  // Names of volumes without a commodity.
  ['Total volume', null],
  ['Counter', null],
])('classifies %s as %s', (name, commodity) => {
  expect(findVolumeCommodity([name])).toBe(commodity);
});

test('uses facts besides the names: a class states the commodity, a state class states that a value is a total', () => {
  expect(findVolumeCommodity(['Value'], { commodity: 'water' })).toBe('water');
  expect(findVolumeCommodity(['Gas'], { isTotal: true })).toBe('gas');
  expect(findVolumeCommodity(['Water tank'], { commodity: 'water', isTotal: true })).toBeNull();
  expect(findVolumeCommodity(['Total'], { isTotal: true })).toBeNull();
  expect(findVolumeCommodity(['volume', 'watermeter-7'])).toBe('water');
});

// Source: ShapeLabs/Judo-i-soft-save-plus-to-mqtt-bridge, whose water softener announces its shares as registers of water.
test('never counts a share of a volume: it is a part of a register that counts', () => {
  const word = fc.constantFrom('anteil', 'anteile', 'anteil gesamt', ' share', '_share', ' Share total', 'aandeel');
  const before = fc.constantFrom('Gesamtweichwasser', 'hartwasser', 'Soft water', 'water meter', 'Warmwasser');
  fc.assert(
    fc.property(before, word, (water, share) => {
      expect(findVolumeCommodity([water + share], { commodity: 'water', isTotal: true })).toBeNull();
    }),
  );
  expect(findVolumeCommodity(['Shared water meter'])).toBe('water');
});
