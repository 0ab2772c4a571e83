import { useId, useState } from 'preact/hooks';
import type { Device, DeviceDetails } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { DecimalInput, formatNumberForInput, parseDecimalInput } from '../../parts/decimal-input.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { getDeviceTypeName } from './device.ts';

/** Values of the device form. An empty field has the value null. */
export interface DeviceFormValues {
  type: string;
  location: string;
  limit_kw: number | null;
  register_max_kwh: number | null;
  max_gap_minutes: number | null;
  timezone: string | null;
  /** The part of the home that the device measures; null for the default of its type. */
  placement: Device['placement'] | null;
  upstream_device_id: string | null;
}

/** Reads the values of a form that contains `DeviceFields`. */
export function readDeviceForm(form: HTMLFormElement): DeviceFormValues {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const number = (name: string) => parseDecimalInput(text(name));
  return {
    type: text('type') || text('other_type'),
    location: text('location'),
    limit_kw: number('limit_kw'),
    register_max_kwh: number('register_max_kwh'),
    max_gap_minutes: number('max_gap_minutes'),
    timezone: text('timezone') || null,
    placement: (text('placement') || null) as DeviceFormValues['placement'],
    upstream_device_id: text('upstream_device_id') || null,
  };
}

/** Default of the measured part of the home for each device type, as in src/devices/known-placement.ts. */
export const DEFAULT_PLACEMENTS: Readonly<Record<string, Device['placement']>> = {
  smart_meter: 'grid',
  thermostat: 'consumption',
  smart_plug: 'consumption',
  solar_inverter: 'production',
  heat_pump: 'consumption',
  ev_charger: 'consumption',
  battery: 'storage',
};

/**
 * Form fields of a device: type, location and the measured part of the home. `of`: the device to edit. `discoveredType`: the probable type
 * of a discovered device. `others`: the account's other devices.
 */
export function DeviceFields(props: { of?: DeviceDetails; discoveredType?: string; others?: readonly Device[] }) {
  const { of, discoveredType, others = [] } = props;
  const w = words().devices.fields;
  const [type, setType] = useState(of?.type ?? discoveredType ?? 'smart_meter');
  const usual = of === undefined && discoveredType === undefined ? DEFAULT_PLACEMENTS[type] : undefined;
  return html`
    <${TypeField} now=${of?.type ?? discoveredType ?? 'smart_meter'} onType=${setType} />
    <${LocationField} now=${of?.location} />
    <${PlacementField} of=${of} usual=${usual} others=${others} />
    <details class="more" open=${of !== undefined}>
      <summary>${w.more}</summary>
      <div class="columns">
        <${NumberField}
          name="limit_kw" label=${w.limit} now=${of?.limit_kw} most=${1_000_000} isRequired=${of !== undefined}
          hint=${w.limitHint}
        />
        <${NumberField}
          name="register_max_kwh" label=${w.register} now=${of?.register_max_kwh} most=${9_000_000_000}
          hint=${w.registerHint}
        />
        <${NumberField}
          name="max_gap_minutes" label=${w.gap} now=${of?.max_gap_minutes} most=${1_440} isRequired=${of !== undefined}
          hint=${w.gapHint}
        />
        <${ZoneField} now=${of?.timezone ?? ''} />
      </div>
    </details>`;
}

export function LocationField({ now }: { now: string | undefined }) {
  const { devices } = words();
  return html`<${Field} label=${devices.location} hint=${devices.fields.locationHint}
    name="location" required maxlength="200" autocomplete="off" defaultValue=${now} />`;
}

/**
 * Field for the part of the home that a device measures. For a consumer, a second field selects another meter that also measures the
 * consumer's energy. `usual`: the default.
 */
function PlacementField(props: { of?: DeviceDetails; usual?: Device['placement']; others: readonly Device[] }) {
  const { of, usual, others } = props;
  const { devices } = words();
  const w = devices.fields;
  const [picked, setPicked] = useState<string | null>(of?.placement ?? null);
  const placement = picked ?? usual ?? '';
  const above = others.filter(({ device_id, placement: its }) => device_id !== of?.device_id && its === 'consumption');
  return html`
    <${Field} label=${devices.place} hint=${w.placeHint} control="select"
      name="placement" onChange=${(event: Event) => setPicked((event.target as HTMLSelectElement).value)}>
      ${!of && usual === undefined && html`<option value="">${w.usual}</option>`}
      ${Object.entries(devices.placements).map(([value, name]) => html`<option value=${value} selected=${value === placement}>${name}</option>`)}
    <//>
    ${
      placement === 'consumption' &&
      above.length > 0 &&
      html`<${Field} label=${w.behind} hint=${w.behindHint} control="select" name="upstream_device_id">
        <option value="">${w.noOther}</option>
        ${above.map(({ device_id, location, type }) => html`<option value=${device_id} selected=${device_id === of?.upstream_device_id}>${location} (${getDeviceTypeName(type)})</option>`)}
      <//>`
    }`;
}

function TypeField({ now, onType }: { now: string; onType: (type: string) => void }) {
  const { devices } = words();
  const w = devices.fields;
  const [type, setType] = useState(now in devices.types ? now : '');
  const pick = (value: string) => {
    setType(value);
    onType(value);
  };
  return html`
    <${Field} label=${devices.type} control="select" name="type" onChange=${(event: Event) => pick((event.target as HTMLSelectElement).value)}>
      ${Object.entries(devices.types).map(([value, name]) => html`<option value=${value} selected=${value === type}>${name}</option>`)}
      <option value="" selected=${type === ''}>${w.other}</option>
    <//>
    ${
      type === '' &&
      html`<${Field} label=${w.otherType} hint=${w.otherTypeHint}
        name="other_type" required maxlength="64" autocomplete="off" defaultValue=${now in devices.types ? '' : now} />`
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
  return html`<${Field} label=${label} hint=${hint} control=${DecimalInput}
    name=${name} defaultValue=${formatNumberForInput(now)} limits=${{ least: 0, most }} isRequired=${isRequired} />`;
}

function ZoneField({ now }: { now: string }) {
  const { common, devices } = words();
  const list = useId();
  return html`<${Field} label=${common.fields.timezone} hint=${devices.fields.zoneHint} name="timezone" defaultValue=${now} list=${list} autocomplete="off" />
    <datalist id=${list}>${Intl.supportedValuesOf('timeZone').map((zone) => html`<option value=${zone} />`)}</datalist>`;
}
