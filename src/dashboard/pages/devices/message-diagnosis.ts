import { useState } from 'preact/hooks';
import type { Gateway, JudgedMessage } from '#clients/typescript/client.ts';
import { ApiFailure, appendQuery, callApi, fetchAllPages } from '../../api.ts';
import { html } from '../../html.ts';
import { formatTime } from '../../parts/format.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { Badge, CopyableText, ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { numberFormat } from '../../words/locale.ts';
import { textNamed, words } from '../../words/words.ts';

const shown = (value: number | boolean) =>
  typeof value === 'number' ? numberFormat({ maximumFractionDigits: 9 }).format(value) : String(value);

/**
 * Shows the values that the service reads from a message, or why there are none, and settings that would help. `onUse` is called after the
 * user has stored a suggested setting.
 */
export function MessageDiagnosis(props: {
  of: JudgedMessage;
  zone: string;
  gateway?: Gateway;
  onUse?: (gateway: Gateway) => void;
}) {
  const { of: judged, zone, gateway, onUse } = props;
  const { messages: w, devices } = words();
  const { outcome, family, readings, asks, refused, left_out, would } = judged;
  const kind = (name: string) => textNamed(devices.discovered.kinds, name) ?? name;
  return html`
    <p role="status">${renderInlineMarkup(outcome === 'nobody' ? w.outcomes.nobody : w.outcomes[outcome]({ family: family ?? '' }))}</p>
    ${
      readings.length + asks.length > 0 &&
      html`<div class="table"><table>
        <thead><tr>
          <th scope="col">${words().common.device}</th><th scope="col">${w.quantity}</th><th scope="col">${w.value}</th><th scope="col">${words().common.chart.time}</th>
        </tr></thead>
        <tbody>
          ${readings.map(
            ({ device, channel, kind: name, value, ts }) => html`<tr key=${`${device} ${channel} ${name}`}>
              <th scope="row" data-name=${words().common.device}>${device}</th>
              <td data-name=${w.quantity}><span>${kind(name)} <code>${channel}</code></span></td>
              <td data-name=${w.value}>${shown(value)}</td>
              <td data-name=${words().common.chart.time}>${ts === null ? html`<span class="quiet">${w.atReceipt}</span>` : formatTime(ts, zone)}</td>
            </tr>`,
          )}
          ${asks.map(
            ({ device, native_name, unit, value }) => html`<tr key=${`${device} ${native_name}`}>
              <th scope="row" data-name=${words().common.device}>${device}</th>
              <td data-name=${w.quantity}><span><code>${native_name}</code> <${Badge} kind="warn">${w.isAsked}<//></span></td>
              <td data-name=${w.value}>${`${shown(value)} ${unit ?? ''}`}</td>
              <td></td>
            </tr>`,
          )}
        </tbody>
      </table></div>`
    }
    ${refused.length > 0 && html`<ul lang="en">${refused.map((reason) => html`<li>${reason}</li>`)}</ul>`}
    ${left_out > 0 && html`<p class="quiet">${w.leftOut({ count: left_out })}</p>`}
    ${would.map(
      (one) => html`
        <p>${renderInlineMarkup(w.would({ family: one.family }))}</p>
        <${CopyableText} text=${JSON.stringify(one.decoder_config)} label=${w.setting} />
        ${gateway && onUse && html`<${UseSetting} key=${JSON.stringify(one)} gateway=${gateway} of=${one} onSaved=${onUse} />`}
      `,
    )}
  `;
}

/** Parses a setting that the user has typed. Returns null unless it is a JSON object. */
function typedSetting(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Form that stores a suggested setting in the gateway. The user must check its zones, units and numbers first. */
function UseSetting(props: {
  gateway: Gateway;
  of: JudgedMessage['would'][number];
  onSaved: (gateway: Gateway) => void;
}) {
  const { gateway, of, onSaved } = props;
  const { common, messages: w } = words();
  const [isOpen, setOpen] = useState(false);
  const [isNoObject, setNoObject] = useState(false);
  const { run, isBusy, error } = useAction();
  const submit = (event: SubmitEvent) => {
    const setting = typedSetting(String(readSubmittedForm(event).get('setting')));
    setNoObject(setting === null);
    if (setting) run(async () => onSaved(await changeConfig(gateway, (config) => ({ ...config, ...setting }))));
  };
  if (!isOpen)
    return html`<p class="actions">
      <button type="button" aria-label=${common.of({ what: w.use, name: of.family })} onClick=${() => setOpen(true)}>${w.use}</button>
    </p>`;
  return html`<form onSubmit=${submit} aria-label=${common.of({ what: w.use, name: of.family })}>
    <${Field} label=${w.setting} hint=${w.useHint} control="textarea"
      name="setting" rows="6" spellcheck="false" required defaultValue=${JSON.stringify(of.decoder_config, null, 2)} />
    <${ErrorMessage} text=${isNoObject ? w.noSetting : error} />
    <p class="actions"><button class="main" ...${getBusyAttributes(isBusy)}>${w.form.save}</button></p>
  </form>`;
}

/** An entry of `mapping` in a gateway's `decoder_config`. The service validates the entry. */
export interface MappingEntry {
  topic: string;
  device?: string;
  path?: string;
  unit: string;
  scale?: number;
  meaning: string;
  circuit?: string;
  time_path?: string;
}

const ENERGY = ['kWh', 'Wh', 'MWh', 'MJ', 'GJ'];
const POWER = ['W', 'kW'];
const VOLUME = ['m3', 'l'];
const DEGREES = ['C', 'F'];

/** Units that the form offers for each meaning of a number, the usual unit first. */
export const UNITS_BY_MEANING: Readonly<Record<string, readonly string[]>> = {
  import: [...ENERGY, ...POWER],
  export: [...ENERGY, ...POWER],
  power: POWER,
  production: [...ENERGY, ...POWER],
  'import/t1': ENERGY,
  'import/t2': ENERGY,
  'export/t1': ENERGY,
  'export/t2': ENERGY,
  'import/l1': [...ENERGY, ...POWER],
  'import/l2': [...ENERGY, ...POWER],
  'import/l3': [...ENERGY, ...POWER],
  gas: [...VOLUME, ...ENERGY],
  heat: [...ENERGY, ...VOLUME],
  water: VOLUME,
  temperature: DEGREES,
  setpoint: DEGREES,
};

/** Returns the display name of what a number in a message can mean. */
export function getMeaningName(meaning: string): string {
  const { devices, messages } = words();
  const { temperature, setpoint } = devices.climate;
  const names: Record<string, string> = { ...devices.channels.meanings, ...messages.meanings, temperature, setpoint };
  return names[meaning] ?? meaning;
}

/** Returns the mappings in a gateway's settings; an empty list if `mapping` is not a list. */
export const getMappings = ({ decoder_config }: Gateway): MappingEntry[] =>
  Array.isArray(decoder_config.mapping) ? (decoder_config.mapping as MappingEntry[]) : [];

/** Returns a gateway's settings with other mappings. The other settings stay the same. */
export const replaceMappings = (
  { decoder_config }: Gateway,
  mapping: readonly MappingEntry[],
): Record<string, unknown> => ({
  ...decoder_config,
  mapping,
});

/** Changes a gateway's mappings. Loads its settings first, because another user may have changed them. Returns the updated gateway. */
export const changeMappings = (of: Gateway, change: (all: MappingEntry[]) => MappingEntry[]): Promise<Gateway> =>
  changeConfig(of, (_, now) => replaceMappings(now, change(getMappings(now))));

/** Changes a gateway's settings. Loads them first, because another user may have changed them. Returns the updated gateway. */
async function changeConfig(
  of: Gateway,
  change: (config: Record<string, unknown>, now: Gateway) => Record<string, unknown>,
): Promise<Gateway> {
  const { gateway_id, user_id } = of;
  const all = await fetchAllPages<Gateway>(appendQuery('/v1/gateways', { user_id }));
  const now = all.find((one) => one.gateway_id === gateway_id);
  if (!now) throw new ApiFailure(404, {});
  const decoder_config = change(now.decoder_config, now);
  return callApi<Gateway>('PATCH', `/v1/gateways/${gateway_id}`, { decoder_config });
}
