import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDtuInverter } from '#simulators/devices/opendtu-inverter.ts';
import { warpCharger } from '#simulators/devices/warp-charger.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { publishHouseholdMessages } from '#simulators/household.ts';
import { type GatewayHome, startGatewayHome } from '#test/support/gateway-home.ts';

const MINUTE_MS = 60_000;
/** Start of the simulated time. The devices send no timestamps, so the day does not matter. */
const FROM_MS = Date.parse('2026-11-18T10:00:00Z');
const TO_MS = FROM_MS + 90 * MINUTE_MS;

let service: GatewayHome;
beforeAll(async () => {
  service = await startGatewayHome();
});
afterAll(() => service.close());

test('an inverter behind OpenDTU produces and a WARP charger consumes, each as much as its register shows', async () => {
  const { send } = service;
  const home = createSimulatedHome(drawHomeTraits('bridged'), FROM_MS - 60 * MINUTE_MS);
  const devices = [openDtuInverter({ name: 'balcony' }), warpCharger({ prefix: 'warp2/AbCd' })];
  const url = await service.bridge();
  const play = (fromMs: number, toMs: number) =>
    publishHouseholdMessages({ url, devices, home, fromMs, toMs, stepMs: MINUTE_MS });

  await play(FROM_MS, FROM_MS);
  const paired = new Map<string, string>();
  for (const { family, discovery_id } of await service.discovered(devices.length)) {
    // The decoder finds out which part of the home the device measures. This overrides the type that the user has entered.
    const settings = { type: 'smart_meter', location: 'home', timezone: 'Europe/Berlin', limit_kw: 1_000_000 };
    const device = await send('/v1/devices', { ...settings, discovery_id });
    paired.set(family, device.device_id);
    expect([family, device.placement]).toEqual([family, family === 'opendtu' ? 'production' : 'consumption']);
  }
  // The first reading of a register adds no energy. Later readings are compared with it.
  await play(FROM_MS + MINUTE_MS, TO_MS);

  const register = (atMs: number) => home.at(atMs).registerMilliwattHours / 1e6;
  const expected = register(TO_MS) - register(FROM_MS + MINUTE_MS);
  const lastMinutes = 0.003 + register(TO_MS) - register(TO_MS - 5 * MINUTE_MS);
  expect(expected).toBeGreaterThan(4 * lastMinutes);
  const dates = `start=${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}&end=${new Date().toISOString().slice(0, 10)}`;
  const kwhOf = async (family: string) => {
    const { data } = await send(`/v1/devices/${paired.get(family)}/usage?include=export&${dates}`);
    const sum = (name: string) =>
      data.reduce((total: number, row: Record<string, number | null>) => total + (row[name] ?? 0), 0);
    return { used: sum('kwh_used'), exported: sum('export_kwh') };
  };
  // The inverter's output counts as production, not as consumption. The charger's input counts as consumption, not as production.
  const rounded = async (family: string) => {
    const { used, exported } = await kwhOf(family);
    const is = (kwh: number) => Math.abs(kwh - expected) < lastMinutes;
    return { used: is(used) ? 'expected' : used, exported: is(exported) ? 'expected' : exported };
  };
  const soon = { interval: 250 };
  await expect.poll(() => rounded('opendtu'), soon).toEqual({ used: 0, exported: 'expected' });
  await expect.poll(() => rounded('warp'), soon).toEqual({ used: 'expected', exported: 0 });
});
