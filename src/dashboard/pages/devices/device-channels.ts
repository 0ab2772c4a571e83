import type { DeviceDetails } from '#clients/typescript/client.ts';
import type { ReadingsOnHold } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Badge, ErrorMessage, getBusyAttributes, RelativeTime, renderInlineMarkup } from '../../parts/ui.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

type Channel = DeviceDetails['channels'][number];

/** Returns the possible values of a channel's `counts_as`, with their display names. A channel is a measured quantity of a device. */
const meanings = (): [countsAs: string, name: string][] => Object.entries(words().devices.channels.meanings);
const CLICKS = 3;
const nameOf = (countsAs: string) => meanings().find(([one]) => one === countsAs)?.[1] ?? countsAs;

/** Table of a device's energy and power channels, and of what each counts as, such as import. Unknown channels come first. */
export function DeviceChannels(props: { of: DeviceDetails; isManager: boolean; onSaved: () => void }) {
  const { of: device, isManager, onSaved } = props;
  const { run, isBusy, error } = useAction();
  const { common, devices } = words();
  const w = devices.channels;
  const { channels } = device;
  const held = useLoad(() => callApi<ReadingsOnHold>('GET', `/v1/devices/${device.device_id}/held`), [device]);
  if (channels.length === 0) return null;
  // The badge "on hold" marks a value that is implausible, and which the service therefore does not yet include in the totals.
  const isHeld = ({ native_name, last_at }: Channel) =>
    held.value?.some((one) => one.native_name === native_name && one.at === last_at) ?? false;
  const say: Say = (native_name, word) =>
    run(() =>
      callApi('PATCH', `/v1/devices/${device.device_id}`, { channels: [{ native_name, ...word }] }).then(onSaved),
    );
  const unknown = channels.filter(({ asked, counts_as }) => asked || counts_as === null);
  return html`<section aria-label=${w.section}>
    <h3>${w.title}</h3>
    ${unknown.length > 0 && html`<p>${renderInlineMarkup(w.unknown({ names: unknown.map(({ native_name }) => native_name).join(', ') }))}</p>`}
    <${ErrorMessage} text=${error} />
    <div class="table"><table>
      <thead><tr><th scope="col">${common.name}</th><th scope="col">${w.lastValue}</th><th scope="col">${w.countsAs}</th>
        <th scope="col">${devices.place}</th></tr></thead>
      <tbody>
        ${[...unknown, ...channels.filter((one) => !unknown.includes(one))].map(
          (one) =>
            html`<${Row} key=${one.native_name} of=${one} isHeld=${isHeld(one)} placement=${device.placement} isManager=${isManager} isBusy=${isBusy} onSay=${say} />`,
        )}
      </tbody>
    </table></div>
  </section>`;
}

/** Stores the meaning of a channel (`counts_as`, such as import), or the part of the home that it measures. Null restores the default. */
type Say = (name: string, word: { counts_as: string | null } | { placement: Channel['placement'] }) => void;

/** Table row of a channel. `placement`: the part of the home that the device measures, which is the default for the channel. */
function Row(props: {
  of: Channel;
  isHeld: boolean;
  placement: DeviceDetails['placement'];
  isManager: boolean;
  isBusy: boolean;
  onSay: Say;
}) {
  const { of: channel, isHeld, placement, isManager, isBusy, onSay } = props;
  const { common, devices } = words();
  const w = devices.channels;
  const { native_name, unit, last_value, last_at, counts_as, asked } = channel;
  const isPlaced = counts_as !== null && /^(import|export)/.test(counts_as);
  return html`<tr>
    <th scope="row" data-name=${common.name}>${native_name}</th>
    <td data-name=${w.lastValue}>
      <span>
        ${last_value === null ? '' : `${numberFormat({ maximumFractionDigits: 9 }).format(last_value)} ${unit ?? ''} `}<span class="quiet"><${RelativeTime} at=${last_at} /></span>
        ${isHeld && html` <${Badge} kind="warn">${w.held}<//> <span class="quiet">${w.implausible}</span>`}
      </span>
    </td>
    <td data-name=${w.countsAs}>
      ${
        (asked || counts_as === null) &&
        html`<span class="actions">
          <${Badge} kind="warn">${w.unknownBadge}<//>
          ${(isManager ? meanings() : [])
            .slice(0, CLICKS)
            .map(
              ([value, name]) =>
                html`<button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => !isBusy && onSay(native_name, { counts_as: value })}>${name}</button>`,
            )}
        </span>`
      }
      ${!isManager && counts_as !== null && nameOf(counts_as)}
      ${isManager && html`<${MeaningSelect} of=${channel} onSay=${onSay} />`}
    </td>
    <td data-name=${devices.place}>
      ${isPlaced && !isManager && devices.places[channel.placement ?? placement]}
      ${isPlaced && isManager && html`<${PlacementSelect} of=${channel} usual=${placement} onSay=${onSay} />`}
    </td>
  </tr>`;
}

function MeaningSelect({ of: { native_name, counts_as }, onSay }: { of: Channel; onSay: Say }) {
  const { channels: w } = words().devices;
  const change = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value !== (counts_as ?? '')) onSay(native_name, { counts_as: value === 'guess' ? null : value });
  };
  return html`<select aria-label=${w.countsAsOf({ name: native_name })} onChange=${change}>
    ${counts_as === null && html`<option value="" selected>${w.other}</option>`}
    ${counts_as !== null && !meanings().some(([value]) => value === counts_as) && html`<option value=${counts_as} selected>${nameOf(counts_as)}</option>`}
    ${meanings().map(([value, name]) => html`<option value=${value} selected=${value === counts_as}>${name}</option>`)}
    ${counts_as !== null && html`<option value="guess">${w.asNamed}</option>`}
  </select>`;
}

/** Select box for the part of the home that a channel measures. `usual`: the part that its device measures, which is the default. */
function PlacementSelect(props: { of: Channel; usual: DeviceDetails['placement']; onSay: Say }) {
  const { of, usual, onSay } = props;
  const { native_name, placement } = of;
  const { channels: w, places } = words().devices;
  const change = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value !== (placement ?? '')) onSay(native_name, { placement: (value || null) as Channel['placement'] });
  };
  return html`<select aria-label=${w.placeOf({ name: native_name })} onChange=${change}>
    <option value="" selected=${placement === null}>${w.asDevice({ placement: places[usual] })}</option>
    ${Object.entries(places).map(([value, name]) => html`<option value=${value} selected=${value === placement}>${name}</option>`)}
  </select>`;
}
