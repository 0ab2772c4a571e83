import { HOUR_MS } from '#src/core/units.ts';
import { getRegisterAt } from './devices/family-device.ts';
import type { SimulatedHome } from './home-clock.ts';
import { formatLocalTime } from './local-time.ts';

/** The home's energy register, split by tariff. The sum of the two parts is exactly the home's register. */
export interface TariffRegisters {
  lowMilliwattHours: number;
  highMilliwattHours: number;
}

/** Whether the Dutch low tariff applies: from 23 to 7 o'clock and at weekends, in the time zone `tz`. */
function isLowTariff(atMs: number, tz: string): boolean {
  const time = formatLocalTime(atMs, tz);
  const hour = Number(time.slice(11, 13));
  const weekday = new Date(`${time.slice(0, 10)}T00:00Z`).getUTCDay();
  return hour >= 23 || hour < 7 || weekday === 0 || weekday === 6;
}

/**
 * Returns a function that splits the energy register of a home by tariff, hour by hour. Calls with ascending times are fast. Only for time
 * zones with whole-hour offsets.
 */
export function createTariffSplitter(home: SimulatedHome, tz: string): (atMs: number) => TariffRegisters {
  const firstHourMs = Math.floor(home.installedAtMs / HOUR_MS) * HOUR_MS;
  let hourMs = firstHourMs;
  let before: TariffRegisters = { lowMilliwattHours: 0, highMilliwattHours: 0 };
  const until = (endMs: number): TariffRegisters => {
    const used = getRegisterAt(home, endMs) - getRegisterAt(home, hourMs);
    const low = isLowTariff(hourMs, tz);
    return {
      lowMilliwattHours: before.lowMilliwattHours + (low ? used : 0),
      highMilliwattHours: before.highMilliwattHours + (low ? 0 : used),
    };
  };
  return (atMs) => {
    if (atMs < hourMs) {
      hourMs = firstHourMs;
      before = { lowMilliwattHours: 0, highMilliwattHours: 0 };
    }
    while (hourMs + HOUR_MS <= atMs) {
      before = until(hourMs + HOUR_MS);
      hourMs += HOUR_MS;
    }
    return until(atMs);
  };
}
