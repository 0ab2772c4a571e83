import { type FamilyDevice, registerAt, registerText } from './family-device.ts';

/**
 * mbmd at an SDM630 on one phase: a text with three decimals a measurement, and no time. `Import` is the home's register in kWh; `Sum` is the same
 * again, as nothing is exported.
 *
 * @param options.number Its number on the bus.
 */
export function mbmdMeter({ number = 1 }: { number?: number } = {}): FamilyDevice {
  const device = `sdm1-${number}`;
  return {
    family: 'mbmd',
    nativeId: `mbmd/${device}`,
    greeting: () => [{ topic: 'mbmd/status', payload: 'connected', retain: true }],
    messages(home, atMs) {
      const imported = registerText(registerAt(home, atMs), 'kWh', 3);
      const power = home.at(atMs).powerW.toFixed(3);
      const told = {
        Sum: imported,
        Import: imported,
        'Import/L1': imported,
        Export: '0.000',
        Power: power,
        'Power/L1': power,
        'Voltage/L1': '230.100',
        Frequency: '50.010',
      };
      return Object.entries(told).map(([name, payload]) => ({ topic: `mbmd/${device}/${name}`, payload }));
    },
  };
}
