import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FamilyDevice } from '#simulators/devices/family-device.ts';
import { grottInverter } from '#simulators/devices/grott-inverter.ts';
import { mbmdMeter } from '#simulators/devices/mbmd-meter.ts';
import { openevseCharger } from '#simulators/devices/openevse.ts';
import { vzloggerMeter } from '#simulators/devices/vzlogger-meter.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { publishHouseholdMessages } from '#simulators/household.ts';
import { type GatewayHome, startGatewayHome } from '#test/support/gateway-home.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const TZ = 'Europe/Berlin';
const FROM_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
const TO_MS = FROM_MS + 4 * HOUR_MS;

let service: GatewayHome;
beforeAll(async () => {
  service = await startGatewayHome();
});
afterAll(() => service.close());

/** Returns the device with a gateway's prefix before each of its topics. */
const below = (prefix: string, device: FamilyDevice): FamilyDevice => {
  const prefixed = <T extends { topic: string }>(sent: T[]) =>
    sent.map((one) => ({ ...one, topic: prefix + one.topic }));
  return {
    ...device,
    greeting: (atMs) => prefixed(device.greeting(atMs)),
    messages: (home, atMs) => prefixed(device.messages(home, atMs)),
  };
};

test('a charger, a DIN-rail meter, an SML meter and an inverter count what their registers show', async () => {
  const { send, api, mqtt, url } = service;
  const settings = { tz: TZ, meter: { 'vzlogger/data': { unit: 'Wh' } } };
  await send(`/v1/gateways/${service.gatewayId}`, { decoder_config: settings }, 'PATCH');
  const home = createSimulatedHome(drawHomeTraits('bridged'), FROM_MS - HOUR_MS);
  const devices = [
    openevseCharger({ name: 'drive', base: 'emon/openevse-drive' }),
    mbmdMeter(),
    vzloggerMeter(),
    grottInverter({ serial: 'REH1234567', tz: TZ }),
  ].map((device) => below(mqtt.topic_prefix, device));
  const login = { username: mqtt.username, password: mqtt.password };
  const play = (fromMs: number, toMs: number) =>
    publishHouseholdMessages({ url, ...login, devices, home, fromMs, toMs, stepMs: MINUTE_MS });

  await play(FROM_MS, FROM_MS);
  const paired = new Map<string, string>();
  const placements: Record<string, string> = {};
  for (const { family, native_id, discovery_id } of await service.discovered(devices.length)) {
    expect(devices.map(({ nativeId }) => nativeId)).toContain(native_id);
    // Hours of simulated time are sent within seconds, so the registers seem to rise with a high power. This limit allows it.
    const device = { type: 'thing', location: 'home', timezone: TZ, limit_kw: 1_000_000 };
    const { device_id, placement } = await send('/v1/devices', { ...device, discovery_id });
    paired.set(family, device_id);
    placements[family] = placement;
  }
  expect(placements).toEqual({
    growatt: 'production',
    mbmd: 'consumption',
    openevse: 'consumption',
    vzlogger: 'grid',
  });
  await play(FROM_MS + MINUTE_MS, TO_MS);

  const used = (atMs: number) => home.at(atMs).registerMilliwattHours / 1e6;
  const expected = used(TO_MS) - used(FROM_MS + MINUTE_MS);
  expect(expected).toBeGreaterThan(0.5);
  const counted = async (family: string) => {
    const { rows } = await api.database.pool.query(
      'SELECT sum(energy_milliwatt_hours)::float8 AS import, sum(export_milliwatt_hours)::float8 AS export FROM device_hourly WHERE device_id = $1',
      [paired.get(family)],
    );
    return { import: rows[0].import / 1e6, export: rows[0].export / 1e6 };
  };
  const lastMinutes = 0.003 + used(TO_MS) - used(TO_MS - 5 * MINUTE_MS);
  const cases = [
    { family: 'vzlogger', direction: 'import', tolerance: 0.001 },
    // Simulated time is so fast that two messages without a timestamp may arrive in the same millisecond, and one of them does not count.
    { family: 'openevse', direction: 'import', tolerance: lastMinutes },
    { family: 'mbmd', direction: 'import', tolerance: lastMinutes },
    // growatt: the register changes in steps of 100 Wh.
    { family: 'growatt', direction: 'export', tolerance: 0.11 },
  ] as const;
  for (const { family, direction, tolerance } of cases) {
    const miss = async () => Math.abs((await counted(family))[direction] - expected);
    await expect.poll(miss, { interval: 250, message: family }).toBeLessThan(tolerance);
  }
});
