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

const factsOf = (family: string, nativeId: string, ...channels: string[]) => ({ family, nativeId, channels });

test.each([
  ['a P1 reader', factsOf('dsmr-reader', 'dsmr', 'import/t1', 'export/t1'), 'grid'],
  ['openWB’s counter', factsOf('openwb', 'openWB/counter/0', 'import', 'export'), 'grid'],
  ['a counter behind openWB’s', factsOf('openwb', 'openWB/counter/5', 'branch/import', 'import'), 'consumption'],
  ['openWB’s counter of 1.9', factsOf('openwb', 'garage/openWB/evu', 'import', 'export'), 'grid'],
  ['an inverter that openWB reads', factsOf('openwb', 'openWB/pv/4', 'export'), 'production'],
  ['all inverters of openWB 1.9', factsOf('openwb', 'openWB/pv', 'export'), 'production'],
  ['a battery that openWB reads', factsOf('openwb', 'openWB/bat/2', 'import', 'export'), 'storage'],
  ['openWB’s charge point', factsOf('openwb', 'openWB/chargepoint/3', 'import'), 'consumption'],
  ['an ESP8266 at a P1 port', factsOf('p1meter', 'sensors/power/p1meter', 'import/t1'), 'grid'],
  ['P1 Monitor’s meter', factsOf('p1monitor', 'p1monitor', 'import/t1'), 'grid'],
  ['solar panels at P1 Monitor', factsOf('p1monitor', 'p1monitor/powerproduction', 'export'), 'production'],
  ['an SMLReader', factsOf('smlreader', 'iot/smartmeter/sensor/1', 'import'), 'grid'],
  ['an amsreader', factsOf('amsreader', 'ams-og', 'import'), 'grid'],
  ['a heat pump', factsOf('heishamon', 'panasonic_heat_pump', 'dhw/import'), 'consumption'],
  ['a meter that a Tasmota reads', factsOf('tasmota', 'tasmota_1', 'sml/import', 'sml/export'), 'grid'],
  ['a Tasmota plug', factsOf('tasmota', 'tasmota_2', 'import'), 'consumption'],
  ['a Shelly plug', factsOf('shelly-gen2', 'shellyplugs', 'switch0/import', 'room'), 'consumption'],
  ['a meter that vzlogger reads', factsOf('vzlogger', 'vzlogger/data', 'import', 'export'), 'grid'],
  ['a SunSpec inverter', factsOf('mbmd', 'mbmd/sma1-126', 'export'), 'production'],
  ['an ESPurna that is called so', factsOf('espurna', 'home/solar', 'import'), 'production'],
  ['an inverter by Grott', factsOf('growatt', 'REH1234567', 'pv/export'), 'production'],
  ['a meter beside an inverter', factsOf('growatt', 'JPC1234567', 'meter/import', 'meter/export'), 'grid'],
  ['a charger of cars', factsOf('openevse', 'emon/openevse-55ad', 'import'), 'consumption'],
  ['an inverter of OpenDTU', factsOf('opendtu', '116180212345', 'export'), 'production'],
  ['an inverter of AhoyDTU', factsOf('ahoydtu', 'inverter/garage', 'export'), 'production'],
  ['a WARP charger', factsOf('warp', 'warp2/AbCd', 'import'), 'consumption'],
  ['a WARP charger behind a bridge', factsOf('warp', 'garage/warp/AbC', 'import'), 'consumption'],
  ['a SolarEdge inverter', factsOf('solaredge2mqtt', 'solaredge/leader/inverter', 'export'), 'production'],
  ['a SolarEdge meter that was set up for it', factsOf('solaredge2mqtt', 'solaredge/meter1', 'grid/export'), 'grid'],
  ['a SolarEdge meter of panels', factsOf('solaredge2mqtt', 'solaredge/meter0', 'production/import'), 'production'],
  ['a SolarEdge meter of loads', factsOf('solaredge2mqtt', 'solaredge/meter2', 'consumption/import'), 'consumption'],
  ['an inverter by its name', factsOf('homeassistant', 'growatt_inverter', 'import'), 'production'],
  ['evcc’s meter at the grid', factsOf('evcc', 'evcc/grid', 'import', 'export'), 'grid'],
  ['a roof of evcc', factsOf('evcc', 'home/evcc/pv/2', 'export'), 'production'],
  ['a battery of evcc', factsOf('evcc', 'evcc/battery/1', 'import', 'export'), 'storage'],
  ['a charger of evcc, whatever the root is called', factsOf('evcc', 'solar/loadpoints/1', 'import'), 'consumption'],
  ['a go-e', factsOf('go-e', '072246', 'import'), 'consumption'],
  ['Victron’s grid meter', factsOf('victron', 'e0ff50a097c0/grid/30', 'import', 'export'), 'grid'],
  ['an inverter behind a GX', factsOf('victron', 'e0ff50a097c0/pvinverter/20', 'export'), 'production'],
  ['a battery behind a GX', factsOf('victron', 'e0ff50a097c0/battery/256', 'import', 'export'), 'storage'],
  ['a charger behind a GX', factsOf('victron', 'e0ff50a097c0/evcharger/40', 'import'), 'consumption'],
  ['what its owner mapped as producing', factsOf('mapping', 'roof', 'production/import', 'room'), 'production'],
  ['a battery by its name', factsOf('homeassistant', 'powerwall', 'import', 'export'), 'storage'],
])('places %s as its decoder knows, regardless of the type that was entered', (_, heardAs, placement) => {
  for (const type of ['smart_meter', 'smart_plug', 'battery']) {
    expect(guessPlacement(type, heardAs)).toEqual({ placement, placement_by: 'decoder' });
  }
});

test('uses the type if the decoder cannot know the placement', () => {
  for (const one of [
    factsOf('shelly-gen2', 'shellyem', 'em0/import', 'em0/export'),
    factsOf('homeassistant', 'ev', 'import'),
    factsOf('tasmota', 'tasmota_3', 'ctenergy1/import'),
    factsOf('mbmd', 'solar/sdm1-1', 'import', 'export'),
    factsOf('mbmd', 'mbmd/fronius1-240', 'import', 'export'),
    factsOf('espurna', 'solar/fridge', 'import'),
    factsOf('lorawan', 'pv@ttn/meter-1', 'import'),
    factsOf('iammeter', 'E395281A', 'import', 'export'),
    factsOf('zigbee2mqtt', 'room', 'room'),
    factsOf('evcc', 'evcc/ext/1', 'import'),
    factsOf('victron', 'e0ff50a097c0/vebus/257', 'unknown/acin1toacout'),
    factsOf('warp', 'warp2/AbCd/meter1', 'import', 'export'),
    factsOf('warp', 'wem/AbCd', 'import'),
    factsOf('warp', 'wem2/AbCd', 'import', 'export'),
    factsOf('warp', 'seb/AbCd', 'import', 'export'),
    factsOf('warp', 'my/own/prefix', 'import', 'export'),
    factsOf('heishamon', 'panasonic_heat_pump/s0/1', 'import'),
    factsOf('solaredge2mqtt', 'solaredge/meter0', 'import', 'export'),
  ]) {
    expect(guessPlacement('smart_meter', one)).toEqual({ placement: 'grid', placement_by: 'type' });
  }
});
