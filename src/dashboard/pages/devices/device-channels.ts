import type { DeviceDetails } from '#clients/typescript/client.ts';
import type { Held } from '#src/api/dashboard/shapes.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Badge, busy, Problem, When } from '../../parts/ui.ts';
import { PLACEMENTS } from './device.ts';

type Channel = DeviceDetails['channels'][number];

/** What a quantity can be said to be, and how it is called; the first three are a click each. */
const MEANINGS: readonly (readonly [countsAs: string, name: string])[] = [
  ['import', 'Import'],
  ['export', 'Export'],
  ['ignored', 'Ignore'],
  ['import/t1', 'Import, tariff 1'],
  ['import/t2', 'Import, tariff 2'],
  ['export/t1', 'Export, tariff 1'],
  ['export/t2', 'Export, tariff 2'],
  ['import/l1', 'Import, phase 1'],
  ['import/l2', 'Import, phase 2'],
  ['import/l3', 'Import, phase 3'],
  ['gas', 'Gas'],
  ['heat', 'Heat'],
  ['water', 'Water'],
];
const CLICKS = MEANINGS.slice(0, 3);
const nameOf = (countsAs: string) => MEANINGS.find(([one]) => one === countsAs)?.[1] ?? countsAs;

/** The energy and power that a device tells, and what each counts as. What nobody knows comes first, and counts after one click. */
export function DeviceChannels({ of: device, onSaved }: { of: DeviceDetails; onSaved: () => void }) {
  const { run, isBusy, error } = useAction();
  const { channels } = device;
  const held = useLoad(() => call<Held>('GET', `/v1/devices/${device.device_id}/held`), [device]);
  if (channels.length === 0) return null;
  // Where a newer value came in between, it is that one which is shown, and nothing is said of it.
  const isHeld = ({ native_name, last_at }: Channel) =>
    held.value?.some((one) => one.native_name === native_name && one.at === last_at) ?? false;
  const say: Say = (native_name, word) =>
    run(async () => {
      await call('PATCH', `/v1/devices/${device.device_id}`, { channels: [{ native_name, ...word }] });
      onSaved();
    });
  const unknown = channels.filter(({ counts_as }) => counts_as === null);
  return html`<section aria-label="Quantities">
    <h3>What it tells</h3>
    ${
      unknown.length > 0 &&
      html`<p>What <b>${unknown.map(({ native_name }) => native_name).join(', ')}</b> means cannot be told from its name, so it is not
        counted. Say what it is: it then counts for its past, too.</p>`
    }
    <${Problem} text=${error} />
    <div class="table"><table>
      <thead><tr><th scope="col">Name</th><th scope="col">Last value</th><th scope="col">Counts as</th>
        <th scope="col">Place in the home</th></tr></thead>
      <tbody>
        ${[...unknown, ...channels.filter(({ counts_as }) => counts_as !== null)].map(
          (one) =>
            html`<${Row} key=${one.native_name} of=${one} isHeld=${isHeld(one)} placement=${device.placement} isBusy=${isBusy} onSay=${say} />`,
        )}
      </tbody>
    </table></div>
  </section>`;
}

/** Says something of a quantity; null takes it back. */
type Say = (name: string, word: { counts_as: string | null } | { placement: Channel['placement'] }) => void;

/** `placement`: of the device. */
function Row(props: {
  of: Channel;
  isHeld: boolean;
  placement: DeviceDetails['placement'];
  isBusy: boolean;
  onSay: Say;
}) {
  const { of: channel, isHeld, isBusy, onSay } = props;
  const { native_name, unit, last_value, last_at, counts_as, placement } = channel;
  const change = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value !== (counts_as ?? '')) onSay(native_name, { counts_as: value === 'guess' ? null : value });
  };
  const place = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value !== (placement ?? '')) onSay(native_name, { placement: (value || null) as Channel['placement'] });
  };
  const isPlaced = counts_as !== null && /^(import|export)/.test(counts_as);
  return html`<tr>
    <th scope="row" data-name="Name">${native_name}</th>
    <td data-name="Last value">
      <span>
        ${last_value === null ? '' : `${last_value} ${unit ?? ''} `}<span class="quiet"><${When} at=${last_at} /></span>
        ${isHeld && html` <${Badge} kind="warn">held<//> <span class="quiet">implausible, not counted</span>`}
      </span>
    </td>
    <td data-name="Counts as">
      ${
        counts_as === null &&
        html`<span class="actions">
          <${Badge} kind="warn">unknown<//>
          ${CLICKS.map(
            ([value, name]) =>
              html`<button type="button" ...${busy(isBusy)} onClick=${() => !isBusy && onSay(native_name, { counts_as: value })}>${name}</button>`,
          )}
        </span>`
      }
      <select aria-label=${`${native_name} counts as`} onChange=${change}>
        ${counts_as === null && html`<option value="" selected>other …</option>`}
        ${counts_as !== null && !MEANINGS.some(([value]) => value === counts_as) && html`<option value=${counts_as} selected>${nameOf(counts_as)}</option>`}
        ${MEANINGS.map(([value, name]) => html`<option value=${value} selected=${value === counts_as}>${name}</option>`)}
        ${counts_as !== null && html`<option value="guess">as its name says</option>`}
      </select>
    </td>
    <td data-name="Place in the home">
      ${
        isPlaced &&
        html`<select aria-label=${`${native_name} place in the home`} onChange=${place}>
          <option value="" selected=${placement === null}>as the device: ${PLACEMENTS[props.placement]}</option>
          ${Object.entries(PLACEMENTS).map(([value, name]) => html`<option value=${value} selected=${value === placement}>${name}</option>`)}
        </select>`
      }
    </td>
  </tr>`;
}
