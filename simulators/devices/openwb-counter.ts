import { type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * The counter of an openWB 2.x. Each field is JSON without a time on a retained topic. `imported` is the home's energy register in Wh with
 * three decimals. Other topics belong to openWB's own sums and to an inverter without production.
 *
 * @param options.id Number of the counter in openWB.
 */
export function openwbCounter({ id }: { id: number }): FamilyDevice {
  const base = `openWB/counter/${id}`;
  return {
    family: 'openwb',
    nativeId: base,
    greeting: () => [
      {
        topic: 'openWB/counter/get/hierarchy',
        payload: `[{"id": ${id}, "type": "counter", "children": []}]`,
        retain: true,
      },
    ],
    messages(home, atMs) {
      const power = Math.round(home.at(atMs).powerW * 100) / 100;
      const fields: Record<string, unknown> = {
        voltages: [231.1, 230.2, 229.9],
        powers: [power, 0, 0],
        power_factors: [1, 1, 1],
        exported: 0,
        power,
        frequency: 50,
        daily_imported: 6354,
        fault_state: 0,
        fault_str: 'Kein Fehler.',
      };
      return [
        { topic: `${base}/get/imported`, payload: formatRegister(getRegisterAt(home, atMs), 'Wh', 3), retain: true },
        ...Object.entries(fields).map(([name, value]) => ({
          topic: `${base}/get/${name}`,
          payload: JSON.stringify(value),
          retain: true,
        })),
        { topic: 'openWB/counter/set/home_consumption', payload: String(Math.round(power)), retain: true },
      ];
    },
  };
}
