import { type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * mbmd with an SDM630 meter of which one phase is connected. Each measurement is a text with three decimals, without a time. `Import` is
 * the home's energy register in kWh, and `Sum` has the same value.
 *
 * @param options.number Number of the meter on the bus.
 */
export function mbmdMeter({ number = 1 }: { number?: number } = {}): FamilyDevice {
  const device = `sdm1-${number}`;
  return {
    family: 'mbmd',
    nativeId: `mbmd/${device}`,
    greeting: () => [{ topic: 'mbmd/status', payload: 'connected', retain: true }],
    messages(home, atMs) {
      const imported = formatRegister(getRegisterAt(home, atMs), 'kWh', 3);
      const power = home.at(atMs).powerW.toFixed(3);
      const textByName = {
        Sum: imported,
        Import: imported,
        'Import/L1': imported,
        Export: '0.000',
        Power: power,
        'Power/L1': power,
        'Voltage/L1': '230.100',
        Frequency: '50.010',
      };
      return Object.entries(textByName).map(([name, payload]) => ({ topic: `mbmd/${device}/${name}`, payload }));
    },
  };
}
