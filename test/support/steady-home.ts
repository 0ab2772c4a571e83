import type { FamilyDevice, FamilyMessage } from '#simulators/devices/family-device.ts';
import type { SimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';

export const HOUR_MS = 3_600_000;
export const STEADY_HOME_START_MS = Date.UTC(2026, 1, 2);
/**
 * Current time of the tests: Tuesday, 11:00:20 in Berlin, 34 hours and 20 seconds after the home's start. The register is then at 14622.388
 * Wh.
 */
export const STEADY_HOME_NOW_MS = STEADY_HOME_START_MS + 34 * HOUR_MS + 20_000;

/** Returns a home that uses 430 W, and 2150 W from `changesAtMs` on. */
export function createSteadyHome(changesAtMs = Number.POSITIVE_INFINITY): SimulatedHome {
  return {
    traits: drawHomeTraits('steady'),
    installedAtMs: STEADY_HOME_START_MS,
    at: (timeMs) => ({
      registerMilliwattHours: Math.floor(
        (430 * (timeMs - STEADY_HOME_START_MS) + 1720 * Math.max(0, timeMs - changesAtMs)) / 3600,
      ),
      powerW: timeMs < changesAtMs ? 430 : 2150,
      room: { temperatureC: 20.46, setpointC: 21.5, heating: true },
    }),
  };
}

export const mapPayloadsByTopic = (messages: FamilyMessage[]) =>
  Object.fromEntries(messages.map((one) => [one.topic, one.payload]));
export const listRetainedTopics = (messages: FamilyMessage[]) =>
  messages.filter((one) => one.retain).map((one) => one.topic);
export const createMessagesOfSteadyHome = (device: FamilyDevice, atMs = STEADY_HOME_NOW_MS) =>
  device.messages(createSteadyHome(), atMs);
