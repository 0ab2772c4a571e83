import { useState } from 'preact/hooks';
import type { Gateway, JudgedMessage } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Field, Problem } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { changeConfig } from './mapped.ts';

/** A setting as its owner typed it; null where that is no object of JSON. */
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

/** Stores a setting that was proposed, in the gateway, once its owner has looked at it: zones, units and numbers in it are examples. */
export function UseSetting(props: {
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
    event.preventDefault();
    const setting = typedSetting(String(new FormData(event.target as HTMLFormElement).get('setting')));
    setNoObject(setting === null);
    if (setting) run(async () => onSaved(await changeConfig(gateway, (config) => ({ ...config, ...setting }))));
  };
  if (!isOpen)
    return html`<p class="actions">
      <button type="button" aria-label=${common.of({ what: w.use, name: of.family })} onClick=${() => setOpen(true)}>${w.use}</button>
    </p>`;
  return html`<form onSubmit=${submit} aria-label=${common.of({ what: w.use, name: of.family })}>
    <${Field} label=${w.setting} hint=${w.useHint}>
      ${(attributes: object) => html`<textarea ...${attributes} name="setting" rows="6" spellcheck="false" required
        defaultValue=${JSON.stringify(of.decoder_config, null, 2)}></textarea>`}
    <//>
    <${Problem} text=${isNoObject ? w.noSetting : error} />
    <p class="actions"><button class="main" ...${busy(isBusy)}>${w.form.save}</button></p>
  </form>`;
}
