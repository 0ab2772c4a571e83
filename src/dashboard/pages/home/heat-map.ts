import { useEffect, useRef } from 'preact/hooks';
import type { Overview } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { kwh } from '../../parts/format.ts';

/** Monday to Sunday in the reader's language: 1 January 2024 was a Monday. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) =>
  new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day)),
);
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** When most is used: a table of weekday and hour, darker where more is used; the figures are in it, for who does not see colours. */
export function HeatMap({ cells, weeks }: { cells: Overview['week']['cells']; weeks: number }) {
  const box = useRef<HTMLDivElement>(null);
  // On a phone not all of the day fits: begin where it matters.
  useEffect(() => {
    const peak = box.current?.querySelector<HTMLElement>('.peak');
    if (peak && box.current) box.current.scrollLeft = peak.offsetLeft - box.current.clientWidth / 2;
  }, [cells.length > 0]);
  const most = cells.toSorted((a, b) => b.kwh_used - a.kwh_used)[0];
  if (!most) return html`<p class="quiet">Nothing is known yet.</p>`;
  const used = new Map(cells.map((cell) => [`${cell.weekday} ${cell.hour}`, cell.kwh_used]));
  const cellOf = (weekday: number, hour: number) => {
    const value = used.get(`${weekday} ${hour}`);
    const text = `${WEEKDAYS[weekday - 1]} ${hour}:00, ${value === undefined ? 'no data' : kwh(value)}`;
    const share = value === undefined || most.kwh_used === 0 ? 0 : Math.round((100 * value) / most.kwh_used);
    const background = `color-mix(in srgb, var(--accent) ${share}%, var(--raised))`;
    const isPeak = weekday === most.weekday && hour === most.hour;
    return html`<td class=${isPeak ? 'peak' : ''} style=${{ background }} title=${text}><span class="hidden">${value === undefined ? 'no data' : kwh(value)}</span></td>`;
  };
  return html`
    <p class="quiet">Most is used on ${WEEKDAYS[most.weekday - 1]} at ${most.hour}:00, on average ${kwh(most.kwh_used)}: means of the last ${weeks} weeks.</p>
    <div class="heat" ref=${box} tabindex="0" role="region" aria-label="Usage by weekday and hour">
      <table>
        <thead>
          <tr><th scope="col"><span class="hidden">Weekday</span></th>${HOURS.map(
            (hour) => html`<th scope="col">${hour % 3 === 0 ? hour : html`<span class="hidden">${hour}</span>`}</th>`,
          )}</tr>
        </thead>
        <tbody>
          ${WEEKDAYS.map((name, day) => html`<tr><th scope="row">${name}</th>${HOURS.map((hour) => cellOf(day + 1, hour))}</tr>`)}
        </tbody>
      </table>
    </div>`;
}
