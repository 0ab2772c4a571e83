import { useState } from 'preact/hooks';
import type { Device, DeviceDetails } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import { PLACEMENTS, TYPES, typeName } from './device.ts';

/** What can be said of a device; null where a field was left empty. */
export interface GivenFields {
  type: string;
  location: string;
  limit_kw: number | null;
  register_max_kwh: number | null;
  max_gap_minutes: number | null;
  timezone: string | null;
  /** Null: as is usual for its type. */
  placement: Device['placement'] | null;
  upstream_device_id: string | null;
}

/** Reads a form that has DeviceFields. */
export function givenFields(form: HTMLFormElement): GivenFields {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const number = (name: string) => (text(name) === '' ? null : Number(text(name)));
  return {
    type: text('type') || text('other_type'),
    location: text('location'),
    limit_kw: number('limit_kw'),
    register_max_kwh: number('register_max_kwh'),
    max_gap_minutes: number('max_gap_minutes'),
    timezone: text('timezone') || null,
    placement: (text('placement') || null) as GivenFields['placement'],
    upstream_device_id: text('upstream_device_id') || null,
  };
}

/** Type, location and place in the home, and behind a summary what most devices need not be told. `of`: what is changed. `others`: the account's devices. */
export function DeviceFields(props: { of?: DeviceDetails; type?: string; others?: readonly Device[] }) {
  const { of, type = 'smart_meter', others = [] } = props;
  return html`
    <${TypeField} now=${of?.type ?? type} />
    <${Field} label="Location" hint="Where it is, in your words.">
      ${(attributes: object) =>
        html`<input ...${attributes} name="location" required maxlength="200" autocomplete="off" defaultValue=${of?.location} />`}
    <//>
    <${PlacementField} of=${of} others=${others} />
    <details class="more" open=${of !== undefined}>
      <summary>More settings</summary>
      <div class="columns">
        <${NumberField}
          name="limit_kw" label="Highest plausible load, kW" now=${of?.limit_kw} most=${1_000_000} isRequired=${of !== undefined}
          hint="A register that grows faster is not believed at once. 100, unless you say otherwise."
        />
        <${NumberField}
          name="register_max_kwh" label="Register ends at, kWh" now=${of?.register_max_kwh} most=${9_000_000_000}
          hint="Where it starts again at 0; empty if it never does."
        />
        <${NumberField}
          name="max_gap_minutes" label="Longest gap, minutes" now=${of?.max_gap_minutes} most=${1_440} isRequired=${of !== undefined}
          hint="For devices that tell power only: longer silences count nothing. 15, unless you say otherwise."
        />
        <${ZoneField} now=${of?.timezone ?? ''} />
      </div>
    </details>`;
}

/** Where it sits, and of a consumer which of the others has its energy in it. */
function PlacementField({ of, others }: { of?: DeviceDetails; others: readonly Device[] }) {
  const [placement, setPlacement] = useState<string>(of?.placement ?? '');
  const above = others.filter(({ device_id, placement: its }) => device_id !== of?.device_id && its === 'consumption');
  return html`
    <${Field} label="Place in the home" hint="The home’s total is made of the grid meter, production and storage; consumers are a breakdown of it. It holds for the past, too.">
      ${(attributes: object) =>
        html`<select
          ...${attributes} name="placement"
          onChange=${(event: Event) => setPlacement((event.target as HTMLSelectElement).value)}
        >
          ${!of && html`<option value="">as is usual for its type</option>`}
          ${Object.entries(PLACEMENTS).map(([value, name]) => html`<option value=${value} selected=${value === placement}>${name}</option>`)}
        </select>`}
    <//>
    ${
      placement === 'consumption' &&
      above.length > 0 &&
      html`<${Field} label="Behind" hint="Where another device measures its energy, too, such as a circuit’s meter: it is then counted once.">
        ${(attributes: object) =>
          html`<select ...${attributes} name="upstream_device_id">
            <option value="">no other device</option>
            ${above.map(({ device_id, location, type }) => html`<option value=${device_id} selected=${device_id === of?.upstream_device_id}>${location} (${typeName(type)})</option>`)}
          </select>`}
      <//>`
    }`;
}

/** The usual types, and any other word. */
function TypeField({ now }: { now: string }) {
  const [type, setType] = useState(now in TYPES ? now : '');
  return html`
    <${Field} label="Type">
      ${(attributes: object) =>
        html`<select
          ...${attributes} name="type"
          onChange=${(event: Event) => setType((event.target as HTMLSelectElement).value)}
        >
          ${Object.entries(TYPES).map(([value, name]) => html`<option value=${value} selected=${value === type}>${name}</option>`)}
          <option value="" selected=${type === ''}>other …</option>
        </select>`}
    <//>
    ${
      type === '' &&
      html`<${Field} label="Which other type" hint="One word is best, such as water_heater.">
        ${(attributes: object) =>
          html`<input ...${attributes} name="other_type" required maxlength="64" autocomplete="off" defaultValue=${now in TYPES ? '' : now} />`}
      <//>`
    }`;
}

function NumberField(props: {
  name: string;
  label: string;
  hint: string;
  now: number | null | undefined;
  most: number;
  isRequired?: boolean;
}) {
  const { name, label, hint, now, most, isRequired } = props;
  return html`<${Field} label=${label} hint=${hint}>
    ${(attributes: object) =>
      html`<input ...${attributes} type="number" name=${name} defaultValue=${now ?? ''} min="0" max=${most} step="any" required=${isRequired} />`}
  <//>`;
}

function ZoneField({ now }: { now: string }) {
  return html`<${Field} label="Time zone" hint="For devices that tell local time without a zone, such as Europe/Berlin.">
    ${(attributes: { id: string }) => html`
      <input ...${attributes} name="timezone" defaultValue=${now} list=${`${attributes.id}-zones`} autocomplete="off" />
      <datalist id=${`${attributes.id}-zones`}>
        ${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone} />`)}
      </datalist>`}
  <//>`;
}
