import type { SimulatedHome } from '../home-clock.ts';
import { createTariffSplitter, type TariffRegisters } from '../tariffs.ts';
import { type FamilyDevice, formatRegister } from './family-device.ts';

/**
 * A Dutch smart meter behind esp8266_p1meter (the fork for DSMR 5), which publishes one topic per field, not retained and without a time.
 * The two tariff registers are in whole Wh.
 *
 * @param options.tz Time zone of the meter's tariff clock.
 * @param options.root Root topic of the firmware.
 */
export function p1Esp8266Meter({ tz, root = 'sensors/power/p1meter' }: { tz: string; root?: string }): FamilyDevice {
  let split: ((atMs: number) => TariffRegisters) | undefined;
  return {
    family: 'p1meter',
    nativeId: root,
    greeting: () => [{ topic: 'hass/status', payload: 'p1 meter alive: p1meter' }],
    messages(home: SimulatedHome, atMs) {
      split ??= createTariffSplitter(home, tz);
      const { lowMilliwattHours, highMilliwattHours } = split(atMs);
      const power = String(Math.round(home.at(atMs).powerW));
      const fields = {
        consumption_low_tarif: formatRegister(lowMilliwattHours, 'Wh', 0),
        consumption_high_tarif: formatRegister(highMilliwattHours, 'Wh', 0),
        returndelivery_low_tarif: '0',
        returndelivery_high_tarif: '0',
        actual_consumption: power,
        actual_returndelivery: '0',
        l1_instant_power_usage: power,
        l2_instant_power_usage: '0',
        l3_instant_power_usage: '0',
        l1_instant_power_current: '2000',
        l1_voltage: '233',
        gas_meter_m3: '1523847',
        actual_tarif_group: '2',
        short_power_outages: '3',
      };
      return Object.entries(fields).map(([name, payload]) => ({ topic: `${root}/${name}`, payload }));
    },
  };
}
