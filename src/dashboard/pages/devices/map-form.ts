import { useEffect, useRef, useState } from 'preact/hooks';
import type { Gateway, JudgedMessage } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { DecimalInput, parseDecimalInput } from '../../parts/decimal-input.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { ErrorMessage, Field, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import {
  changeMappings,
  getMeaningName,
  type MappingEntry,
  MessageDiagnosis,
  UNITS_BY_MEANING,
} from './message-diagnosis.ts';

/**
 * Form that stores the meaning of a field of a message. `path`: path of the field; null if the message is a single value. `proposed`: the
 * suggested meaning. `times`: paths of the fields that may contain the time of the message. `family`: the device family whose decoder reads
 * such messages until the meaning is stored. `onTry` is called to show the result.
 */
export function MappingForm(props: {
  gateway: Gateway;
  topic: string;
  path: string | null;
  proposed: JudgedMessage['members'][number]['proposed'];
  times: readonly string[];
  family: string | null;
  zone: string;
  onTry: (mapped: MappingEntry) => Promise<JudgedMessage>;
  onSaved: (gateway: Gateway) => void;
}) {
  const { gateway, topic, path, proposed, times, family, zone, onTry, onSaved } = props;
  const { form, whole } = words().messages;
  const [meaning, setMeaning] = useState(proposed?.meaning ?? '');
  const [tried, setTried] = useState<JudgedMessage | null>(null);
  const { run, isBusy, error } = useAction();
  const shown = useRef<HTMLFormElement>(null);
  // The form gets the focus, because it may appear below a long list.
  useEffect(() => shown.current?.querySelector('select')?.focus(), []);
  const submit = (event: SubmitEvent) => {
    const mapped = mappedIn(readSubmittedForm(event), path, topic);
    const isSaving = (event.submitter as HTMLButtonElement | null)?.value === 'save';
    run(async () => {
      if (isSaving) onSaved(await changeMappings(gateway, (all) => [...all, mapped]));
      else setTried(await onTry(mapped));
    });
  };
  return html`<form ref=${shown} onSubmit=${submit} aria-label=${form.title({ place: path ?? whole })}>
    <h3>${form.title({ place: path ?? whole })}</h3>
    ${family !== null && family !== 'mapping' && html`<p>${renderInlineMarkup(form.takesOver({ family }))}</p>`}
    <${Field} label=${form.meaning} hint=${form.total} control="select"
      name="meaning" required value=${meaning}
      onChange=${(event: Event) => setMeaning((event.target as HTMLSelectElement).value)}>
      ${meaning === '' && html`<option value=""></option>`}
      ${Object.keys(UNITS_BY_MEANING).map((one) => html`<option value=${one}>${getMeaningName(one)}</option>`)}
    <//>
    <${Field} label=${form.unit} control="select" name="unit" key=${meaning} required>
      ${UNITS_BY_MEANING[meaning]?.map((one) => html`<option value=${one} selected=${one === proposed?.unit}>${one}</option>`)}
    <//>
    <${Field} label=${form.scale} hint=${form.scaleHint} control=${DecimalInput} name="scale" limits=${null} />
    <${Field} label=${form.topic} hint=${form.topicHint} name="topic" required maxlength="120" autocomplete="off" defaultValue=${topic} />
    <${Field} label=${form.device} hint=${form.deviceHint}
      name="device" maxlength="100" autocomplete="off" defaultValue=${path === null ? deviceOf(topic) : ''} />
    <${Field} label=${form.circuit} hint=${form.circuitHint} name="circuit" maxlength="32" autocomplete="off" />
    ${
      path !== null &&
      times.length > 0 &&
      html`<${Field} label=${form.time} control="select" name="time_path">
        <option value="">${words().messages.atReceipt}</option>
        ${times.filter((one) => one !== path).map((one) => html`<option value=${one}>${one}</option>`)}
      <//>`
    }
    <${ErrorMessage} text=${error} />
    ${tried && html`<h4>${form.tried}</h4><${MessageDiagnosis} of=${tried} zone=${zone} />`}
    <p class="actions">
      <button value="try" ...${getBusyAttributes(isBusy)}>${form.try}</button>
      <button value="save" class="main" ...${getBusyAttributes(isBusy)}>${form.save}</button>
    </p>
  </form>`;
}

/** Returns the proposed device name for a message that is a plain number: its topic without the last level. */
const deviceOf = (topic: string): string => /^(.{1,100})\/[^/]*$/.exec(topic)?.[1] ?? '';

/** Returns the mapping that the form describes, without its empty fields. */
function mappedIn(form: FormData, path: string | null, topic: string): MappingEntry {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const scale = parseDecimalInput(text('scale'));
  // The proposed name belongs to one topic, so it is omitted if the topic has wildcards.
  const isProposed = text('topic').includes('+') && text('device') === deviceOf(topic);
  const device = isProposed ? '' : text('device');
  const optional = { device, circuit: text('circuit'), time_path: text('time_path'), path: path ?? '' };
  const filledFields = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== ''));
  return {
    topic: text('topic'),
    unit: text('unit'),
    meaning: text('meaning'),
    ...filledFields,
    ...(scale === null ? {} : { scale }),
  };
}
