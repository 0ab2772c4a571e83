import type { DiscoveredDevice } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { LoadedList } from '../../parts/list.ts';
import type { LoadedData } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, RelativeTime } from '../../parts/ui.ts';
import { textNamed, words } from '../../words/words.ts';

/** List of devices that were discovered through the account's gateways and are not paired yet. */
export const DiscoveredDeviceList = (props: {
  discovered: LoadedData<DiscoveredDevice[]>;
  zone: string;
  onPair: (one: DiscoveredDevice) => void;
}) => html`<${Card} title=${words().devices.discovered.title}>
  <${LoadedList}
    label=${words().devices.discovered.list}
    of=${props.discovered}
    empty=${html`<p class="quiet">${words().devices.discovered.none}</p>`}
  >
    ${(all: DiscoveredDevice[]) => html`<p class="quiet">${words().devices.discovered.about}</p>
      ${table(all, props.zone, props.onPair)}`}
  <//>
<//>`;

function table(all: DiscoveredDevice[], zone: string, onPair: (one: DiscoveredDevice) => void) {
  const { common, devices } = words();
  const w = devices.discovered;
  return renderTable(
    all,
    [
      [common.device, ({ native_id }) => native_id],
      [w.family, ({ family }) => family],
      [w.tells, (one) => html`<${Tells} of=${one} />`, w.tellsShort],
      [w.firstSeen, ({ first_seen_at }) => html`<${RelativeTime} at=${first_seen_at} zone=${zone} />`],
      [common.lastSeen, ({ last_seen_at }) => html`<${RelativeTime} at=${last_seen_at} zone=${zone} />`],
    ],
    {
      key: ({ discovery_id }) => discovery_id,
      actions: (one) =>
        one.awaits === null &&
        html`<button type="button" aria-label=${devices.pairing.of({ name: one.native_id })} onClick=${() => onPair(one)}>${devices.pairing.submit}</button>`,
    },
  );
}

/** Maximum number of channels that are shown for a discovered device. */
const SHOWN = 3;

function Tells({ of }: { of: DiscoveredDevice }) {
  const { awaits } = of;
  if (awaits !== null) return html`<span>${words().devices.discovered.announced} <code>${awaits}</code></span>`;
  const all = whatItTells(of);
  if (all.length === 0) return html`<span class="quiet">${words().devices.discovered.nothing}</span>`;
  const rest = all.slice(SHOWN);
  return html`<div>
    ${all.slice(0, SHOWN).map((one) => html`<div>${one}</div>`)}
    ${
      rest.length > 0 &&
      html`<details><summary>${words().devices.discovered.more({ count: rest.length })}</summary>${rest.map((one) => html`<div>${one}</div>`)}</details>`
    }
  </div>`;
}

/** Describes each channel of a discovered device: "import: energy register, power; counts as import". */
function whatItTells({ quantities, channels }: DiscoveredDevice): string[] {
  const w = words().devices.discovered;
  return channels.map((channel) => {
    const mine = quantities.filter((one) => one.channel === channel);
    const kinds = mine.map(({ kind }) => textNamed(w.kinds, kind) ?? kind).join(', ');
    const counts = mine.find((one) => one.counts !== null)?.counts;
    const isUnknown = /(^|\/)unknown\//.test(channel);
    return `${channel}: ${kinds}${isUnknown ? `; ${w.countsWhenSaid}` : counts ? `; ${w.countsAs({ what: counts })}` : ''}`;
  });
}

/** Returns the probable type of a discovered device. The user can select another type when pairing it. */
export function guessDeviceType({ quantities }: DiscoveredDevice): string {
  const kinds = new Set(quantities.map(({ kind }) => kind));
  const isHeater = kinds.has('setpoint_c') || kinds.has('heating');
  return isHeater && !kinds.has('energy_total_kwh') ? 'thermostat' : 'smart_meter';
}
