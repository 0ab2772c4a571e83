import { useEffect, useRef } from 'preact/hooks';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { hourName, kwh, weekdayNames } from '../../parts/format.ts';
import { words } from '../../words/words.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** When most is used: a table of weekday and hour, darker where more is used; the figures are in it, for who does not see colours. */
export function HeatMap({ cells, weeks }: { cells: Period['week']['cells']; weeks: number }) {
  const box = useRef<HTMLDivElement>(null);
  // On a phone not all of the day fits: begin where it matters.
  useEffect(() => {
    const peak = box.current?.querySelector<HTMLElement>('.peak');
    if (peak && box.current) box.current.scrollLeft = peak.offsetLeft - box.current.clientWidth / 2;
  }, [cells.length > 0]);
  const most = cells.toSorted((a, b) => b.kwh_used - a.kwh_used)[0];
  if (!most) return html`<p class="quiet">${words().common.nothingKnown}</p>`;
  const { common, home } = words();
  const weekdays = weekdayNames();
  const used = new Map(cells.map((cell) => [`${cell.weekday} ${cell.hour}`, cell.kwh_used]));
  const cellOf = (weekday: number, hour: number) => {
    const value = used.get(`${weekday} ${hour}`);
    const text = `${weekdays[weekday - 1]} ${hourName(hour)}, ${value === undefined ? common.noData : kwh(value)}`;
    const share = value === undefined || most.kwh_used === 0 ? 0 : Math.round((100 * value) / most.kwh_used);
    const background = `color-mix(in srgb, var(--accent) ${share}%, var(--raised))`;
    const isPeak = weekday === most.weekday && hour === most.hour;
    return html`<td class=${isPeak ? 'peak' : ''} style=${{ background }} title=${text}><span class="hidden">${value === undefined ? common.noData : kwh(value)}</span></td>`;
  };
  return html`
    <p class="quiet">${home.heat.most({ weekday: weekdays[most.weekday - 1] ?? '', hour: hourName(most.hour), energy: kwh(most.kwh_used), weeks })}</p>
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
