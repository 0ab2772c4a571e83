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
  ['an inverter of OpenDTU', heard('opendtu', '116180212345', 'export'), 'production'],
  ['an inverter of AhoyDTU', heard('ahoydtu', 'garage', 'export'), 'production'],
  ['a WARP charger', heard('warp', 'warp2/AbCd', 'import'), 'consumption'],
  ['a SolarEdge inverter', heard('solaredge2mqtt', 'solaredge/leader/inverter', 'export'), 'production'],
  ['the first meter of a SolarEdge inverter', heard('solaredge2mqtt', 'solaredge/meter0', 'import', 'export'), 'grid'],
  ['an inverter by its name', heard('homeassistant', 'growatt_inverter', 'import'), 'production'],
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
    heard('warp', 'warp2/AbCd/meter1', 'import', 'export'),
    heard('warp', 'wem/AbCd', 'import'),
    heard('solaredge2mqtt', 'solaredge/meter1', 'import', 'export'),
  ]) {
    expect(guessedPlacement('smart_meter', one)).toEqual({ placement: 'grid', placement_by: 'type' });
  }
});
