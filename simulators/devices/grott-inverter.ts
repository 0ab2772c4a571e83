import { formatLocalTime } from '../local-time.ts';
import { type FamilyDevice, getRegisterAt } from './family-device.ts';

/**
 * Grott with an inverter without a battery. It sends records with local time and raw numbers. The home's energy register, in tenths of a
 * kWh, is used as the production.
 *
 * @param options.serial Serial number of the inverter.
 * @param options.tz IANA time zone of the datalogger's clock.
 */
export function grottInverter({ serial, tz }: { serial: string; tz: string }): FamilyDevice {
  return {
    family: 'growatt',
    nativeId: serial,
    greeting: () => [],
    messages(home, atMs) {
      const tenths = Math.floor(getRegisterAt(home, atMs) / 100_000);
      const watts = Math.round(home.at(atMs).powerW * 10);
      const values = {
        datalogserial: 'XGD1234567',
        pvserial: serial,
        pvstatus: 1,
        pvpowerin: Math.round(watts * 1.03),
        pvpowerout: watts,
        pvfrequentie: 4998,
        pvgridvoltage: 2329,
        pvenergytoday: tenths % 100,
        pvenergytotal: tenths,
        epvtotal: Math.round(tenths * 1.03),
      };
      const record = { device: serial, time: formatLocalTime(atMs, tz), buffered: 'no', values };
      return [{ topic: 'energy/growatt', payload: JSON.stringify(record) }];
    },
  };
}
