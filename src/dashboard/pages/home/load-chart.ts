import { useEffect, useRef } from 'preact/hooks';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { BarChart } from '../../parts/chart.ts';
import { DAY_MS, formatHourOfDay, formatKwh, formatTime, formatWatts, listWeekdayNames } from '../../parts/format.ts';
import type { Bar } from '../../parts/paint-bars.ts';
import { Card, renderInlineMarkup } from '../../parts/ui.ts';
import { dateFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/** Load curve by quarter-hour of a day, or of the average day of a longer period, with its peak and its base load. */
export function LoadCurve({ of: shown }: { of: Period }) {
  const w = words().period;
  const { curve, peak, profile, unit, timezone } = shown;
  const isDay = unit === 'day';
  const title = isDay ? w.load : w.typicalDay({ days: typicalDays(shown) });
  const base = profile.base_watts ?? 0;
  const bars = curve.map(({ slot, watts: value, at }): Bar => {
    const clock = `${formatHourOfDay(Math.floor(slot / 4)).slice(0, -2)}${String((slot % 4) * 15).padStart(2, '0')}`;
    const isPeak = isDay && peak !== null && at !== null && Date.parse(at) === Date.parse(peak.at);
    return { label: clock, name: clock, value, estimated: 0, isMarked: isPeak };
  });
  return html`<${Card} title=${title}>
    <${BarChart} title=${title} bars=${bars} unit="W" shown=${formatWatts} threshold=${base > 0 ? base : undefined} mark=${isDay ? w.peak : undefined} />
    <p class="quiet small">
      ${peak && renderInlineMarkup(w.peakAt({ power: formatWatts(peak.watts), at: isDay ? clockOf(peak.at, timezone) : formatTime(peak.at, timezone) }))}
      ${base > 0 && ` ${w.baseLine({ power: formatWatts(base) })}`}
    </p>
  <//>`;
}

const clockOf = (at: string, zone: string): string =>
  dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone }).format(Date.parse(at));

/**
 * Returns the number of days from which the average day is computed: the days of the period that have begun, but at most `profile.days`.
 */
function typicalDays({ start, end, now, profile }: Period): number {
  const last = end < now.slice(0, 10) ? end : now.slice(0, 10);
  return Math.max(1, Math.min(profile.days, Math.round((Date.parse(last) - Date.parse(start)) / DAY_MS) + 1));
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Heat map of usage by weekday and hour. Each cell also contains the value. */
export function HeatMap({ cells, weeks }: { cells: Period['week']['cells']; weeks: number }) {
  const box = useRef<HTMLDivElement>(null);
  // On a narrow screen, scrolls to the hours with the highest usage.
  useEffect(() => {
    const peak = box.current?.querySelector<HTMLElement>('.peak');
    if (peak && box.current) box.current.scrollLeft = peak.offsetLeft - box.current.clientWidth / 2;
  }, [cells.length > 0]);
  const most = cells.toSorted((a, b) => b.kwh_used - a.kwh_used)[0];
  if (!most) return html`<p class="quiet">${words().common.nothingKnown}</p>`;
  const { common, home } = words();
  const weekdays = listWeekdayNames();
  const used = new Map(cells.map((cell) => [`${cell.weekday} ${cell.hour}`, cell.kwh_used]));
  const cellOf = (weekday: number, hour: number) => {
    const value = used.get(`${weekday} ${hour}`);
    const text = `${weekdays[weekday - 1]} ${formatHourOfDay(hour)}, ${value === undefined ? common.noData : formatKwh(value)}`;
    const share = value === undefined || most.kwh_used === 0 ? 0 : Math.round((100 * value) / most.kwh_used);
    const background = `color-mix(in srgb, var(--accent) ${share}%, var(--raised))`;
    const isPeak = weekday === most.weekday && hour === most.hour;
    return html`<td class=${isPeak ? 'peak' : ''} style=${{ background }} title=${text}><span class="hidden">${value === undefined ? common.noData : formatKwh(value)}</span></td>`;
  };
  return html`
    <p class="quiet">${home.heat.most({ weekday: weekdays[most.weekday - 1] ?? '', hour: formatHourOfDay(most.hour), energy: formatKwh(most.kwh_used), weeks })}</p>
    <div class="heat" ref=${box} tabindex="0" role="region" aria-label=${home.heat.label}>
      <table>
        <thead>
          <tr><th scope="col"><span class="hidden">${home.heat.weekday}</span></th>${HOURS.map(
            (hour) => html`<th scope="col">${hour % 3 === 0 ? hour : html`<span class="hidden">${hour}</span>`}</th>`,
          )}</tr>
        </thead>
        <tbody>
          ${weekdays.map((name, day) => html`<tr><th scope="row">${name}</th>${HOURS.map((hour) => cellOf(day + 1, hour))}</tr>`)}
        </tbody>
      </table>
    </div>`;
}
