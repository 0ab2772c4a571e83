import type { Period, PeriodCosts } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh, percent, watts } from '../../parts/format.ts';
import { words } from '../../words/words.ts';
import { beforeName, Then } from './compared.ts';
import { Figure } from './figure.ts';
import { ownUseOf } from './flows.ts';
import { yearly } from './night.ts';
import { Now } from './now.ts';

const HOURS_OF_YEAR = 8_766;
/** What was used, beside the same days before and a year before; what never ends; how much came from the roof. */
export function Summary({ of: shown, costs, onStale }: { of: Period; costs: PeriodCosts | null; onStale: () => void }) {
  const { home, period: w } = words();
  const { used, compared, profile, flows, unit, start, end, now } = shown;
  const own = flows && ownUseOf(flows, used.kwh_used);
  const today = now.slice(0, 10);
  const isOver = end < today;
  const last = isOver ? end : today;
  const ofDevice = shown.device_id !== null;
  const name = shown.is_production ? (isOver ? w.produced : w.producedSoFar) : isOver ? w.used : w.usedSoFar;
  // A device has nothing to be taken apart, and a year is too long to say of each reading what became of it.
  const opens = ofDevice || unit === 'year' ? null : { userId: shown.user_id, days: { start, end: last }, isOver };
  return html`<dl class="figures">
    ${!ofDevice && html`<${Now} of=${shown} onStale=${onStale} key=${shown.user_id} />`}
    <${Figure} name=${name} used=${used} of=${opens} cost=${costs?.used ?? null} />
    ${compared?.before && html`<${Then} name=${beforeName(shown)} then=${compared.before} now=${compared.now} costs=${costs} which="before" />`}
    ${compared && html`<${Then} name=${w.lastYear} then=${compared.last_year} now=${compared.now} costs=${costs} which="last_year" />`}
    ${
      profile.base_watts !== null &&
      (profile.base_watts > 0 || ofDevice) &&
      html`<div>
        <dt>${w.base}</dt>
        <dd class="big">${watts(profile.base_watts)}</dd>
        ${profile.base_watts > 0 && html`<dd class="quiet">${w.baseAYear({ energy: kwh((profile.base_watts * HOURS_OF_YEAR) / 1_000, 0) })}</dd>`}
        ${profile.base_watts > 0 && costs?.kilowatt_year && html`<dd class="quiet">${w.baseCost({ money: yearly(profile.base_watts, costs.kilowatt_year) })}</dd>`}
      </div>`
    }
    ${
      own &&
      html`<div>
        <dt>${home.flows.autarky}</dt>
        <dd class="big">${percent(own.share)}</dd>
        <dd class="quiet">${w.ownUsed({ energy: kwh(own.kwh) })}</dd>
        ${own.storedKwh !== null && html`<dd class="quiet">${w.stored({ energy: kwh(own.storedKwh) })}</dd>`}
      </div>`
    }
  </dl>
  ${compared && isKnown(compared.last_year, compared.before) && html`<p class="quiet small">${w.likeWithLike}</p>`}`;
}

type Compared = NonNullable<Period['compared']>;

const isKnown = (...some: (Compared['last_year'] | null)[]) => some.some((one) => one && one.kwh_used !== null);
