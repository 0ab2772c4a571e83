import { useEffect, useState } from 'preact/hooks';
import type { Device, DiscoveredDevice, Gateway } from '#clients/typescript/client.ts';
import { appendQuery } from '../api.ts';
import { html } from '../html.ts';
import { ListCard, renderEmptyList } from '../parts/list.ts';
import { type LoadedData, useAllPages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Badge, Card, CopyableText, RelativeTime, renderInlineMarkup } from '../parts/ui.ts';
import { createPlainClickHandler, usePageLink, useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { getDeviceTypeName, STATUS_BADGES } from './devices/device.ts';
import { DeviceBadges } from './devices/device-badges.ts';
import { DeviceDialog } from './devices/device-dialog.ts';
import { DiscoveredDeviceList } from './devices/discovered-list.ts';
import { GatewayList } from './devices/gateway-list.ts';
import { PairDeviceDialog } from './devices/pair-device.ts';

/** Interval at which the page requests new messages and newly discovered devices, in ms. */
const LOOK_MS = 15_000;

/** Page with the selected account's paired devices, newly discovered devices, and gateways. */
export function Page() {
  const { user } = useSession();
  const { user_id, email, timezone } = user;
  const devices = useAllPages<Device>(appendQuery('/v1/devices', { user_id }));
  const discovered = useAllPages<DiscoveredDevice>(appendQuery('/v1/devices/discovered', { user_id }));
  const gateways = useAllPages<Gateway>(appendQuery('/v1/gateways', { user_id }));
  const [pairing, setPairing] = useState<'new' | DiscoveredDevice | null>(null);
  const [named, setNamed] = useDeviceInUrl();
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
    <${DiscoveredDeviceList} discovered=${discovered} zone=${timezone} onPair=${setPairing} />
    <${GatewayList}
      gateways=${gateways}
      zone=${timezone}
      onChange=${() => {
        gateways.again();
        lookAgain();
      }}
    />
    <${HomeAssistantCard} email=${email} />
    ${
      pairing !== null &&
      html`<${PairDeviceDialog} of=${pairing === 'new' ? undefined : pairing} onChange=${lookAgain} onClose=${() => setPairing(null)} />`
    }
    ${named !== null && html`<${DeviceDialog} key=${named} deviceId=${named} onChange=${lookAgain} onClose=${() => setNamed(null)} />`}
  `;
}

/** List of an account's devices. `onOpen` is called when the user opens the details of a device. */
const DeviceList = (props: {
  devices: LoadedData<Device[]>;
  zone: string;
  onPair: () => void;
  onOpen: (deviceId: string) => void;
}) => html`<${ListCard}
  title=${words().devices.paired} create=${words().devices.pair} onCreate=${props.onPair} error=${null}
  label=${words().devices.list} of=${props.devices}
  empty=${renderEmptyList(words().devices.nonePaired, words().devices.firstSteps)}
>
  ${(all: Device[]) => html`<${Table} of=${all} zone=${props.zone} onOpen=${props.onOpen} />`}
<//>`;

function Table(props: { of: Device[]; zone: string; onOpen: (deviceId: string) => void }) {
  const { of: all, zone, onOpen } = props;
  const to = usePageLink();
  const { common, devices: w } = words();
  return html`${renderTable(
    all,
    [
      [w.location, ({ device_id, location }) => html`<a ...${to(`devices/${device_id}`)}>${location}</a>`],
      [w.type, ({ type }) => getDeviceTypeName(type)],
      [w.place, ({ placement }) => html`<span title=${w.placements[placement]}>${w.places[placement]}</span>`],
      [w.state, (device) => html`<${DeviceBadges} of=${device} />`],
      [common.lastSeen, ({ last_seen_at }) => html`<${RelativeTime} at=${last_seen_at} zone=${zone} />`],
    ],
    {
      key: ({ device_id }) => device_id,
      actions: ({ device_id, location, type }) => html`<a
        href=${`/dashboard/devices?device=${device_id}`}
        aria-label=${w.detailsOf({ location, type: getDeviceTypeName(type) })}
        onClick=${createPlainClickHandler(() => onOpen(device_id))}
      >${common.details}</a>`,
    },
  )}
    <details>
      <summary>${w.whatStatesMean}</summary>
      <dl class="facts">
        ${Object.entries(STATUS_BADGES).map(
          ([state, kind]) =>
            html`<dt><${Badge} kind=${kind}>${common.statuses[state as Device['status']]}<//></dt><dd>${w.states[state as Device['status']]}</dd>`,
        )}
      </dl>
    </details>`;
}

/**
 * Returns the device id in the address if it is valid. Other text must not enter request paths, because anyone can create a link to the
 * page.
 */
const now = () =>
  /^dev_(?:[a-z][a-z0-9]{0,7}_)?[0-9a-z]{26}$/.exec(new URLSearchParams(location.search).get('device') ?? '')?.[0] ??
  null;

/** Returns the device id in the address (`?device=`), and a function that changes it. */
function useDeviceInUrl(): [string | null, (deviceId: string | null) => void] {
  const [named, setNamed] = useState(now);
  useEffect(() => {
    const onPop = () => setNamed(now());
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  const name = (deviceId: string | null) => {
    if (deviceId !== now()) history.pushState(null, '', deviceId === null ? location.pathname : `?device=${deviceId}`);
    setNamed(deviceId);
  };
  return [named, name];
}

/** Card that explains how to show an account's home in Home Assistant. */
function HomeAssistantCard({ email }: { email: string }) {
  const w = words().devices.homeAssistant;
  return html`<${Card} title=${HOME_ASSISTANT_NAME}>
    <p class="quiet">${w.what}</p>
    <p>${renderInlineMarkup(w.how)}</p>
    <${CopyableText} text=${getHomeAssistantSettings(email)} label=${w.settings} />
  <//>`;
}

/** The product's name, which is the same in every language. */
const HOME_ASSISTANT_NAME = 'Home Assistant';

/** Returns the settings with which the operator lets the service publish a home to Home Assistant (docs/home-assistant.md). */
const getHomeAssistantSettings = (email: string): string =>
  `HOMEASSISTANT_MQTT_URL=mqtt://USER:PASSWORD@homeassistant.local:1883\nHOMEASSISTANT_USERS=${email}`;
