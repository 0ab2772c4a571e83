import { useCallback, useState } from 'preact/hooks';
import type { Device } from '#clients/typescript/client.ts';
import type { Costs, Overview } from '#src/api/dashboard/shapes.ts';
import { call, list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { useChanges } from '../parts/changes.ts';
import { Bars } from '../parts/chart.ts';
import { useLoad } from '../parts/load.ts';
import { useNow } from '../parts/now.ts';
import { Badge, Card, Loading, When } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { typeName } from './devices/device.ts';
import { Commodities } from './home/commodities.ts';
import { Figure } from './home/figure.ts';
import { Flows } from './home/flows.ts';
import { HeatMap } from './home/heat-map.ts';
import { dayBars, daysOfFigures, hourBars, monthBars } from './home/overview.ts';

/** Usage at a glance, of all devices of an account or of one; it follows new readings by itself. */
export function Page() {
  const { user, me, go } = useSession();
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
      <h1>Home</h1>
      <label class="picker"><span>Device</span>
        <select value=${deviceId} onChange=${choose}>
          <option value="">All devices</option>
          ${devices.value?.map(({ device_id, type, location }) => html`<option value=${device_id}>${location} (${typeName(type)})</option>`)}
        </select>
      </label>
    </header>
    <${Loading} of=${overview}>
      ${(shown: Overview) => html`
        <p class="quiet">
          <${Liveness} isListening=${isLive} newestAt=${shown.newest_at} />${' '}Last reading <${When} at=${shown.newest_at} zone=${shown.timezone} />. Times in ${shown.timezone}.
        </p>
        ${
          devices.value?.length === 0 &&
          html`<p class="note">${user.user_id === me.user_id ? 'You have' : `${user.email} has`} no devices yet.${' '}
            <a href="/dashboard/devices" onClick=${follow('devices')}>Pair one</a>, and its usage appears here.</p>`
        }
        <dl class="figures">
          <${Figure} name="Today" used=${shown.today} of=${opens(shown).today} cost=${money?.today ?? null} />
          <${Figure} name="Yesterday" used=${shown.yesterday} of=${opens(shown).yesterday} cost=${money?.yesterday ?? null} />
          <${Figure} name="This month" used=${shown.month} of=${opens(shown).month} cost=${money?.month ?? null} />
          <${Figure} name="Last month" used=${shown.last_month} of=${opens(shown).last_month} cost=${money?.last_month ?? null} />
        </dl>
        ${money?.has_tariff === false && html`<p class="quiet"><a href="/dashboard/tariffs" onClick=${follow('tariffs')}>What does it cost? Add your tariff</a></p>`}
        <${Commodities} of=${shown.commodities} />
        ${shown.flows && html`<${Flows} flows=${shown.flows} today=${shown.today} month=${shown.month} />`}
        <${Card} title="Last 48 hours"><${Bars} title="Usage by hour" bars=${hourBars(shown, money)} /><//>
        <div class="grid">
          <${Card} title="Last 30 days"><${Bars} title="Usage by day" bars=${dayBars(shown, money)} /><//>
          <${Card} title="Last 12 months"><${Bars} title="Usage by month" bars=${monthBars(shown, money)} /><//>
        </div>
        <${Card} title="Peak hours"><${HeatMap} cells=${shown.week.cells} weeks=${shown.week.weeks} /><//>
      `}
    <//>`;
}

/** Most meters report every few seconds to every quarter of an hour. */
const FRESH_MS = 20 * 60_000;

/** Whether new readings appear by themselves, and whether any come. */
function Liveness({ isListening, newestAt }: { isListening: boolean; newestAt: string | null }) {
  const nowMs = useNow();
  const isFresh = newestAt !== null && nowMs - Date.parse(newestAt) < FRESH_MS;
  if (!isListening) return html`<${Badge} kind="quiet">not live<//>`;
  return isFresh ? html`<${Badge} kind="good">live<//>` : html`<${Badge} kind="warn">waiting for readings<//>`;
}
