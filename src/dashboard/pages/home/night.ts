import type { Period, PeriodCosts } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, watts } from '../../parts/format.ts';
import { moneyAbout } from '../../parts/money.ts';
import { rich } from '../../parts/rich.ts';
import { words } from '../../words/words.ts';

const NIGHTLY_HOURS = 5;
const DAYS_OF_YEAR = 365;
const HOURS_OF_YEAR = 8_766;
/** A load that nobody would look for. */
export const MIN_NIGHT_WATTS = 1;
/** A device with a smaller share of the night does not explain it. */
const MIN_SHARE = 0.3;

/** The load of a home at night in W, and the device that most of it goes to; `device` null: no device that is measured by itself explains it. */
interface NightLoad {
  watts: number;
  device: Period['devices'][number] | null;
}

/** What there is to say of the nights of a home; null if nothing is known of them, or nothing is used. Pure. */
export function nightLoadOf({ profile, devices }: Pick<Period, 'profile' | 'devices'>): NightLoad | null {
  const home = profile.night_watts;
  if (home === null || home < MIN_NIGHT_WATTS) return null;
  const [most] = devices
    .filter(({ placement, is_gone }) => placement === 'consumption' && !is_gone)
    .toSorted((a, b) => (b.night_watts ?? 0) - (a.night_watts ?? 0));
  const load = most?.night_watts ?? 0;
  return most && load >= MIN_NIGHT_WATTS && load >= MIN_SHARE * home
    ? { watts: load, device: most }
    : { watts: home, device: null };
}

/** Cost of a load in W over a year by what a kilowatt costs over its hours, without the cents that nobody can know. */
export const yearly = (load: number, of: { amount: number; currency: string }): string =>
  moneyAbout((load * of.amount) / 1_000, of.currency);

/** The load at night in a sentence. The night says most of what is wasted: nobody is at it then. */
export function Night({ of, costs }: { of: Period; costs: PeriodCosts | null }) {
  const w = words().period;
  const night = nightLoadOf(of);
  if (!night) return null;
  const energy = kwh((night.watts * NIGHTLY_HOURS * DAYS_OF_YEAR) / 1_000, 0);
  const { currency, night_amount: amount = null } = costs?.kilowatt_year ?? {};
  const money =
    currency === undefined || amount === null
      ? null
      : yearly((night.watts * NIGHTLY_HOURS * DAYS_OF_YEAR) / HOURS_OF_YEAR, { amount, currency });
  const { device } = night;
  if (!device) return html`<p>${rich(w.nightUnexplained({ power: watts(night.watts), energy }))}</p>`;
  return html`<p>${rich(
    money === null
      ? w.nightMost({ device: device.location, power: watts(night.watts), energy })
      : w.nightMostCost({ device: device.location, power: watts(night.watts), energy, money }),
  )}</p>`;
}
