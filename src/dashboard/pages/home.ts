import { useCallback, useState } from 'preact/hooks';
import type { Device } from '#clients/typescript/client.ts';
import type { Costs, Overview } from '#src/api/dashboard/shapes.ts';
import { call, list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { useChanges } from '../parts/changes.ts';
import { Bars } from '../parts/chart.ts';
import { useLoad } from '../parts/load.ts';
import { useNow } from '../parts/now.ts';
import { rich } from '../parts/rich.ts';
import { Badge, Card, Loading, When } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { typeName } from './devices/device.ts';
import { Commodities } from './home/commodities.ts';
import { Download } from './home/download.ts';
import { Figure } from './home/figure.ts';
import { Flows } from './home/flows.ts';
import { Forecast } from './home/forecast.ts';
import { HeatMap } from './home/heat-map.ts';
import { dayBars, daysOfFigures, hourBars, monthBars, yearOf } from './home/overview.ts';
import { Remarks } from './home/remarks.ts';

/** Usage at a glance, of all devices of an account or of one; it follows new readings by itself. */
export function Page() {
  const { user, me, go } = useSession();
  const { common, home: w } = words();
  const [picked, setPicked] = useState<{ userId: string; deviceId: string } | null>(null);
  // A device of an account that was looked at before is none of this one.
  const deviceId = picked?.userId === user.user_id ? picked.deviceId : '';
  const devices = useLoad(
    () => list<Device>(withQuery('/v1/devices', { user_id: user.user_id, limit: 200 })),
    [user.user_id],
  );
  const overview = useLoad(
    () => call<Overview>('GET', withQuery('/v1/overview', { user_id: user.user_id, device_id: deviceId })),
    [user.user_id, deviceId],
  );
  // By themselves: the figures do not wait for what is computed of them.
  const costs = useLoad(
    () => call<Costs>('GET', withQuery('/v1/costs', { user_id: user.user_id, device_id: deviceId })),
    [user.user_id, deviceId],
  );
  const again = useCallback(() => {
    overview.again();
    costs.again();
  }, [overview.again, costs.again]);
  const isLive = useChanges(user.user_id, again);
  const money = costs.value;
  // Of one device there is nothing to take apart.
  const opens = (shown: Overview) => {
    const days = daysOfFigures(shown.now);
    const of = (one: keyof typeof days) =>
      deviceId === '' ? { userId: user.user_id, days: days[one], isOver: days[one].end < days.today.end } : null;
    return { today: of('today'), yesterday: of('yesterday'), month: of('month'), last_month: of('last_month') };
  };
  const follow = (page: string) => (event: Event) => {
    event.preventDefault();
    go(page);
  };
  const choose = (event: Event) =>
    setPicked({ userId: user.user_id, deviceId: (event.target as HTMLSelectElement).value });
  return html`
    <header class="heading">
      <h1>${common.pages.home}</h1>
      <label class="picker"><span>${common.device}</span>
        <select value=${deviceId} onChange=${choose}>
          <option value="">${w.allDevices}</option>
          ${devices.value?.map(({ device_id, type, location }) => html`<option value=${device_id}>${location} (${typeName(type)})</option>`)}
        </select>
      </label>
    </header>
    <${Loading} of=${overview}>
      ${(shown: Overview) => html`
        <p class="quiet">
          <${Liveness} isListening=${isLive} newestAt=${shown.newest_at} />${' '}${w.lastReading} <${When} at=${shown.newest_at} zone=${shown.timezone} />. ${w.timesIn(shown.timezone)}
        </p>
        <${Download} userId=${user.user_id} deviceId=${deviceId} days=${yearOf(shown.now)} groupBy="day" />
        ${
          devices.value?.length === 0 &&
          html`<p class="note">${user.user_id === me.user_id ? w.youHaveNone : w.hasNone(user.email)}${' '}
            ${rich(w.pairOne, (name) => html`<a href="/dashboard/devices" onClick=${follow('devices')}>${name}</a>`)}</p>`
        }
        <dl class="figures">
          <${Figure} name=${w.today} used=${shown.today} of=${opens(shown).today} cost=${money?.today ?? null} />
          <${Figure} name=${w.yesterday} used=${shown.yesterday} of=${opens(shown).yesterday} cost=${money?.yesterday ?? null} />
          <${Figure} name=${w.thisMonth} used=${shown.month} of=${opens(shown).month} cost=${money?.month ?? null} />
          <${Figure} name=${w.lastMonth} used=${shown.last_month} of=${opens(shown).last_month} cost=${money?.last_month ?? null} />
        </dl>
        ${money?.has_tariff === false && html`<p class="quiet"><a href="/dashboard/tariffs" onClick=${follow('tariffs')}>${w.addTariff}</a></p>`}
        ${deviceId === '' && html`<${Remarks} userId=${user.user_id} hour=${shown.now.slice(0, 13)} /><${Forecast} userId=${user.user_id} hour=${shown.now.slice(0, 13)} />`}
        <${Commodities} of=${shown.commodities} />
        ${shown.flows && html`<${Flows} flows=${shown.flows} today=${shown.today} month=${shown.month} />`}
        <${Card} title=${w.last48Hours}><${Bars} title=${w.byHour} bars=${hourBars(shown, money)} /><//>
        <div class="grid">
          <${Card} title=${w.last30Days}><${Bars} title=${w.byDay} bars=${dayBars(shown, money)} /><//>
          <${Card} title=${w.last12Months}><${Bars} title=${w.byMonth} bars=${monthBars(shown, money)} /><//>
        </div>
        <${Card} title=${w.peakHours}><${HeatMap} cells=${shown.week.cells} weeks=${shown.week.weeks} /><//>
      `}
    <//>`;
}

/** Most meters report every few seconds to every quarter of an hour. */
const FRESH_MS = 20 * 60_000;

/** Whether new readings appear by themselves, and whether any come. */
function Liveness({ isListening, newestAt }: { isListening: boolean; newestAt: string | null }) {
  const { home: w } = words();
  const nowMs = useNow();
  const isFresh = newestAt !== null && nowMs - Date.parse(newestAt) < FRESH_MS;
  if (!isListening) return html`<${Badge} kind="quiet">${w.notLive}<//>`;
  return isFresh ? html`<${Badge} kind="good">${w.live}<//>` : html`<${Badge} kind="warn">${w.waiting}<//>`;
}
