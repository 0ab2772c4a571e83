import { createHardwareId, type FamilyDevice, getRegisterAt } from './family-device.ts';

const VOLTS = 230;

/**
 * A go-e charger with version 2 of its API. Each key has a topic, on which a JSON value without a time is sent when it changes. `eto` is
 * the home's energy register in whole Wh. `wh` is the energy since the first message.
 *
 * @param options.name Seed of the serial number.
 */
export function goECharger({ name }: { name: string }): FamilyDevice {
  const serial = String(Number.parseInt(createHardwareId(name, 12).slice(0, 8), 16) % 1_000_000).padStart(6, '0');
  const topic = (key: string) => `go-eCharger/${serial}/${key}`;
  const lastSent = new Map<string, string>();
  let pluggedInAt: number | undefined;
  return {
    family: 'go-e',
    nativeId: serial,
    greeting() {
      // When a charger connects, it sends all its values.
      lastSent.clear();
      return [
        { topic: topic('sse'), payload: JSON.stringify(serial), retain: true },
        { topic: topic('rssi'), payload: '-45', retain: true },
        { topic: topic('dwo'), payload: 'null', retain: true },
      ];
    },
    messages(home, atMs) {
      const register = getRegisterAt(home, atMs);
      pluggedInAt ??= register;
      const { powerW } = home.at(atMs);
      const amperes = Math.round((powerW / VOLTS) * 10) / 10;
      const values = {
        eto: Math.floor(register / 1_000),
        wh: (register - pluggedInAt) / 1_000,
        nrg: [VOLTS, 0, 0, 0, amperes, 0, 0, powerW, 0, 0, 0, powerW, 100, 0, 0, 0],
      };
      return Object.entries(values).flatMap(([key, value]) => {
        const payload = JSON.stringify(value);
        if (lastSent.get(key) === payload) return [];
        lastSent.set(key, payload);
        return [{ topic: topic(key), payload, retain: true }];
      });
    },
  };
}
