import { useEffect, useState } from 'preact/hooks';
import type { DeviceDetails, DiscoveredDevice, PairedDevice } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { Badge, ContentShownOnce, CopyableText, Dialog, FormButtons, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { MqttLoginSettings } from './create-gateway.ts';
import { getDeviceTypeName, type DeviceLogin as Login } from './device.ts';
import { DeviceFields, readDeviceForm } from './device-fields.ts';
import { guessDeviceType } from './discovered-list.ts';
import { formatPublishCommands, getServiceAddress } from './snippets.ts';

/**
 * Dialog that pairs a device with the selected account, and then waits for its first reading. `of`: the device to pair; omitted if it was
 * not discovered.
 */
export function PairDeviceDialog(props: { of?: DiscoveredDevice; onChange: () => void; onClose: () => void }) {
  const { of: discovered, onChange, onClose } = props;
  const { me, user } = useSession();
  const { common, devices } = words();
  const w = devices.pairing;
  const [paired, setPaired] = useState<PairedDevice | null>(null);
  const { run, isBusy, error } = useAction();
  const pair = (event: SubmitEvent) => {
    event.preventDefault();
    const filledFields = Object.entries(readDeviceForm(event.target as HTMLFormElement)).filter(
      ([, value]) => value !== null,
    );
    run(async () => {
      const body = {
        user_id: user.user_id,
        ...Object.fromEntries(filledFields),
        ...(discovered ? { discovery_id: discovered.discovery_id } : {}),
      };
      setPaired(await callApi<PairedDevice>('POST', '/v1/devices', body));
      onChange();
    });
  };
  if (paired)
    return html`<${Dialog} title=${w.title({ type: getDeviceTypeName(paired.type), location: paired.location })} onClose=${onClose}>
      <${ContentShownOnce} secret=${paired.mqtt?.password}>
        ${paired.mqtt ? renderInlineMarkup(w.copyNow) : w.byGateway}
      <//>
      <${FirstReading} deviceId=${paired.device_id} onHeard=${onChange} />
      ${paired.mqtt && html`<${DeviceLogin} paired=${paired} login=${paired.mqtt} />`}
      <p class="actions"><button type="button" class="main" onClick=${onClose}>${common.done}</button></p>
    <//>`;
  return html`<${Dialog} title=${discovered ? w.of({ name: discovered.native_id }) : devices.pair} onClose=${onClose}>
    <form onSubmit=${pair}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      <${DeviceFields} discoveredType=${discovered && guessDeviceType(discovered)} />
      <${FormButtons} label=${w.submit} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

const LOOK_MS = 2_000;
/** Time without a reading, in ms, after which the dialog suggests what the user can check. */
const LONG_MS = 60_000;

/** Waits for the first message of a device and shows the time of the message. */
function FirstReading({ deviceId, onHeard }: { deviceId: string; onHeard: () => void }) {
  const w = words().devices.pairing;
  const [state, setState] = useState<'waiting' | 'long' | 'heard'>('waiting');
  useEffect(() => {
    const since = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const look = async () => {
      const device = await callApi<DeviceDetails>('GET', `/v1/devices/${deviceId}`).catch(() => null);
      if (isOver) return;
      if (device?.last_seen_at) {
        setState('heard');
        onHeard();
        return;
      }
      if (Date.now() - since > LONG_MS) setState('long');
      timer = setTimeout(look, LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [deviceId]);
  return html`<p role="status" class="actions">
    ${
      state === 'heard'
        ? html`<${Badge} kind="good">${w.heard}<//> <span>${w.counts}</span>`
        : html`<${Badge} kind="warn">${w.waiting}<//>
            ${
              state === 'long'
                ? html`<span>${renderInlineMarkup(w.nothingYet({ command: `npx energy rejected list --device ${deviceId}` }))}</span>`
                : html`<span class="quiet">${w.checking}</span>`
            }`
    }
  </p>`;
}

/** Shows the MQTT user name and password of a newly paired device, and a sample message with commands that publish it. */
function DeviceLogin({ paired, login }: { paired: PairedDevice; login: Login }) {
  const w = words().devices.pairing;
  const address = getServiceAddress(location.hostname, useSession().mqtt);
  const payload = examplePayload(paired.type);
  const { plain, tls } = formatPublishCommands(login, payload, address);
  const trust = address.needsCertificate && html`<p class="quiet">${renderInlineMarkup(w.trust)}</p>`;
  return html`
    <${MqttLoginSettings} address=${address} username=${login.username} password=${login.password}>
      <dt>${w.topic}</dt>
      <dd><code>${login.topic}</code></dd>
    <//>
    <h3>${w.message}</h3>
    <${CopyableText} text=${payload} label=${w.messageLabel} />
    <p class="quiet">${renderInlineMarkup(w.messageAbout)}</p>
    <h3>${words().common.tryIt}</h3>
    <${CopyableText} text=${plain ?? tls} label=${w.line} />
    ${
      plain
        ? html`<details class="more">
            <summary>${w.withTls}</summary>
            <${CopyableText} text=${tls} label=${w.lineWithTls} />
            ${trust}
          </details>`
        : trust
    }
    <p class="quiet">${renderInlineMarkup(w.install)}</p>
  `;
}

/** Returns a sample message for a device type. */
function examplePayload(type: string): string {
  return type === 'thermostat'
    ? '{"temperature_c": 20.4, "setpoint_c": 21, "heating": true}'
    : '{"energy_total_kwh": 4711.235, "power_w": 412}';
}
