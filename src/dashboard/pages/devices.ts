import { useEffect, useState } from 'preact/hooks';
import type { Device, DiscoveredDevice, Gateway } from '#clients/typescript/client.ts';
import { list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { useLoad } from '../parts/load.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { DeviceDialog } from './devices/device-dialog.ts';
import { DeviceList } from './devices/device-list.ts';
import { DiscoveredList } from './devices/discovered-list.ts';
import { GatewayList } from './devices/gateway-list.ts';
import { HomeAssistant } from './devices/home-assistant.ts';
import { PairDevice } from './devices/pair-device.ts';
import { useNamedDevice } from './devices/use-named-device.ts';

/** How often the page checks for new messages and discovered devices. */
const LOOK_MS = 15_000;

/** Devices of the picked account: what is paired, what was discovered, and the gateways that it came through. */
export function Page() {
  const { user } = useSession();
  const { user_id, email, timezone } = user;
  const of = (path: string) => withQuery(path, { user_id, limit: 200 });
  const devices = useLoad(() => list<Device>(of('/v1/devices')), [user_id]);
  const discovered = useLoad(() => list<DiscoveredDevice>(of('/v1/devices/discovered')), [user_id]);
  const gateways = useLoad(() => list<Gateway>(of('/v1/gateways')), [user_id]);
  const [pairing, setPairing] = useState<'new' | DiscoveredDevice | null>(null);
  const [named, setNamed] = useNamedDevice();
  const lookAgain = () => {
    devices.again();
    discovered.again();
  };
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && lookAgain(), LOOK_MS);
    return () => clearInterval(timer);
  }, [user_id]);
  return html`
    <h1>${words().common.pages.devices}</h1>
    <${DeviceList} devices=${devices} zone=${timezone} onPair=${() => setPairing('new')} onOpen=${setNamed} />
    <${DiscoveredList} discovered=${discovered} zone=${timezone} onPair=${setPairing} />
    <${GatewayList}
      gateways=${gateways}
      zone=${timezone}
      onChange=${() => {
        gateways.again();
        lookAgain();
      }}
    />
    <${HomeAssistant} email=${email} />
    ${
      pairing !== null &&
      html`<${PairDevice} of=${pairing === 'new' ? undefined : pairing} onChange=${lookAgain} onClose=${() => setPairing(null)} />`
    }
    ${named !== null && html`<${DeviceDialog} key=${named} deviceId=${named} onChange=${lookAgain} onClose=${() => setNamed(null)} />`}
  `;
}
