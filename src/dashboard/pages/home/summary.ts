import type { Cost, Period, PeriodCosts } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { DAY_MS, formatKwh, formatMoneyAmount, formatPercent, formatWatts } from '../../parts/format.ts';
import { formatDayRange } from '../../parts/period.ts';
import { dateFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { formatYearlyCost } from './consumers.ts';
import { ElectricityTotal } from './figure.ts';
import { findSelfConsumption } from './flows.ts';
import { CurrentPowerCard } from './now.ts';

const HOURS_OF_YEAR = 8_766;
/** The main numbers of a period, and those of the preceding days. For a current period, the current power comes first. */
export function MainPeriodFigures({
  of: shown,
  costs,
  onStale,
}: {
  of: Period;
  costs: PeriodCosts | null;
  onStale: () => void;
}) {
  const { period: w } = words();
  const { used, compared, unit, start, end, now } = shown;
  const today = now.slice(0, 10);
  const isOver = end < today;
  const last = isOver ? end : today;
  const ofDevice = shown.device_id !== null;
  const name = shown.is_production ? (isOver ? w.produced : w.producedSoFar) : isOver ? w.used : w.usedSoFar;
  // The dialog with the readings behind a total is not available for a device or a year.
  const opens = ofDevice || unit === 'year' ? null : { userId: shown.user_id, days: { start, end: last }, isOver };
  return html`<dl class="figures lead">
    ${!ofDevice && !isOver && html`<${CurrentPowerCard} of=${shown} onStale=${onStale} />`}
    <${ElectricityTotal} name=${name} used=${used} of=${opens} cost=${costs?.used ?? null} />
    ${compared?.before && html`<${Then} name=${formatPrecedingDays(shown)} then=${compared.before} of=${shown} costs=${costs} which="before" />`}
  </dl>`;
}

/**
 * Further numbers of a period: the usage a year before, the base load, and the share of the usage that came from the home's own production.
 */
export function PeriodSummary({ of: shown, costs }: { of: Period; costs: PeriodCosts | null }) {
  const { home, period: w } = words();
  const { used, compared, profile, flows } = shown;
  const own = flows && findSelfConsumption(flows, used.kwh_used);
  const ofDevice = shown.device_id !== null;
  return html`<dl class="figures">
    ${compared && html`<${Then} name=${w.lastYear} then=${compared.last_year} of=${shown} costs=${costs} which="last_year" />`}
    ${
      profile.base_watts !== null &&
      (profile.base_watts > 0 || ofDevice) &&
      html`<div>
        <dt>${w.base}</dt>
        <dd class="big">${formatWatts(profile.base_watts)}</dd>
        ${profile.base_watts > 0 && html`<dd class="quiet">${w.baseAYear({ energy: formatKwh((profile.base_watts * HOURS_OF_YEAR) / 1_000, 0) })}</dd>`}
        ${profile.base_watts > 0 && costs?.kilowatt_year && html`<dd class="quiet">${w.baseCost({ money: formatYearlyCost(profile.base_watts, costs.kilowatt_year) })}</dd>`}
      </div>`
    }
    ${
      own &&
      html`<div>
        <dt>${home.flows.autarky}</dt>
        <dd class="big">${formatPercent(own.share)}</dd>
        <dd class="quiet">${w.ownUsed({ energy: formatKwh(own.kwh) })}</dd>
        ${own.storedKwh !== null && html`<dd class="quiet">${w.stored({ energy: formatKwh(own.storedKwh) })}</dd>`}
      </div>`
    }
  </dl>
  ${compared && isKnown(compared.last_year, compared.before) && html`<p class="quiet small">${w.likeWithLike}</p>`}`;
}

type Compared = NonNullable<Period['compared']>;

const isKnown = (...some: (Compared['last_year'] | null)[]) => some.some((one) => one && one.kwh_used !== null);

/** A change is shown in percent only if both periods have data for at least this share of the time. */
const MOSTLY = 0.9;
/** The change of the cost is shown only if the relative changes of cost and energy differ by at least this much. */
const OTHERWISE = 0.1;

/** Changes relative to an earlier period (-0.5: half as much). A change is null if it cannot be computed. */
interface Changes {
  energy: number | null;
  /** Change of the cost; null if it hardly differs from the change of the energy. */
  cost: number | null;
}

/**
 * Returns the relative change of the energy, and that of the cost if it differs clearly. Costs are not compared if some energy has no
 * price.
 */
export function computeRelativeChanges(
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
  // A percentage is meaningless if the home earned money in one of the periods.
  return Number(before.total) > 0 && Number(now.total) >= 0 ? Number(now.total) / Number(before.total) - 1 : null;
}

/** Returns the display name of the days with which a period is compared. */
export function formatPrecedingDays({ unit, compared }: Period): string {
  const w = words().period.before;
  if (unit === 'day') return w.day;
  if (unit === 'week' || !compared?.before) return w.week;
  return w.month({
    weeks: Math.round((Date.parse(compared.now.start) - Date.parse(compared.before.start)) / (7 * DAY_MS)),
  });
}

const QUARTER_HOUR_MS = 900_000;

/**
 * Returns the local time of day at which the compared days end: the end of the last quarter-hour before the newest reading. Null if the
 * period is over.
 */
function cutOf({ end, now, newest_at, timezone }: Period): string | null {
  const cutMs = Math.min(Date.parse(now), newest_at === null ? Number.POSITIVE_INFINITY : Date.parse(newest_at));
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(cutMs);
  if (day > end) return null;
  return dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: timezone }).format(
    Math.floor(cutMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS,
  );
}

/** Comparison of a period with an earlier one. Renders nothing if the earlier usage is unknown. */
function Then(props: {
  name: string;
  then: Compared['last_year'];
  of: Period;
  costs: PeriodCosts | null;
  which: 'before' | 'last_year';
}) {
  const { name, then, of, costs, which } = props;
  const w = words().period;
  if (then.kwh_used === null || !of.compared) return null;
  const { now } = of.compared;
  const until = cutOf(of);
  const days = formatDayRange(then.start, then.end);
  const cost = costs?.compared[which] ?? null;
  const changes = computeRelativeChanges(then, now, { before: cost, now: costs?.compared.now ?? null });
  const inWords = (change: number) =>
    Math.abs(change) < 0.005 ? w.same : (change < 0 ? w.less : w.more)({ share: formatPercent(Math.abs(change)) });
  const energy = changes.energy === null ? null : inWords(changes.energy);
  const sentences =
    (then.coverage ?? 1) < MOSTLY
      ? [w.partKnown({ share: formatPercent(then.coverage ?? 0) })]
      : changes.cost === null
        ? [energy]
        : [w.energyChange({ change: energy ?? '' }), w.costChange({ change: inWords(changes.cost) })];
  return html`<div>
    <dt>${name}</dt>
    <dd class="big">${formatKwh(then.kwh_used)}</dd>
    ${cost && html`<dd class="money">${formatMoneyAmount(cost.total, cost.currency)}</dd>`}
    ${sentences.map((text) => text && html`<dd key=${text}><b>${text}</b></dd>`)}
    <dd class="quiet">${until === null ? days : w.upTo({ days, time: until })}</dd>
  </div>`;
}
