import { type FamilyDevice, hardwareId, registerAt } from './family-device.ts';

/** A meter of Carlo Gavazzi tells tenths of a kWh; Victron's own hundredths, which is what this one does. */
const STEP_MILLIWATT_HOURS = 10_000;

/**
 * A grid meter behind Victron's Venus OS: each D-Bus path is a topic of its own, told when it changes. No time, not retained. Nothing is
 * sold; a phase that the meter has not got is null.
 *
 * @param options.name What the portal id is made of.
 */
export function victronGrid({ name }: { name: string }): FamilyDevice {
  const portal = hardwareId(name, 12).toLowerCase();
  const topic = (path: string) => `N/${portal}/grid/30/${path}`;
  const told = new Map<string, string>();
  return {
    family: 'victron',
    nativeId: `${portal}/grid/30`,
    greeting: () => [
      { topic: topic('ProductName'), payload: '{"value":"Energy Meter VM-3P75CT"}' },
      { topic: topic('Ac/L2/Power'), payload: '{"value":null}' },
      { topic: topic('Ac/Energy/Reverse'), payload: '{"value":0}' },
      { topic: `N/${portal}/full_publish_completed`, payload: '{"value":1702459522}' },
    ],
    messages(home, atMs) {
      const { powerW } = home.at(atMs);
      const bought = Math.floor(registerAt(home, atMs) / STEP_MILLIWATT_HOURS) / 100;
      const values = { 'Ac/Power': powerW, 'Ac/L1/Power': powerW, 'Ac/Energy/Forward': bought };
      return Object.entries(values).flatMap(([path, value]) => {
        const payload = JSON.stringify({ value });
        if (told.get(path) === payload) return [];
        told.set(path, payload);
        return [{ topic: topic(path), payload }];
      });
    },
  };
}
