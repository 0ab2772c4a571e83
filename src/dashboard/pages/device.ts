import { useState } from 'preact/hooks';
import type { DeviceDetails } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { useLoad } from '../parts/load.ts';
import { Badge, LoadedContent } from '../parts/ui.ts';
import { usePageLink, useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { getDeviceTypeName } from './devices/device.ts';
import { DeviceBadges } from './devices/device-badges.ts';
import { ReadingEditList, useRecomputationPolling } from './devices/edits.ts';
import { PeriodView } from './home.ts';

/**
 * Page of one device at `devices/{device_id}`: its usage, its standby power, open questions to the owner, and manual edits of its readings.
 */
export function Page() {
  const { rest, user } = useSession();
  const { devices: w, period } = words();
  const [deviceId = '', ...address] = rest.split('/');
  const device = useLoad(() => callApi<DeviceDetails>('GET', `/v1/devices/${deviceId}`), [deviceId]);
  const [computed, setComputed] = useState(0);
  const isWaiting = device.value?.is_computed === false;
  const countComputed = () => setComputed((times) => times + 1);
  useRecomputationPolling(isWaiting, device.again, countComputed);
  const home = ['home', ...address].join('/');
  const to = usePageLink();
  return html`<${LoadedContent} of=${device}>
    ${(one: DeviceDetails) => html`
      <header class="heading">
        <h1>${one.location}</h1>
        <p class="actions">
          <a ...${to(`devices?device=${one.device_id}`)}>${words().common.settings}</a>
          <a ...${to(home)}>${period.ofHome}</a>
        </p>
      </header>
      <${PeriodView} page=${`devices/${deviceId}`} address=${address.join('/')} deviceId=${deviceId} computed=${computed} key=${`${user.user_id} ${deviceId}`}>
        <p>
          ${getDeviceTypeName(one.type)}, ${w.places[one.placement]} <${DeviceBadges} of=${one} />
          ${isWaiting && html` <${Badge} kind="warn">${w.edits.waits}<//>`}
        </p>
      <//>
      <${ReadingEditList} of=${one} key=${one.device_id} onComputed=${countComputed} />`}
  <//>`;
}
