import { expect, test } from 'vitest';
import { guessedPlacement } from './placement.ts';

test.each([
  ['smart_meter', 'grid'],
  ['electricity-meter', 'grid'],
  ['solar_inverter', 'production'],
  ['PV', 'production'],
  ['battery', 'storage'],
  ['thermostat', 'consumption'],
  ['gas_meter', 'consumption'],
  ['water_meter', 'consumption'],
  ['solarium', 'consumption'],
])('a type %s is taken for %s', (type, placement) => {
  expect(guessedPlacement(type)).toEqual({ placement, placement_by: 'type' });
});

const heard = (family: string, nativeId: string, ...channels: string[]) => ({ family, nativeId, channels });

test.each([
  ['a P1 reader', heard('dsmr-reader', 'dsmr', 'import/t1', 'export/t1'), 'grid'],
  ['a meter that a Tasmota reads', heard('tasmota', 'tasmota_1', 'sml/import', 'sml/export'), 'grid'],
  ['a Tasmota plug', heard('tasmota', 'tasmota_2', 'import'), 'consumption'],
  ['a Shelly plug', heard('shelly-gen2', 'shellyplugs', 'switch0/import', 'room'), 'consumption'],
  ['an inverter by its name', heard('homeassistant', 'growatt_inverter', 'import'), 'production'],
  ['evcc’s meter at the grid', heard('evcc', 'evcc/grid', 'import', 'export'), 'grid'],
  ['a roof of evcc', heard('evcc', 'home/evcc/pv/2', 'export'), 'production'],
  ['a battery of evcc', heard('evcc', 'evcc/battery/1', 'import', 'export'), 'storage'],
  ['a charger of evcc, whatever the root is called', heard('evcc', 'solar/loadpoints/1', 'import'), 'consumption'],
  ['a go-e', heard('go-e', '072246', 'import'), 'consumption'],
  ['Victron’s grid meter', heard('victron', 'e0ff50a097c0/grid/30', 'import', 'export'), 'grid'],
  ['an inverter behind a GX', heard('victron', 'e0ff50a097c0/pvinverter/20', 'export'), 'production'],
  ['a battery behind a GX', heard('victron', 'e0ff50a097c0/battery/256', 'import', 'export'), 'storage'],
  ['a charger behind a GX', heard('victron', 'e0ff50a097c0/evcharger/40', 'import'), 'consumption'],
  ['what its owner mapped as producing', heard('mapping', 'roof', 'production/import', 'room'), 'production'],
  ['a battery by its name', heard('homeassistant', 'powerwall', 'import', 'export'), 'storage'],
])('%s is what its decoder knows, whatever was typed', (_, heardAs, placement) => {
  for (const type of ['smart_meter', 'smart_plug', 'battery']) {
    expect(guessedPlacement(type, heardAs)).toEqual({ placement, placement_by: 'decoder' });
  }
});

test('where a decoder cannot know, the type decides', () => {
  for (const one of [
    heard('shelly-gen2', 'shellyem', 'em0/import', 'em0/export'),
    heard('homeassistant', 'ev', 'import'),
    heard('tasmota', 'tasmota_3', 'ctenergy1/import'),
    heard('zigbee2mqtt', 'room', 'room'),
    heard('evcc', 'evcc/ext/1', 'import'),
    heard('victron', 'e0ff50a097c0/vebus/257', 'unknown/acin1toacout'),
  ]) {
    expect(guessedPlacement('smart_meter', one)).toEqual({ placement: 'grid', placement_by: 'type' });
  }
});
