import type { Cost, Period, PeriodCosts } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { DAY_MS } from '../../parts/durations.ts';
import { kwh, percent } from '../../parts/format.ts';
import { money } from '../../parts/money.ts';
import { daysName } from '../../parts/period.ts';
import { words } from '../../words/words.ts';

type Compared = NonNullable<Period['compared']>;

/** Of less of a time no share of it can be told. */
const MOSTLY = 0.9;
/** Changes that differ by less are the same change: standing charges, and the hours of the day at which energy was used. */
const OTHERWISE = 0.1;

/** How much more there is than then, as a share (-0.5: half of it); null: not to be told. */
interface Changes {
  energy: number | null;
  /** Only if it moved otherwise than the energy. */
  cost: number | null;
}

/** What has changed in energy, and in money if that moved otherwise. Costs without a price of some of their energy are not compared. Pure. */
export function changesOf(
  then: Pick<Compared['now'], 'kwh_used' | 'coverage'>,
  now: Pick<Compared['now'], 'kwh_used' | 'coverage'>,
  costs: { before: Cost; now: Cost },
): Changes {
  const isKnown = Math.min(then.coverage ?? 1, now.coverage ?? 1) >= MOSTLY;
  const energy = isKnown && then.kwh_used && now.kwh_used !== null ? now.kwh_used / then.kwh_used - 1 : null;
  const cost = isKnown ? costChange(costs.before, costs.now) : null;
  const isOtherwise = cost !== null && energy !== null && Math.abs(cost - energy) >= OTHERWISE;
  return { energy, cost: isOtherwise ? cost : null };
}

function costChange(before: Cost, now: Cost): number | null {
  if (!before || !now || before.currency !== now.currency) return null;
  if (before.missing_prices_kwh > 0 || now.missing_prices_kwh > 0) return null;
  // Of a home that earned then, or earns now, no share of it can be told.
  return Number(before.total) > 0 && Number(now.total) >= 0 ? Number(now.total) / Number(before.total) - 1 : null;
}

/** The days before, as they are called. */
export function beforeName({ unit, compared }: Period): string {
  const w = words().period.before;
  if (unit === 'day') return w.day;
  if (unit === 'week' || !compared?.before) return w.week;
  return w.month({
    weeks: Math.round((Date.parse(compared.now.start) - Date.parse(compared.before.start)) / (7 * DAY_MS)),
  });
}

/** The same days at another time, and what has changed since. Nothing where nothing is known of it. */
export function Then(props: {
  name: string;
  then: Compared['last_year'];
  now: Compared['now'];
  costs: PeriodCosts | null;
  which: 'before' | 'last_year';
}) {
  const { name, then, now, costs, which } = props;
  const w = words().period;
  if (then.kwh_used === null) return null;
  const cost = costs?.compared[which] ?? null;
  const changes = changesOf(then, now, { before: cost, now: costs?.compared.now ?? null });
  const inWords = (change: number) =>
    Math.abs(change) < 0.005 ? w.same : (change < 0 ? w.less : w.more)({ share: percent(Math.abs(change)) });
  const energy = changes.energy === null ? null : inWords(changes.energy);
  const said =
    (then.coverage ?? 1) < MOSTLY
      ? [w.partKnown({ share: percent(then.coverage ?? 0) })]
      : changes.cost === null
        ? [energy]
        : [w.energyChange({ change: energy ?? '' }), w.costChange({ change: inWords(changes.cost) })];
  return html`<div>
    <dt>${name}</dt>
    <dd class="big">${kwh(then.kwh_used)}</dd>
    ${cost && html`<dd class="money">${money(cost.total, cost.currency)}</dd>`}
    ${said.map((text) => text && html`<dd key=${text}><b>${text}</b></dd>`)}
    <dd class="quiet">${daysName(then.start, then.end)}</dd>
  </div>`;
}
