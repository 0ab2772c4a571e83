import { hasLittleMemory } from '#src/core/memory.ts';
import type { DemoDevice } from './demo-device.ts';
import { listCadenceTimes, type MeterReading } from './devices/native-meter.ts';
import { combineNamedFaults } from './faults.ts';
import { createPublisher, type DevicePublisher } from './publisher.ts';
import { publishReadings } from './send.ts';

/** Options of the simulation. */
export interface SimulationOptions {
  /** Seconds between live messages, 2 to 900. */
  liveSeconds: number;
  /** Names of the faults that are added to the history of the meters (`faults.ts`). */
  faults: readonly string[];
}

/** Minimum interval in ms between messages with registers. Messages in between contain only the power. */
const REGISTER_MS = 10_000;

/** If memory is limited, a device waits for each PUBACK, because sender and broker hold a message in memory until its PUBACK. */
const PACE = hasLittleMemory() ? { inFlight: 1 } : {};

/** Simulated devices with their connections. */
export interface DevicePublishers {
  /** Returns the number of historical readings that are still to be sent. */
  missing(nowMs: number): number;
  /**
   * Sends the historical readings that are missing up to now. Resolves with the number of readings when the broker has acknowledged all.
   */
  backfill(nowMs: number, onSent: (readings: number) => void): Promise<number>;
  /** Starts to send live readings of every device, until `close` is called. */
  live(): void;
  close(): Promise<void>;
}

/** Connects every device to the broker with its own credentials. */
export async function createDevicePublishers(
  mqttUrl: string,
  devices: readonly DemoDevice[],
  { liveSeconds, faults }: SimulationOptions = { liveSeconds: 10, faults: [] },
): Promise<DevicePublishers> {
  const liveMs = liveSeconds * 1000;
  const players = await Promise.all(
    devices.map(async (device) => ({
      device,
      publisher: await createPublisher({
        url: mqttUrl,
        deviceId: device.login,
        secret: device.secret,
        ...PACE,
      }),
    })),
  );
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const tick = () => {
    const atMs = Math.floor(Date.now() / liveMs) * liveMs;
    for (const { device, publisher } of players) {
      const stepMs = Math.max(liveMs, device.cadence.liveSeconds * 1000);
      // The interval of a device need not be a multiple of the timer's interval, so each device sends at the first tick in each of its
      // intervals.
      if (atMs % stepMs < liveMs) sendLive(device, publisher, atMs, atMs % REGISTER_MS < liveMs);
    }
    if (!closed) timer = setTimeout(tick, Math.max(0, atMs + liveMs - Date.now()));
  };
  return {
    missing(nowMs) {
      const count = ({ device }: { device: DemoDevice }) => {
        const steps = [...historySteps(device, nowMs)].length;
        return steps === 0 ? 0 : steps * device.readings(firstMissingMs(device), false).length;
      };
      return players.reduce((sum, player) => sum + count(player), 0);
    },
    async backfill(nowMs, onSent) {
      const counts = await Promise.all(
        players.map(async ({ device, publisher }) => {
          const sent = await publishReadings(publisher, device.topic, history(device, nowMs, faults), onSent);
          device.knownUntilMs = Math.max(device.knownUntilMs, nowMs);
          return sent;
        }),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    live: tick,
    async close() {
      closed = true;
      clearTimeout(timer);
      await Promise.all(players.map(({ publisher }) => publisher.close()));
    },
  };
}

/** Kinds of devices that are the main meter of a home. */
const METERS: ReadonlySet<string> = new Set(['smart_meter', 'meter']);

function history(device: DemoDevice, nowMs: number, faults: readonly string[]): Iterable<object | readonly object[]> {
  // All devices send their history in the same small steps of time, so that the devices of a home can share the cached days of its
  // simulation.
  if (!METERS.has(device.kind) || faults.length === 0) return stepsOf(device, nowMs);
  const readings = readingsOf(device, nowMs);
  const registers = Map.groupBy(readings as Iterable<MeterReading>, ({ channel }) => channel);
  // All registers of a device get faults from the same seed, so that they remain consistent.
  const faulty = [...registers.values()].map(combineNamedFaults(faults, String(device.installedAtMs)));
  return (faulty[0] ?? []).flatMap((_, index) => faulty.flatMap((one) => one[index] ?? []));
}

function* stepsOf(device: DemoDevice, nowMs: number): Generator<object[]> {
  for (const atMs of historySteps(device, nowMs)) yield device.readings(atMs, false);
}

function* readingsOf(device: DemoDevice, nowMs: number): Generator<object> {
  for (const step of stepsOf(device, nowMs)) yield* step;
}

/** Yields the times of a device's missing historical readings. */
function* historySteps(device: DemoDevice, nowMs: number): Generator<number> {
  const { silence } = device;
  for (const atMs of cadenceTimes(device, nowMs))
    if (!silence || atMs <= silence.fromMs || atMs >= silence.toMs) yield atMs;
}

function* cadenceTimes(device: DemoDevice, nowMs: number): Generator<number> {
  const { pastSeconds, hourlyBeforeMs } = device.cadence;
  const fromMs = firstMissingMs(device);
  const hourlyToMs = Math.min(hourlyBeforeMs - 1, nowMs);
  if (fromMs <= hourlyToMs) yield* listCadenceTimes(fromMs, hourlyToMs, 3600);
  yield* listCadenceTimes(Math.max(fromMs, hourlyBeforeMs), nowMs, pastSeconds);
}

function firstMissingMs({ installedAtMs, knownUntilMs }: DemoDevice): number {
  return knownUntilMs <= installedAtMs ? installedAtMs : knownUntilMs + 1;
}

/** Sends a live reading. Without `withRegisters`, it contains only the power. If the connection is full or down, the reading is dropped. */
function sendLive(device: DemoDevice, publisher: DevicePublisher, atMs: number, withRegisters: boolean): void {
  const readings = device.readings(atMs, true);
  const elements = withRegisters ? readings : readings.flatMap(powerOnly);
  if (elements.length > 0) publisher.publish(device.topic, JSON.stringify(elements)).catch(() => {});
}

function powerOnly(reading: object): object[] {
  if (!('power_w' in reading)) return [];
  const { energy_total_kwh: _, ...power } = reading as MeterReading;
  return [power];
}
