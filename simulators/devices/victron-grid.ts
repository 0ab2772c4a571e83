import { createHardwareId, type FamilyDevice, getRegisterAt } from './family-device.ts';

/** Step of the registers of Victron's own meters, in mWh: a hundredth of a kWh. (Meters of Carlo Gavazzi report tenths.) */
const STEP_MILLIWATT_HOURS = 10_000;

/**
 * A grid meter behind Victron's Venus OS. Each D-Bus path is a topic, on which a value without a time is sent when it changes. Phases that
 * the meter lacks are null.
 *
 * @param options.name Seed of the portal id.
 */
export function victronGridMeter({ name }: { name: string }): FamilyDevice {
  const portal = createHardwareId(name, 12).toLowerCase();
  const topic = (path: string) => `N/${portal}/grid/30/${path}`;
  const lastSent = new Map<string, string>();
  return {
    family: 'victron',
    nativeId: `${portal}/grid/30`,
    greeting() {
      // When a client connects, Venus OS publishes all values.
      lastSent.clear();
      return [
        { topic: topic('ProductName'), payload: '{"value":"Energy Meter VM-3P75CT"}' },
        { topic: topic('Ac/L2/Power'), payload: '{"value":null}' },
        { topic: topic('Ac/Energy/Reverse'), payload: '{"value":0}' },
        { topic: `N/${portal}/full_publish_completed`, payload: '{"value":1702459522}' },
      ];
    },
    messages(home, atMs) {
      const { powerW } = home.at(atMs);
      const bought = Math.floor(getRegisterAt(home, atMs) / STEP_MILLIWATT_HOURS) / 100;
      const values = { 'Ac/Power': powerW, 'Ac/L1/Power': powerW, 'Ac/Energy/Forward': bought };
      return Object.entries(values).flatMap(([path, value]) => {
        const payload = JSON.stringify({ value });
        if (lastSent.get(path) === payload) return [];
        lastSent.set(path, payload);
        return [{ topic: topic(path), payload }];
      });
    },
  };
}
