import type { DemoDevice } from './demo-device.ts';
import { everyStep, type MeterReading, readingsTopic } from './devices/native-meter.ts';
import { faultsNamed } from './faults.ts';
import { createPublisher, type Publisher } from './publisher.ts';
import { sendReadings } from './send.ts';

/** Options for playing the devices. */
export interface PlayOptions {
  /** Seconds between live readings, 10 to 900. */
  liveSeconds: number;
  /** Names of the faults in the meters' history (`faults.ts`). */
  faults: readonly string[];
}

/** Seconds between historical readings: meters as real ones report, thermostats hourly. */
const HISTORY_SECONDS = { smart_meter: 900, inverter: 900, battery: 900, thermostat: 3600 };

/** Simulated devices with their connections. */
export interface DevicePlayers {
  /** Returns the number of historical readings still to be sent. */
  missing(nowMs: number): number;
  /** Sends the missing readings up to now. Resolves when the broker has acknowledged all. */
  backfill(nowMs: number, onSent: (readings: number) => void): Promise<number>;
  /** Sends live readings of every device until closed. */
  live(): void;
  close(): Promise<void>;
}

/** Connects every device to the broker, each with its own credentials. */
export async function createPlayers(
  mqttUrl: string,
  devices: readonly DemoDevice[],
  { liveSeconds, faults }: PlayOptions = { liveSeconds: 10, faults: [] },
): Promise<DevicePlayers> {
  const liveMs = liveSeconds * 1000;
  const players = await Promise.all(
    devices.map(async (device) => ({
      device,
      publisher: await createPublisher({ url: mqttUrl, deviceId: device.deviceId, secret: device.secret }),
    })),
  );
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const tick = () => {
    const atMs = Math.floor(Date.now() / liveMs) * liveMs;
    for (const { device, publisher } of players) sendLive(device, publisher, atMs);
    if (!closed) timer = setTimeout(tick, Math.max(0, atMs + liveMs - Date.now()));
  };
  return {
    missing(nowMs) {
      const count = ({ device }: { device: DemoDevice }) => {
        const stepMs = HISTORY_SECONDS[device.kind] * 1000;
        const fromMs = firstMissingMs(device);
        const steps = Math.max(0, Math.floor(nowMs / stepMs) - Math.ceil(fromMs / stepMs) + 1);
        return steps * device.readings(fromMs, false).length;
      };
      return players.reduce((sum, player) => sum + count(player), 0);
    },
    async backfill(nowMs, onSent) {
      const counts = await Promise.all(
        players.map(async ({ device, publisher }) => {
          const sent = await sendReadings(publisher, device.deviceId, history(device, nowMs, faults), onSent);
          device.knownUntilMs = nowMs;
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

function history(device: DemoDevice, nowMs: number, faults: readonly string[]): Iterable<object> {
  const readings = readingsOf(device, nowMs);
  if (device.kind !== 'smart_meter' || faults.length === 0) return readings;
  const registers = Map.groupBy(readings as Iterable<MeterReading>, ({ channel }) => channel);
  // The same seed affects each register of the device in the same way, so that they stay consistent.
  const faulty = [...registers.values()].map(faultsNamed(faults, String(device.installedAtMs)));
  return (faulty[0] ?? []).flatMap((_, index) => faulty.flatMap((one) => one[index] ?? []));
}

function* readingsOf(device: DemoDevice, nowMs: number): Generator<object> {
  for (const atMs of everyStep(firstMissingMs(device), nowMs, HISTORY_SECONDS[device.kind]))
    yield* device.readings(atMs, false);
}

function firstMissingMs({ installedAtMs, knownUntilMs }: DemoDevice): number {
  return knownUntilMs <= installedAtMs ? installedAtMs : knownUntilMs + 1;
}

/** Sends a live reading. It is lost while the connection is full or down; the next register reading makes up for it. */
function sendLive(device: DemoDevice, publisher: Publisher, atMs: number): void {
  publisher.publish(readingsTopic(device.deviceId), JSON.stringify(device.readings(atMs, true))).catch(() => {});
}
