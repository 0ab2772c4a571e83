import { useEffect, useRef, useState } from 'preact/hooks';
import type { Usage } from '#clients/typescript/client.ts';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { BarChart, type BarSegment, getFirstChartHeightPx } from '../../parts/chart.ts';
import { DAY_MS, formatCostWithNotes } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import type { Bar } from '../../parts/paint-bars.ts';
import { formatPeriod, getLastDay, type Period as Shown, shiftPeriod } from '../../parts/period.ts';
import { Card, LoadedContent } from '../../parts/ui.ts';
import { dateFormat, numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { getEnergySources } from './sources.ts';
import { formatPrecedingDays } from './summary.ts';

/** Selectable lengths of time for a bar in the chart of a day. */
const DAY_ROWS = ['hour', 'quarter_hour'] as const;
export type DayRowLength = (typeof DAY_ROWS)[number];
/** What the bars can show: energy or cost. */
const READINGS = ['energy', 'cost'] as const;
type Reading = (typeof READINGS)[number];

/** Returns two functions that read and store the user's choice in this browser. The default is the first value. */
const stored = <One extends string>(key: string, among: readonly [One, ...One[]]) => ({
  get: (): One => among.find((one) => one === localStorage.getItem(key)) ?? among[0],
  set: (one: One): void => localStorage.setItem(key, one),
});
export const dayRowLengthSetting = stored('day-rows', DAY_ROWS);
const storedReading = stored('chart-reading', READINGS);

/** The usage of a home or device in an hour, day or month. */
type Row = Omit<Usage, 'peak_hour'>;

/** Returns the days of the earlier period that is drawn behind the displayed one, or null. */
function ghostDays({ unit, start, end, compared }: Period): { start: string; end: string } | null {
  if (!compared) return null;
  if (unit === 'year') {
    const before = shiftPeriod({ unit, start }, -1);
    return { start: before.start, end: getLastDay(before) };
  }
  if (!compared.before) return null;
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const length = Date.parse(end) - Date.parse(start);
  // The earlier days must end before the displayed period begins.
  const last = Math.min(Date.parse(compared.before.start) + length, Date.parse(start) - DAY_MS);
  return { start: compared.before.start, end: dayOf(last) };
}

const INCLUDE = {
  home: 'estimated,cost,grid_export,production,charged,discharged',
  device: 'estimated,cost',
  producer: 'estimated,production',
} as const;

/** Requests the usage in a range of days. Without a range, the result is empty. */
function useRows(of: Period, days: { start: string; end: string } | null, groupBy: string) {
  const { user_id, device_id, is_production } = of;
  const include = INCLUDE[device_id === null ? 'home' : is_production ? 'producer' : 'device'];
  const query = { ...days, group_by: groupBy, tz: 'account', include };
  const path = device_id === null ? '/v1/energy-insights' : `/v1/devices/${device_id}/usage`;
  const asked = days && appendQuery(path, device_id === null ? { ...query, user_id } : query);
  return useLoad(async () => (asked === null ? [] : (await callApi<{ data: Row[] }>('GET', asked)).data), [asked]);
}

/**
 * Bar chart of a period: energy by source, or cost, with the bars of an earlier period behind. `onShow` is called with the day or month of
 * a selected bar.
 */
export function UsageChart(props: {
  of: Period;
  rows: DayRowLength;
  onRows: (rows: DayRowLength) => void;
  onShow: (period: Shown) => void;
}) {
  const { of: one, rows, onRows, onShow } = props;
  const w = words().period;
  const [chosen, setChosen] = useState(storedReading.get);
  const length = one.unit === 'day' ? rows : one.unit === 'year' ? 'month' : 'day';
  const loaded = useRows(one, { start: one.start, end: one.end }, length);
  const before = useRows(one, ghostDays(one), length);
  // If new readings have changed the period's total, loads the bars again. The previous bars are shown meanwhile.
  const { kwh_used } = one.used;
  const shownTotal = useRef(kwh_used);
  useEffect(() => {
    if (shownTotal.current === kwh_used) return;
    shownTotal.current = kwh_used;
    loaded.again();
  }, [kwh_used]);
  const currency = loaded.value?.find(({ cost }) => cost)?.cost?.currency;
  const reading: Reading = currency === undefined ? 'energy' : chosen;
  const title = (reading === 'cost' ? w.costBy : w.usageBy)[length];
  const choose = (next: Reading) => {
    storedReading.set(next);
    setChosen(next);
  };
  const choices = html`<div class="actions">
    ${currency !== undefined && html`<${Choice} label=${w.reading} of=${[['energy', 'kWh'], ['cost', symbolOf(currency)]]} chosen=${reading} onChoose=${choose} />`}
    ${one.unit === 'day' && html`<${Choice} label=${w.barLength} of=${[['hour', w.hours], ['quarter_hour', w.quarters]]} chosen=${rows} onChoose=${onRows} />`}
  </div>`;
  return html`<${Card} title=${title} actions=${choices}>
    <${LoadedContent} of=${loaded}>${(data: Row[]) => {
      const { bars, parts, picks } = chartOf(one, { data, before: before.value ?? [], length, reading });
      const ghost = bars.some((bar) => bar.ghost != null) ? ghostName(one) : undefined;
      const onPick = (index: number) => picks[index] && onShow(picks[index]);
      return html`<${BarChart} title=${title} bars=${bars} parts=${parts} ghost=${ghost} heightPx=${getFirstChartHeightPx()}
        currency=${reading === 'cost' ? currency : undefined} onPick=${picks.length > 0 ? onPick : undefined} />`;
    }}<//>
  <//>`;
}

/** Group of buttons. Exactly one of them is pressed. */
function Choice<One extends string>(props: {
  label: string;
  of: [One, string][];
  chosen: One;
  onChoose: (one: One) => void;
}) {
  return html`<div class="segments" role="group" aria-label=${props.label}>
    ${props.of.map(([one, name]) => html`<button type="button" aria-pressed=${one === props.chosen} onClick=${() => props.onChoose(one)}>${name}</button>`)}
  </div>`;
}

const symbolOf = (currency: string): string =>
  numberFormat({ style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency;

const ghostName = (one: Period): string =>
  one.unit === 'year' ? formatPeriod(shiftPeriod({ unit: 'year', start: one.start }, -1)) : formatPrecedingDays(one);

/** A position on the axis of the chart, for which there may be no data. */
interface Place {
  /**
   * `key`: date or time of the row at this position. `ghostKey`: date or time of the row of the earlier period with which it is compared.
   */
  key: string;
  ghostKey: string;
  label: string;
  name: string;
}

/** Returns the bars of a period, the names of their layers, and the period that a click on each bar opens. */
function chartOf(
  one: Period,
  shown: { data: readonly Row[]; before: readonly Row[]; length: string; reading: Reading },
): { bars: Bar[]; parts: readonly BarSegment[]; picks: Shown[] } {
  const { data, before, length, reading } = shown;
  const periods = one.unit === 'day' ? [] : periodsIn(one);
  const places = one.unit === 'day' ? dayPlaces(one.curve, length) : periods.map((period) => placeOf(period, one));
  const known = new Map(data.map((row) => [row.starts_at ? String(Date.parse(row.starts_at)) : row.date, row]));
  const compared = new Map(before.map((row) => [row.time ?? row.hour ?? row.date, row]));
  const layers = layersOf(one, data, reading);
  const bars = places.map((place): Bar => {
    const row = known.get(place.key);
    const then = compared.get(place.ghostKey);
    const value = row ? shownValue(row, one, reading) : null;
    const estimated = reading === 'cost' ? Number(row?.cost?.estimated ?? 0) : (row?.estimated_kwh ?? 0);
    return {
      label: place.label,
      name: place.name,
      value,
      estimated,
      ...(reading === 'energy' && row?.cost ? { cost: formatCostWithNotes(row.cost) } : {}),
      ...(row && value !== null && layers.length > 0 ? { parts: layers.map((layer) => layer.value(row)) } : {}),
      ghost: then ? shownValue(then, one, reading) : null,
    };
  });
  return { bars, parts: layers, picks: periods };
}

function shownValue(row: Row, { is_production }: Period, reading: Reading): number | null {
  if (reading === 'cost') return row.cost ? Number(row.cost.total) : null;
  return (is_production ? row.production_kwh : row.kwh_used) ?? null;
}

type Layer = BarSegment & { value: (row: Row) => number };

/** Returns the layers of the bars: sources of energy, or parts of the cost. Empty if all bars have the same single layer. */
function layersOf(one: Period, data: readonly Row[], reading: Reading): Layer[] {
  if (one.device_id !== null) return [];
  const { sources: w, costParts: named } = words().period;
  const cost = (amount: string | undefined) => Number(amount ?? 0);
  const layers: Layer[] =
    reading === 'energy'
      ? [
          { name: w.grid, colour: '--mains', value: (row) => getEnergySources(row).grid },
          { name: w.sun, colour: '--sun', value: (row) => getEnergySources(row).sun },
          { name: w.battery, colour: '--battery', value: (row) => getEnergySources(row).battery },
          { name: w.exported, colour: '--mains-out', value: (row) => -getEnergySources(row).exported },
          { name: w.charged, colour: '--battery-out', value: (row) => -getEnergySources(row).charged },
        ]
      : [
          {
            name: named.standing,
            colour: '--quiet',
            value: (row) => cost(row.cost?.standing) + cost(row.cost?.capacity),
          },
          { name: named.import, colour: '--mains', value: (row) => cost(row.cost?.import) },
          { name: named.export, colour: '--sun', value: (row) => -cost(row.cost?.export) },
        ];
  const used = layers.filter((layer) => data.some((row) => Math.abs(layer.value(row)) > 0));
  return used.length > 1 ? used : [];
}

/** Returns the positions of a day's hours or quarter-hours on the axis. An hour that occurs twice has two positions. */
const dayPlaces = (curve: Period['curve'], length: string): Place[] =>
  curve
    .filter(({ slot }) => length === 'quarter_hour' || slot % 4 === 0)
    .map(({ at, slot }) => {
      const clock = `${String(Math.floor(slot / 4)).padStart(2, '0')}:${String((slot % 4) * 15).padStart(2, '0')}`;
      return { key: String(Date.parse(at ?? '')), ghostKey: clock, label: clock, name: clock };
    });

/** Returns the days or months of a period in order, future ones included. */
function periodsIn({ start, end, unit }: Period): Shown[] {
  const all: Shown[] = [];
  const part = unit === 'year' ? 'month' : 'day';
  for (let one: Shown = { unit: part, start }; one.start <= end; one = shiftPeriod(one, 1)) all.push(one);
  return all;
}

function placeOf(period: Shown, one: Period): Place {
  const format: Intl.DateTimeFormatOptions =
    period.unit === 'month'
      ? { month: 'short' }
      : one.unit === 'week'
        ? { weekday: 'short', day: 'numeric' }
        : { day: 'numeric' };
  const ms = Date.parse(period.start);
  const back = one.compared?.before ? Date.parse(one.start) - Date.parse(one.compared.before.start) : 0;
  const ghostKey =
    one.unit === 'year'
      ? shiftPeriod({ unit: 'year', start: period.start }, -1).start
      : new Date(ms - back).toISOString().slice(0, 10);
  return {
    key: period.start,
    ghostKey,
    label: dateFormat({ ...format, timeZone: 'UTC' }).format(ms),
    name: formatPeriod(period),
  };
}
