import type { Usage } from '#clients/typescript/client.ts';
import type { PriceCurve as Curve, Period } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { BarChart } from '../../parts/chart.ts';
import { formatKwh, HOUR_MS } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { Card, renderInlineMarkup } from '../../parts/ui.ts';
import { dateFormat, numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/** Number of hours of each day that are marked as the cheapest. */
const CHEAP_HOURS = 4;
/** Length in hours of the cheapest window that the page shows. */
const WINDOW_HOURS = 3;

interface Hour {
  ms: number;
  /** Local date of the hour's start, as YYYY-MM-DD. */
  date: string;
  price: number | null;
}

/** Returns the hours of a price curve. `starts_at` is ISO 8601 with the UTC offset of the home's time zone. */
const hoursOf = ({ hours }: Curve): Hour[] =>
  hours.map(({ starts_at, per_kwh }) => ({
    ms: Date.parse(starts_at),
    date: starts_at.slice(0, 10),
    price: per_kwh === null ? null : Number(per_kwh),
  }));

/** Returns the start (Unix ms) of the cheapest hours of each day. Hours whose price is unknown are ignored. */
export function findCheapestHours(hours: readonly Hour[]): Set<number> {
  const days = Map.groupBy(
    hours.filter(({ price }) => price !== null),
    ({ date }) => date,
  );
  return new Set(
    [...days.values()].flatMap((day) =>
      day
        .toSorted((a, b) => (a.price ?? 0) - (b.price ?? 0))
        .slice(0, CHEAP_HOURS)
        .map(({ ms }) => ms),
    ),
  );
}

/** Returns the consecutive future hours with the lowest mean price, and this price. Null if too few prices are known. */
export function findCheapestWindow(
  hours: readonly Hour[],
  nowMs: number,
): { fromMs: number; toMs: number; price: number } | null {
  let best: { fromMs: number; toMs: number; price: number } | null = null;
  for (const [at, { ms }] of hours.entries()) {
    const window = hours.slice(at, at + WINDOW_HOURS);
    const known = window.flatMap(({ price }) => (price === null ? [] : [price]));
    if (ms < nowMs || known.length < WINDOW_HOURS) continue;
    const price = known.reduce((sum, one) => sum + one, 0) / WINDOW_HOURS;
    if (best === null || price < best.price) best = { fromMs: ms, toMs: (window.at(-1)?.ms ?? ms) + HOUR_MS, price };
  }
  return best;
}

/**
 * Card with the electricity prices of today and tomorrow, and the home's usage in the same hours. Renders nothing without hourly prices.
 */
export function PriceCurveCard({ of: one }: { of: Period }) {
  const { user_id, timezone, now } = one;
  const today = now.slice(0, 10);
  const hour = now.slice(0, 13);
  const curve = useLoad(() => callApi<Curve>('GET', appendQuery('/v1/price-curve', { user_id })), [user_id, hour]);
  const isDynamic = (curve.value?.hours.length ?? 0) > 0;
  const used = useLoad(async () => {
    if (!isDynamic) return [];
    const query = { user_id, start: today, end: today, group_by: 'hour', tz: 'account' };
    return (await callApi<{ data: Usage[] }>('GET', appendQuery('/v1/energy-insights', query))).data;
  }, [user_id, hour, isDynamic]);
  if (!curve.value || !isDynamic) return null;
  const w = words().period.prices;
  const hours = hoursOf(curve.value);
  const currency = curve.value.currency ?? '';
  const format = numberFormat({ style: 'currency', currency, minimumFractionDigits: 3, maximumFractionDigits: 3 });
  const shown = (value: number) => format.format(value);
  const cheap = findCheapestHours(hours);
  const clock = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: timezone });
  const dayAndClock = dateFormat({
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  });
  const nowMs = Date.parse(now);
  const current = hours.findLast(({ ms }) => ms <= nowMs);
  const window = findCheapestWindow(hours, nowMs);
  const usedAt = new Map((used.value ?? []).map((row) => [Date.parse(row.starts_at ?? ''), row.kwh_used]));
  const bars = hours.map(({ ms, price }) => ({
    label: clock.format(ms) === '00:00' ? dayAndClock.format(ms) : clock.format(ms),
    name: dayAndClock.format(ms),
    value: price,
    estimated: 0,
    ...(price === null ? {} : { parts: cheap.has(ms) ? [0, price] : [price, 0] }),
  }));
  return html`<${Card} title=${w.title}>
    <p>
      ${current?.price != null && renderInlineMarkup(w.now({ price: shown(current.price) }))}${' '}
      ${window && renderInlineMarkup(w.cheapestFrom({ from: dayAndClock.format(window.fromMs), to: clock.format(window.toMs), price: shown(window.price) }))}
      ${hours.some(({ price, date }) => price === null && date > today) && ` ${w.tomorrowUnknown}`}
    </p>
    <${BarChart} title=${w.title} bars=${bars} currency=${currency} unit=${w.unit({ currency })} shown=${shown}
      parts=${[{ name: w.price, colour: '--mains' }, { name: w.cheapest, colour: '--accent' }]}
      over=${{ name: words().period.used, unit: 'kWh', values: hours.map(({ ms }) => usedAt.get(ms) ?? null), shown: formatKwh }} />
  <//>`;
}
