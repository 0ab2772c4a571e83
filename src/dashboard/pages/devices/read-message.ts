import { useState } from 'preact/hooks';
import type { Gateway, JudgedMessage } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { ContentShownOnce, Dialog, ErrorMessage, Field, getBusyAttributes } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { MappingForm } from './map-form.ts';
import {
  changeMappings,
  getMappings,
  getMeaningName,
  type MappingEntry,
  MessageDiagnosis,
  replaceMappings,
} from './message-diagnosis.ts';

/** A message that the user has typed, or that the service has received from a gateway. */
export interface MessageToDecode {
  topic: string;
  payload: string;
  retained?: boolean;
}

/**
 * Dialog that shows what the service reads from a message, and lets the user select the meanings of its numbers. `of`: the message that is
 * shown at first.
 */
export function DecodeMessageDialog(props: {
  gateway: Gateway;
  zone: string;
  of?: MessageToDecode;
  onChange: () => void;
  onClose: () => void;
}) {
  const { zone, of, onChange, onClose } = props;
  const { messages: w } = words();
  const [gateway, setGateway] = useState(props.gateway);
  const [looked, setLooked] = useState<{ message: MessageToDecode; judged: JudgedMessage } | null>(null);
  const [chosen, setChosen] = useState<{ path: string | null } | null>(null);
  const [isSaved, setSaved] = useState(false);
  const { run, isBusy, error } = useAction();
  const judge = (message: MessageToDecode, decoder_config: Record<string, unknown>) =>
    callApi<JudgedMessage>('POST', `/v1/gateways/${gateway.gateway_id}/decode`, { ...message, decoder_config });
  const look = (message: MessageToDecode) => {
    setChosen(null);
    setSaved(false);
    run(async () => setLooked({ message, judged: await judge(message, gateway.decoder_config) }));
  };
  const changed = async (now: Gateway, isNew: boolean) => {
    setGateway(now);
    setChosen(null);
    setSaved(isNew);
    onChange();
    if (looked) setLooked({ ...looked, judged: await judge(looked.message, now.decoder_config) });
  };
  const takeBack = (index: number, one: MappingEntry) =>
    run(async () => {
      const isIt = (other: MappingEntry, at: number) => at === index && JSON.stringify(other) === JSON.stringify(one);
      await changed(await changeMappings(gateway, (all) => all.filter((other, at) => !isIt(other, at))), false);
    });
  return html`<${Dialog} title=${w.title({ gateway: gateway.name })} onClose=${onClose}>
    <p class="quiet">${w.about}</p>
    <${MessageForm} of=${of} isBusy=${isBusy} error=${error} onLook=${look} />
    ${isSaved && html`<${ContentShownOnce}>${w.form.saved}<//>`}
    ${looked && html`<${MessageDiagnosis} of=${looked.judged} zone=${zone} gateway=${gateway} onUse=${(now: Gateway) => run(() => changed(now, true))} />`}
    ${looked?.judged.outcome === 'nobody' && looked.judged.members.length === 0 && html`<p class="quiet">${w.noMembers}</p>`}
    ${looked && looked.judged.members.length > 0 && html`<${Members} of=${looked.judged} onChoose=${(path: string | null) => setChosen({ path })} />`}
    ${
      looked &&
      chosen &&
      html`<${MappingForm}
        key=${chosen.path}
        gateway=${gateway}
        topic=${looked.judged.topic}
        path=${chosen.path}
        proposed=${looked.judged.members.find(({ path }) => path === chosen.path)?.proposed ?? null}
        times=${looked.judged.members.flatMap(({ path, may_be_time }) => (may_be_time && path !== null ? [path] : []))}
        family=${looked.judged.family}
        zone=${zone}
        onTry=${(one: MappingEntry) => judge(looked.message, replaceMappings(gateway, [...getMappings(gateway), one]))}
        onSaved=${(now: Gateway) => run(() => changed(now, true))}
      />`
    }
    <${Mappings} of=${getMappings(gateway)} isBusy=${isBusy} onRemove=${takeBack} />
  <//>`;
}

/** Form with the topic and the text of a message. `of`: the message that is shown first. */
function MessageForm(props: {
  of: MessageToDecode | undefined;
  isBusy: boolean;
  error: string | null;
  onLook: (message: MessageToDecode) => void;
}) {
  const { of, isBusy, error, onLook } = props;
  const { messages: w } = words();
  const submit = (event: SubmitEvent) => {
    const form = readSubmittedForm(event);
    const retained = form.get('retained') !== null;
    onLook({ topic: String(form.get('topic')).trim(), payload: String(form.get('payload')), retained });
  };
  return html`<form onSubmit=${submit}>
    <${Field} label=${w.topic} hint=${w.topicHint} name="topic" required maxlength="1000" autocomplete="off" defaultValue=${of?.topic ?? ''} />
    <${Field} label=${w.payload} control="textarea" name="payload" rows="6" spellcheck="false" defaultValue=${of?.payload ?? ''} />
    <label class="check"><input type="checkbox" name="retained" defaultChecked=${of?.retained ?? false} /> ${w.retained}</label>
    <${ErrorMessage} text=${error} />
    <p class="actions"><button class="main" ...${getBusyAttributes(isBusy)}>${w.look}</button></p>
  </form>`;
}

function Mappings(props: {
  of: readonly MappingEntry[];
  isBusy: boolean;
  onRemove: (index: number, mapping: MappingEntry) => void;
}) {
  const { of: all, isBusy, onRemove } = props;
  const { common, messages } = words();
  const { mappings: w } = messages;
  if (all.length === 0) return null;
  return html`<h3>${w.title}</h3>
    <ul class="mapped">${all.map(
      (one, index) => html`<li key=${JSON.stringify(one)}>
        <code>${one.topic}</code> ${one.path && html`<code>${one.path}</code>`} ${`${getMeaningName(one.meaning)}, ${one.unit} `}
        <button type="button" ...${getBusyAttributes(isBusy)} aria-label=${common.of({ what: w.remove, name: placeOf(one) })} onClick=${() => onRemove(index, one)}>${w.remove}</button>
      </li>`,
    )}</ul>`;
}

const placeOf = ({ topic, path = '' }: MappingEntry) => `${topic} ${path}`.trim();

/** List of the fields in a message for which the user can select a meaning. */
function Members({ of: judged, onChoose }: { of: JudgedMessage; onChoose: (path: string | null) => void }) {
  const { common, messages: w } = words();
  return html`<h3>${w.members}</h3>
    <p class="quiet">${w.membersAbout}</p>
    ${renderTable(
      judged.members,
      [
        [w.place, ({ path }) => (path === null ? w.whole : html`<code>${path}</code>`)],
        [w.value, ({ value }) => String(value)],
      ],
      {
        key: ({ path }) => path ?? '',
        // A date is no quantity, so it gets no button that selects a meaning.
        actions: ({ path, value }) =>
          Number.isFinite(Number(value)) &&
          html`<button type="button" aria-label=${common.of({ what: w.choose, name: path ?? w.whole })} onClick=${() => onChoose(path)}>${w.choose}</button>`,
      },
    )}`;
}
