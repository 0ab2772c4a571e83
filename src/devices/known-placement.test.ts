import { expect, test } from 'vitest';
import { guessPlacement } from './known-placement.ts';

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
])('places a device of type %s as %s', (type, placement) => {
  expect(guessPlacement(type)).toEqual({ placement, placement_by: 'type' });
});

const heard = (family: string, nativeId: string, ...channels: string[]) => ({ family, nativeId, channels });

test.each([
  ['a P1 reader', heard('dsmr-reader', 'dsmr', 'import/t1', 'export/t1'), 'grid'],
  ['openWB’s counter', heard('openwb', 'openWB/counter/0', 'import', 'export'), 'grid'],
  ['a counter behind openWB’s', heard('openwb', 'openWB/counter/5', 'branch/import', 'import'), 'consumption'],
  ['openWB’s counter of 1.9', heard('openwb', 'garage/openWB/evu', 'import', 'export'), 'grid'],
  ['an inverter that openWB reads', heard('openwb', 'openWB/pv/4', 'export'), 'production'],
  ['all inverters of openWB 1.9', heard('openwb', 'openWB/pv', 'export'), 'production'],
  ['a battery that openWB reads', heard('openwb', 'openWB/bat/2', 'import', 'export'), 'storage'],
  ['openWB’s charge point', heard('openwb', 'openWB/chargepoint/3', 'import'), 'consumption'],
  ['an ESP8266 at a P1 port', heard('p1meter', 'sensors/power/p1meter', 'import/t1'), 'grid'],
  ['P1 Monitor’s meter', heard('p1monitor', 'p1monitor', 'import/t1'), 'grid'],
  ['solar panels at P1 Monitor', heard('p1monitor', 'p1monitor/powerproduction', 'export'), 'production'],
  ['an SMLReader', heard('smlreader', 'iot/smartmeter/sensor/1', 'import'), 'grid'],
  ['an amsreader', heard('amsreader', 'ams-og', 'import'), 'grid'],
  ['a heat pump', heard('heishamon', 'panasonic_heat_pump', 'dhw/import'), 'consumption'],
  ['a meter that a Tasmota reads', heard('tasmota', 'tasmota_1', 'sml/import', 'sml/export'), 'grid'],
  ['a Tasmota plug', heard('tasmota', 'tasmota_2', 'import'), 'consumption'],
  ['a Shelly plug', heard('shelly-gen2', 'shellyplugs', 'switch0/import', 'room'), 'consumption'],
  ['a meter that vzlogger reads', heard('vzlogger', 'vzlogger/data', 'import', 'export'), 'grid'],
  ['a SunSpec inverter', heard('mbmd', 'mbmd/sma1-126', 'export'), 'production'],
  ['an ESPurna that is called so', heard('espurna', 'home/solar', 'import'), 'production'],
  ['an inverter by Grott', heard('growatt', 'REH1234567', 'pv/export'), 'production'],
  ['a meter beside an inverter', heard('growatt', 'JPC1234567', 'meter/import', 'meter/export'), 'grid'],
  ['a charger of cars', heard('openevse', 'emon/openevse-55ad', 'import'), 'consumption'],
  ['an inverter of OpenDTU', heard('opendtu', '116180212345', 'export'), 'production'],
  ['an inverter of AhoyDTU', heard('ahoydtu', 'inverter/garage', 'export'), 'production'],
  ['a WARP charger', heard('warp', 'warp2/AbCd', 'import'), 'consumption'],
  ['a WARP charger behind a bridge', heard('warp', 'garage/warp/AbC', 'import'), 'consumption'],
  ['a SolarEdge inverter', heard('solaredge2mqtt', 'solaredge/leader/inverter', 'export'), 'production'],
  ['a SolarEdge meter that was set up for it', heard('solaredge2mqtt', 'solaredge/meter1', 'grid/export'), 'grid'],
  ['a SolarEdge meter of panels', heard('solaredge2mqtt', 'solaredge/meter0', 'production/import'), 'production'],
  ['a SolarEdge meter of loads', heard('solaredge2mqtt', 'solaredge/meter2', 'consumption/import'), 'consumption'],
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
])('places %s as its decoder knows, regardless of the type that was entered', (_, heardAs, placement) => {
  for (const type of ['smart_meter', 'smart_plug', 'battery']) {
    expect(guessPlacement(type, heardAs)).toEqual({ placement, placement_by: 'decoder' });
  }
});

test('uses the type if the decoder cannot know the placement', () => {
  for (const one of [
    heard('shelly-gen2', 'shellyem', 'em0/import', 'em0/export'),
    heard('homeassistant', 'ev', 'import'),
    heard('tasmota', 'tasmota_3', 'ctenergy1/import'),
    heard('mbmd', 'solar/sdm1-1', 'import', 'export'),
    heard('mbmd', 'mbmd/fronius1-240', 'import', 'export'),
    heard('espurna', 'solar/fridge', 'import'),
    heard('lorawan', 'pv@ttn/meter-1', 'import'),
    heard('iammeter', 'E395281A', 'import', 'export'),
    heard('zigbee2mqtt', 'room', 'room'),
    heard('evcc', 'evcc/ext/1', 'import'),
    heard('victron', 'e0ff50a097c0/vebus/257', 'unknown/acin1toacout'),
    heard('warp', 'warp2/AbCd/meter1', 'import', 'export'),
    heard('warp', 'wem/AbCd', 'import'),
    heard('warp', 'wem2/AbCd', 'import', 'export'),
    heard('warp', 'seb/AbCd', 'import', 'export'),
    heard('warp', 'my/own/prefix', 'import', 'export'),
    heard('heishamon', 'panasonic_heat_pump/s0/1', 'import'),
    heard('solaredge2mqtt', 'solaredge/meter0', 'import', 'export'),
  ]) {
    expect(guessPlacement('smart_meter', one)).toEqual({ placement: 'grid', placement_by: 'type' });
  }
});
