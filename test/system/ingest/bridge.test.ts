import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONFLICTING_VALUE_REASON } from '#ingest/write/collect.ts';
import { amsreaderMeter } from '#simulators/devices/amsreader-meter.ts';
import { esphomeMeter } from '#simulators/devices/esphome-meter.ts';
import { evccLoadpoint } from '#simulators/devices/evcc-loadpoint.ts';
import type { FamilyDevice } from '#simulators/devices/family-device.ts';
import { goECharger } from '#simulators/devices/go-e-charger.ts';
import { openwbCounter } from '#simulators/devices/openwb-counter.ts';
import { p1DsmrReader } from '#simulators/devices/p1-dsmr-reader.ts';
import { p1Esp8266Meter } from '#simulators/devices/p1-esp8266.ts';
import { shellyEmGen1 } from '#simulators/devices/shelly-em-gen1.ts';
import { shellyPmGen2 } from '#simulators/devices/shelly-pm-gen2.ts';
import { smlreaderMeter } from '#simulators/devices/smlreader-meter.ts';
import { tasmotaPlug } from '#simulators/devices/tasmota-plug.ts';
import { victronGridMeter } from '#simulators/devices/victron-grid.ts';
import { zigbee2mqttPlug } from '#simulators/devices/zigbee2mqtt.ts';
import { zwavejsPlug } from '#simulators/devices/zwavejs-plug.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { publishHouseholdMessages } from '#simulators/household.ts';
import { type GatewayHome, startGatewayHome } from '#test/support/gateway-home.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const TZ = 'Europe/Berlin';
/** Start of the simulated time: a full hour, early enough that all readings are in the past. */
const FROM_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 8 * HOUR_MS;
const TO_MS = FROM_MS + 7 * HOUR_MS;

/** Tolerance in kWh for families whose registers change in steps of 10 Wh. */
const TOLERANCE: Record<string, number> = { victron: 0.03, zigbee2mqtt: 0.03 };

let service: GatewayHome;
beforeAll(async () => {
  service = await startGatewayHome();
});
afterAll(() => service.close());

test('a household’s broker is bridged: its families are discovered, paired, and their kWh count', async () => {
  const { send, api } = service;
  const home = createSimulatedHome(drawHomeTraits('bridged'), FROM_MS - HOUR_MS);
  const devices: FamilyDevice[] = [
    tasmotaPlug({ name: 'boiler', tz: TZ }),
    shellyEmGen1({ name: 'cellar' }),
    // This device sends no status messages. Status messages have no timestamp, so the simulated past values in them would be taken as
    // current.
    shellyPmGen2({ name: 'desk', tellsStatus: false }),
    zigbee2mqttPlug({ name: 'kitchen/fridge' }),
    p1DsmrReader({ tz: TZ }),
    esphomeMeter({ name: 'garage' }),
    zwavejsPlug({ node: 'Kitchen/Plug' }),
    evccLoadpoint({ root: 'evcc' }),
    victronGridMeter({ name: 'cabin' }),
    goECharger({ name: 'carport' }),
    amsreaderMeter({ topic: 'tele/ams' }),
    openwbCounter({ id: 4 }),
    p1Esp8266Meter({ tz: TZ }),
    smlreaderMeter({}),
  ];
  const url = await service.bridge();
  const play = (fromMs: number, toMs: number) =>
    publishHouseholdMessages({ url, devices, home, fromMs, toMs, stepMs: MINUTE_MS });

  await play(FROM_MS, FROM_MS);
  const paired: { family: string; deviceId: string }[] = [];
  for (const { family, discovery_id } of await service.discovered(devices.length)) {
    // Devices without timestamps send seven hours of simulated time within seconds, so their power seems to be high. All of them are placed
    // at the grid connection, because each acts as the home's meter.
    const settings = { type: 'smart_meter', location: 'home', timezone: TZ, limit_kw: 1_000_000, placement: 'grid' };
    const { device_id } = await send('/v1/devices', { ...settings, discovery_id });
    paired.push({ family, deviceId: device_id });
  }
  expect(paired.map(({ family }) => family).sort()).toEqual([
    'amsreader',
    'dsmr-reader',
    'evcc',
    'go-e',
    'homeassistant',
    'openwb',
    'p1meter',
    'shelly-gen1',
    'shelly-gen2',
    'smlreader',
    'tasmota',
    'victron',
    'zigbee2mqtt',
    'zwavejs',
  ]);
  await play(FROM_MS + MINUTE_MS, TO_MS);

  const used = (atMs: number) => home.at(atMs).registerMilliwattHours / 1e6;
  const expected = used(TO_MS) - used(FROM_MS + MINUTE_MS);
  expect(expected).toBeGreaterThan(1);
  // The broker may deliver a Zigbee2MQTT value from before the pairing again. The energy of the minute before the pairing may then also
  // count.
  const before = used(FROM_MS + MINUTE_MS) - used(FROM_MS);
  const dates = `start=${new Date(FROM_MS).toISOString().slice(0, 10)}&end=${new Date().toISOString().slice(0, 10)}`;
  const kwhOf = async (path: string) =>
    ((await send(`${path}${dates}`)).data as { kwh_used: number }[]).reduce((sum, row) => sum + row.kwh_used, 0);
  for (const { family, deviceId } of paired) {
    const miss = async () => {
      // Sends the last messages again, because their values may be missing: if several messages without a timestamp arrived in the same
      // millisecond, only the lowest value was counted.
      await play(TO_MS, TO_MS);
      const surplus = (await kwhOf(`/v1/devices/${deviceId}/usage?`)) - expected;
      return Math.max(-surplus, surplus - (family === 'zigbee2mqtt' ? before : 0));
    };
    await expect.poll(miss, { interval: 250, message: family }).toBeLessThan(TOLERANCE[family] ?? 0.003);
  }
  expect(Math.abs((await kwhOf('/v1/energy-insights?group_by=day&')) - devices.length * expected)).toBeLessThan(0.3);

  // The energy of a device with timestamps must be in the hours in which it was used. The only permitted reason for rejected messages is a
  // conflicting value.
  const tasmota = paired.find(({ family }) => family === 'tasmota')?.deviceId;
  const { data } = await send(`/v1/devices/${tasmota}/usage?group_by=hour&${dates}`);
  expect(data.length).toBeGreaterThanOrEqual(7);
  const { rows } = await api.database.pool.query(
    'SELECT DISTINCT reason FROM rejected_messages WHERE strpos(reason, $1) = 0',
    [CONFLICTING_VALUE_REASON],
  );
  expect(rows).toEqual([]);
});
