import { useCallback, useRef, useState } from 'preact/hooks';
import type { Period, PeriodCosts } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../api.ts';
import { type Children, html } from '../html.ts';
import { useReadingChanges } from '../parts/changes.ts';
import { type FileChoice, FileMenu } from '../parts/file-menu.ts';
import { formatDay } from '../parts/format.ts';
import { useLoad } from '../parts/load.ts';
import {
  formatPeriod,
  formatPeriodForUrl,
  getLastDay,
  getPeriodForPage,
  getTodayInZone,
  type Period as Shown,
  shiftPeriod,
} from '../parts/period.ts';
import { Badge, Card, LoadedContent, LoadingFailed, RelativeTime, useCurrentTimeMs } from '../parts/ui.ts';
import { type PageLink, usePageLink, useSession } from '../session.ts';
import { type Words, words } from '../words/words.ts';
import { RoomClimateCard } from './devices/climate.ts';
import { CommodityCards, PeriodChooser, usePeriodNavigation } from './home/chooser.ts';
import { ConsumersCard } from './home/consumers.ts';
import { FirstSteps, NoDataNotice } from './home/first-steps.ts';
import { EnergyFlowDiagram } from './home/flows.ts';
import { ForecastCard } from './home/forecast.ts';
import { HeatMap, LoadCurve } from './home/load-chart.ts';
import { LivePowerProvider } from './home/now.ts';
import { PriceCurveCard } from './home/price-curve.ts';
import { RemarksCard } from './home/remarks.ts';
import { MainPeriodFigures, PeriodSummary } from './home/summary.ts';
import { MeterSwapQuestions } from './home/swaps.ts';
import { type DayRowLength, dayRowLengthSetting, UsageChart } from './home/usage-chart.ts';

/** Page of a home in a period: its usage, the cost, and the usage of each device. */
export function Page() {
  const { rest } = useSession();
  return html`
    <h1 class="hidden">${words().common.pages.home}</h1>
    <${PeriodView} page="home" address=${rest} />`;
}

/**
 * View of a period of a home or of one device. New readings update it. `page`: path without the period. `address`: the period, or '' for
 * today. `computed`: a value that changes when past consumption was recomputed.
 */
export function PeriodView(props: {
  page: string;
  address: string;
  deviceId?: string;
  computed?: number;
  children?: Children;
}) {
  const { page, address, deviceId, computed } = props;
  const { user, move } = useSession();
  const w = words();
  const today = getTodayInZone(user.timezone);
  const shown: Shown = getPeriodForPage(address, today);
  const [dayRows, setDayRows] = useState(dayRowLengthSetting.get);
  const chooseRows = (rows: DayRowLength) => {
    dayRowLengthSetting.set(rows);
    setDayRows(rows);
  };
  const { period, value, costs, again, isLive } = usePeriod(shown, deviceId, computed);
  const show = (next: Shown) => move(`${page}/${formatPeriodForUrl(next)}`);
  const first = value?.first_date ?? null;
  const step = (by: number) => {
    const next = shiftPeriod(shown, by);
    if (next.start <= today && (first === null || getLastDay(next) >= first)) show(next);
  };
  const box = usePeriodNavigation(step);
  const follow = usePageLink();
  return html`<div class="period" ref=${box} aria-busy=${period.isLoading && period.value === null}>
    <${LoadedContent} of=${{ ...period, value }}>
      ${(one: Period) => {
        const money = period.value ? costs.value : null;
        return html`
          <p class="quiet small status">
            <${Liveness} isListening=${isLive} newestAt=${one.newest_at} />${' '}
            ${one.newest_at && html`${w.home.lastReading} <${RelativeTime} at=${one.newest_at} zone=${one.timezone} />. `}<span class="zone">${words().common.timesIn({ zone: one.timezone })}</span>
          </p>
          ${props.children}
          <${MeterSwapQuestions} userId=${user.user_id} deviceId=${deviceId} zone=${one.timezone} newestAt=${one.newest_at} onAnswered=${again} />
          <${Electricity} of=${one} costs=${money} rows=${dayRows} onRows=${chooseRows} show=${show} follow=${follow} onStale=${period.again}>
            ${period.error === null && costs.error !== null && html`<${LoadingFailed} text=${w.home.costsFailed({ reason: costs.error })} onAgain=${costs.again} />`}
            ${money?.has_tariff === false && one.used.kwh_used !== null && html`<p class="quiet"><a ...${follow('tariffs')}>${w.home.addTariff}</a></p>`}
            ${deviceId === undefined && html`<${ConsumersCard} of=${one} costs=${money} follow=${follow} />`}
          <//>
          ${
            // Cards about the present are shown only for a period that contains today.
            deviceId === undefined &&
            one.end >= today &&
            html`${costs.value?.has_tariff && html`<${PriceCurveCard} of=${one} />`}<${RemarksCard} userId=${user.user_id} hour=${one.now.slice(0, 13)} /><${ForecastCard} userId=${user.user_id} hour=${one.now.slice(0, 13)} />`
          }
          ${one.unit === 'day' || one.unit === 'week' ? one.thermostats.map((thermostat) => html`<${RoomClimateCard} key=${thermostat.device_id} of=${one} thermostat=${thermostat} />`) : null}
          ${one.flows && html`<${EnergyFlowDiagram} flows=${one.flows} used=${one.used.kwh_used} devices=${one.devices} title=${formatPeriod({ unit: one.unit, start: one.start })} />`}
          <${CommodityCards} of=${one.commodities} />
          ${one.used.kwh_used !== null && html`<${UsageDownload} userId=${user.user_id} deviceId=${deviceId ?? ''} days=${daysOf(one)} groupBy=${one.unit === 'day' ? dayRows : ROWS[one.unit]} />`}
          ${one.week.cells.length > 0 && html`<${Card} title=${w.period.week}><${HeatMap} cells=${one.week.cells} weeks=${one.week.weeks} /><//>`}
        `;
      }}
    <//>
    <${PeriodChooser} period=${shown} today=${today} first=${first} onShow=${show} />
  </div>`;
}

/**
 * Loads a period of the selected home or of one device, and its costs. Loads both again after each new reading. `value`: the loaded period;
 * until it is loaded, the previous one. `isLive`: whether the page is notified of new readings.
 */
function usePeriod({ unit, start }: Shown, deviceId: string | undefined, computed: number | undefined) {
  const { user_id, timezone } = useSession().user;
  const asked = { user_id, device_id: deviceId, unit, date: start };
  const keys = [user_id, timezone, deviceId, unit, start, computed];
  const period = useLoad(() => callApi<Period>('GET', appendQuery('/v1/period', asked)), keys);
  // Costs are requested separately, because they take longer.
  const costs = useLoad(() => callApi<PeriodCosts>('GET', appendQuery('/v1/period-costs', asked)), keys);
  const again = useCallback(() => {
    period.again();
    costs.again();
  }, [period.again, costs.again]);
  const isLive = useReadingChanges(user_id, again);
  const last = useRef<{ of: string; value: Period } | null>(null);
  const whose = `${user_id} ${deviceId}`;
  if (period.value) last.current = { of: whose, value: period.value };
  const before = last.current?.of === whose ? last.current.value : null;
  const value = period.value ?? (period.error === null ? before : null);
  return { period, value, costs, again, isLive };
}

/** Time that each row of a downloaded file covers, by the length of the displayed period. */
const ROWS = { week: 'hour', month: 'day', year: 'day' } as const;

/** Returns the first and the last day of a period. If the period contains today, the last day is today. */
function daysOf({ start, end, now }: Period): { start: string; end: string } {
  const today = now.slice(0, 10);
  return { start, end: end < today ? end : today };
}

/** The electricity usage of a period, or advice if none is known. `children`: content after the main numbers and the chart. */
function Electricity(props: {
  of: Period;
  costs: PeriodCosts | null;
  rows: DayRowLength;
  onRows: (rows: DayRowLength) => void;
  show: (period: Shown) => void;
  follow: PageLink;
  onStale: () => void;
  children?: Children;
}) {
  const { of: one, costs, rows, onRows, show, follow, onStale, children } = props;
  if (one.used.kwh_used === null) {
    const isNew = one.first_date === null;
    return html`
      ${isNew && one.device_id === null && html`<${FirstSteps} of=${one} follow=${follow} />`}
      ${!isNew && html`<${NoDataNotice} of=${one} first=${one.first_date} onGo=${show} />`}
      ${children}`;
  }
  const isDay = one.unit === 'day';
  const hasBars = !isDay || !one.is_production;
  const isCurrent = one.device_id === null && one.end >= one.now.slice(0, 10);
  return html`<${LivePowerProvider} userId=${isCurrent ? one.user_id : null} key=${one.user_id}>
    <div class="first">
      <${MainPeriodFigures} of=${one} costs=${costs} onStale=${onStale} />
      ${hasBars ? html`<${UsageChart} of=${one} rows=${rows} onRows=${onRows} onShow=${show} />` : html`<${LoadCurve} of=${one} />`}
    </div>
    ${children}
    <${PeriodSummary} of=${one} costs=${costs} />
    ${hasBars && html`<${LoadCurve} of=${one} />`}
  <//>`;
}

/** Maximum age in ms at which the newest reading counts as current. Most meters send at least every quarter of an hour. */
const FRESH_MS = 20 * 60_000;

/** Line that shows whether the page is notified of new readings, and whether readings arrive. */
function Liveness({ isListening, newestAt }: { isListening: boolean; newestAt: string | null }) {
  const { home: w } = words();
  const nowMs = useCurrentTimeMs();
  const isFresh = newestAt !== null && nowMs - Date.parse(newestAt) < FRESH_MS;
  if (!isListening) return html`<${Badge} kind="quiet">${w.notLive}<//>`;
  return isFresh ? html`<${Badge} kind="good">${w.live}<//>` : html`<${Badge} kind="warn">${w.waiting}<//>`;
}

/** What a downloaded file contains: a home or one of its devices, in rows by hour, day or month in the home's time zone. */
interface Downloaded {
  userId: string;
  /** Id of the device; an empty string for the whole home. */
  deviceId: string;
  /** First and last day in the file, YYYY-MM-DD. */
  days: { start: string; end: string };
  groupBy: DayRowLength | 'day' | 'month';
}

interface Format extends Omit<FileChoice, 'path'> {
  /** Whether each row in this format covers at most an hour, even if the page's bars cover days. */
  isShort?: true;
}

const formats = (w: Words['common']['download']): Format[] => [
  { name: 'CSV', hint: w.csvHint, accept: 'text/csv', ending: 'csv' },
  {
    name: w.xlsx,
    hint: w.xlsxHint,
    accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ending: 'xlsx',
  },
  {
    name: 'Green Button (XML)',
    hint: w.greenButtonHint,
    accept: 'application/atom+xml',
    ending: 'xml',
    isShort: true,
  },
];

/** Query parameter that requests all values that a file can contain. */
const INCLUDE = 'grid_import,grid_export,production,charged,discharged,untracked,autarky,estimated,coverage,cost';
const INCLUDE_OF_DEVICE = 'export,estimated,coverage,cost';

/** Returns the path of the API that returns the file. */
function pathOf({ userId, deviceId, days, groupBy }: Downloaded, format: Format): string {
  const group_by = format.isShort && groupBy !== 'quarter_hour' ? 'hour' : groupBy;
  const query = { ...days, group_by, tz: 'account' };
  if (deviceId !== '') return appendQuery(`/v1/devices/${deviceId}/usage`, { ...query, include: INCLUDE_OF_DEVICE });
  return appendQuery('/v1/energy-insights', { ...query, user_id: userId, include: INCLUDE });
}

/** Menu that downloads the displayed data as a file. */
function UsageDownload(props: Downloaded) {
  const w = words().common.download;
  const { start, end } = props.days;
  const choices = formats(w).map((format) => ({ ...format, path: pathOf(props, format) }));
  return html`<${FileMenu} of=${w.of({ start: formatDay(start), end: formatDay(end) })} fileName=${`${w.fileName}-${start}-${end}`} choices=${choices} />`;
}
