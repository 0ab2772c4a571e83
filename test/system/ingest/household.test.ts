import { createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { esphomeMeter } from '#simulators/devices/esphome-meter.ts';
import { shellyEmGen1 } from '#simulators/devices/shelly-em-gen1.ts';
import { tasmotaPlug } from '#simulators/devices/tasmota-plug.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { publishHouseholdMessages } from '#simulators/household.ts';

const START = Date.UTC(2026, 1, 2);
const HOUR_MS = 3_600_000;

let broker: Aedes;
let server: Server;
let url: string;
let received: { topic: string; payload: string; retain: boolean; qos: number }[];
beforeEach(async () => {
  received = [];
  broker = await Aedes.createBroker({
    authenticate: (_client, username, password, done) =>
      done(null, (username ?? 'nobody') === 'nobody' || (username === 'anna' && String(password) === 'secret')),
  });
  broker.on('publish', ({ topic, payload, retain, qos }, client) => {
    if (client) received.push({ topic, payload: String(payload), retain, qos });
  });
  server = createServer(broker.handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `mqtt://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterEach(async () => {
  await new Promise<void>((resolve) => broker.close(() => resolve()));
  server.close();
});

const household = () => ({
  url,
  devices: [
    esphomeMeter({ name: 'cupboard' }),
    tasmotaPlug({ name: 'p', tz: 'Europe/Berlin' }),
    shellyEmGen1({ name: 'x' }),
  ],
  home: createSimulatedHome(drawHomeTraits('household'), START),
  fromMs: START,
  toMs: START + 6 * HOUR_MS,
  stepMs: HOUR_MS,
});

it('publishes initial messages once, then every step of every device in order, all acknowledged', async () => {
  const options = household();
  const sent = await publishHouseholdMessages(options);
  expect(received).toHaveLength(sent);
  expect(new Set(received.map((one) => one.qos))).toEqual(new Set([1]));
  expect(received.filter((one) => one.topic === 'tele/p/LWT')).toEqual([
    { topic: 'tele/p/LWT', payload: 'Online', retain: true, qos: 1 },
  ]);
  const totals = received.filter((one) => one.topic === 'cupboard/sensor/total_energy/state');
  expect(totals.map((one) => one.payload)).toEqual(
    Array.from({ length: 7 }, (_, hour) => {
      const wattHours = Math.floor(options.home.at(START + hour * HOUR_MS).registerMilliwattHours / 1000);
      return (wattHours / 1000).toFixed(3);
    }),
  );
  expect(totals.every((one) => one.retain)).toBe(true);
  expect(received.some((one) => one.topic.startsWith('shellies/') && one.retain)).toBe(false);
});

it('logs in if the broker requires it, and fails if it is refused', async () => {
  const options = { ...household(), toMs: START };
  expect(await publishHouseholdMessages({ ...options, username: 'anna', password: 'secret' })).toBe(received.length);
  await expect(publishHouseholdMessages({ ...options, username: 'anna', password: 'wrong' })).rejects.toThrow();
});

it('fails if there are no steps', async () => {
  await expect(publishHouseholdMessages({ ...household(), stepMs: 0 })).rejects.toThrow('stepMs');
});
