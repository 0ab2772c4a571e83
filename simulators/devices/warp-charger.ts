import { type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/** MeterValueIDs of a charger's meter: voltage of a phase, power, and the lifetime and resettable registers of both directions. */
const VALUE_IDS = [0, 74, 209, 210, 211, 212];

/**
 * A WARP charger. It publishes the values of its meter as a list in the order of the ids in `value_ids`, and also on the topic of earlier
 * firmware, retained and without a time. Id 209 is the home's energy register in kWh with three decimals. Id 210 and `energy_rel` start at
 * 0.
 *
 * @param options.prefix Topic prefix, such as `warp2/AbCd`.
 */
export function warpCharger({ prefix }: { prefix: string }): FamilyDevice {
  let atReset: number | undefined;
  const retained = (leaf: string, payload: string) => ({ topic: `${prefix}/${leaf}`, payload, retain: true });
  return {
    family: 'warp',
    nativeId: prefix,
    greeting: () => [
      retained('meters/0/value_ids', JSON.stringify(VALUE_IDS)),
      retained('meters/1/value_ids', '[]'),
      retained('meters/1/values', '[]'),
    ],
    messages(home, atMs) {
      const total = getRegisterAt(home, atMs);
      atReset ??= total;
      const { powerW } = home.at(atMs);
      const [absolute, relative] = [formatRegister(total, 'kWh', 3), formatRegister(total - atReset, 'kWh', 3)];
      return [
        retained('meters/0/values', `[230.1,${powerW},${absolute},${relative},0,null]`),
        retained('meter/values', `{"power":${powerW},"energy_rel":${relative},"energy_abs":${absolute}}`),
        retained('evse/state', '{"iec61851_state":2,"charger_state":3,"allowed_charging_current":32000}'),
      ];
    },
  };
}
