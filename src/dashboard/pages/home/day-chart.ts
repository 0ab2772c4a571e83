import { useEffect, useRef } from 'preact/hooks';
import type { Usage } from '#clients/typescript/client.ts';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { callApi, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { type Bar, Bars, firstChartPx } from '../../parts/chart.ts';
import { moneyOf } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { Card, Loading } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** Length of the bars of a day. */
const DAY_ROWS = ['hour', 'quarter_hour'] as const;
export type DayRows = (typeof DAY_ROWS)[number];

const STORED = 'day-rows';
/** Returns the length that the owner chose last in this browser. */
export const storedDayRows = (): DayRows => DAY_ROWS.find((one) => one === localStorage.getItem(STORED)) ?? 'hour';
export const storeDayRows = (rows: DayRows): void => localStorage.setItem(STORED, rows);

/** A row of a home or of a device. */
type Row = Pick<Usage, 'starts_at' | 'kwh_used' | 'estimated_kwh' | 'cost'>;

/** Bar chart of a day's energy with its cost, by hour or by quarter-hour. */
export function DayBars({ of: one, rows, onRows }: { of: Period; rows: DayRows; onRows: (rows: DayRows) => void }) {
  const w = words().period;
  const { user_id, device_id, start, used } = one;
  const path = device_id === null ? '/v1/energy-insights' : `/v1/devices/${device_id}/usage`;
  const query = { start, end: start, group_by: rows, tz: 'account', include: 'estimated,cost' };
  const asked = withQuery(path, device_id === null ? { ...query, user_id } : query);
  const loaded = useLoad(() => callApi<{ data: Row[] }>('GET', asked), [asked]);
  // New readings change the total. The bars stay until the new ones arrive.
  const shown = useRef(used.kwh_used);
  useEffect(() => {
    if (shown.current === used.kwh_used) return;
    shown.current = used.kwh_used;
    loaded.again();
  }, [used.kwh_used]);
  const title = rows === 'hour' ? w.byHour : w.byQuarter;
  const choice = html`<div class="actions" role="group" aria-label=${w.barLength}>
    ${DAY_ROWS.map(
      (length) =>
        html`<button type="button" aria-pressed=${length === rows} onClick=${() => onRows(length)}>${length === 'hour' ? w.hours : w.quarters}</button>`,
    )}
  </div>`;
  return html`<${Card} title=${title} actions=${choice}>
    <${Loading} of=${loaded}>${({ data }: { data: Row[] }) => html`<${Bars} title=${title} bars=${dayBars(one.curve, data, rows)} heightPx=${firstChartPx()} />`}<//>
  <//>`;
}

/**
 * Returns a bar for each hour or quarter-hour of a day, including unknown and future ones. `curve`: the quarter-hours of the day. Pure
 * except for the locale.
 */
function dayBars(curve: Period['curve'], data: readonly Row[], rows: DayRows): Bar[] {
  const known = new Map(data.map((row) => [Date.parse(row.starts_at ?? ''), row]));
  return curve
    .filter(({ slot }) => rows === 'quarter_hour' || slot % 4 === 0)
    .map(({ at, slot }): Bar => {
      const row = known.get(Date.parse(at ?? ''));
      const clock = `${String(Math.floor(slot / 4)).padStart(2, '0')}:${String((slot % 4) * 15).padStart(2, '0')}`;
      return {
        label: clock,
        name: clock,
        value: row?.kwh_used ?? null,
        estimated: row?.estimated_kwh ?? 0,
        ...(row?.cost ? { cost: moneyOf(row.cost) } : {}),
      };
    });
}
