import type { Device, DeviceDetails } from '#clients/typescript/client.ts';
import { call, list, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Badge, Dialog, Loading, Problem, Sure, When } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { Climate } from './climate.ts';
import { asks, STATES, typeName } from './device.ts';
import { DeviceChannels } from './device-channels.ts';
import { DeviceSettings } from './device-settings.ts';

const QUESTION =
  'It can no longer log in, and its messages are refused. Its consumption so far stays in the account’s history.';

/** All that is known of one device, with what can be changed. */
export function DeviceDialog(props: { deviceId: string; onChange: () => void; onClose: () => void }) {
  const { deviceId, onChange, onClose } = props;
  const { user } = useSession();
  const device = useLoad(() => call<DeviceDetails>('GET', `/v1/devices/${deviceId}`), [deviceId]);
  const others = useLoad(
    () => list<Device>(withQuery('/v1/devices', { user_id: user.user_id, limit: 200 })),
    [user.user_id],
  );
  const { run, error } = useAction();
  const recounted = () => {
    device.again();
    onChange();
  };
  // By the answer itself: until the next one came, what is typed would be compared with what was there before.
  const saved = (now: DeviceDetails) => {
    device.put(now);
    onChange();
  };
  const remove = () =>
    run(async () => {
      await call('DELETE', `/v1/devices/${deviceId}`);
      onChange();
      onClose();
    });
  const title = device.value ? `${device.value.location}: ${typeName(device.value.type)}` : 'Device';
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <${Loading} of=${device}>
      ${(one: DeviceDetails) => {
        const { kind, meaning } = STATES[one.status];
        return html`
          <dl class="facts">
            <dt>State</dt>
            <dd><${Badge} kind=${kind}>${one.status}<//> ${meaning}</dd>
            ${asks(one, true).map(({ word, meaning: why }) => html`<dt>Asks</dt><dd><${Badge} kind="warn">${word}<//> ${why}</dd>`)}
            <dt>Last seen</dt>
            <dd><${When} at=${one.last_seen_at} zone=${user.timezone} /></dd>
            <dt>Paired</dt>
            <dd><${When} at=${one.created_at} zone=${user.timezone} /></dd>
            <dt>Identifier</dt>
            <dd><code>${one.device_id}</code></dd>
          </dl>
          <${DeviceChannels} of=${one} onSaved=${recounted} />
          <${Climate} deviceId=${deviceId} type=${one.type} zone=${user.timezone} />
          <h3>Settings</h3>
          <${DeviceSettings} of=${one} others=${others.value ?? []} onSaved=${saved} />
          <h3>Delete</h3>
          <p class="quiet">Removes the device and its login. Its past consumption stays.</p>
          <${Problem} text=${error} />
          <p class="actions"><${Sure} label="Delete this device" question=${QUESTION} onSure=${remove} /></p>`;
      }}
    <//>
  <//>`;
}
