import { useState } from 'preact/hooks';
import type { App, CreatedApp } from '#clients/typescript/client.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { readSubmittedForm, useAction } from '../../parts/load.ts';
import { ContentShownOnce, CopyableText, Dialog, Field, FormButtons, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { textNamed, words } from '../../words/words.ts';

const DEFAULT_SCOPES: readonly string[] = ['insights:read', 'devices:read'];
const TYPES: readonly App['type'][] = ['confidential', 'public'];

/** Dialog that registers an app, and then shows the app's client id and its secret once. `guide`: address of the guide for developers. */
export function RegisterAppDialog(props: { guide: string; onMade: () => void; onClose: () => void }) {
  const { guide, onMade, onClose } = props;
  const { apps: w } = words();
  const [made, setMade] = useState<CreatedApp | null>(null);
  const register = async (settings: object) => {
    setMade(await callApi<CreatedApp>('POST', '/v1/apps', settings));
    onMade();
  };
  if (made === null)
    return html`<${Dialog} title=${w.register} onClose=${onClose}>
      <${AppForm} button=${w.registerShort} send=${register} onClose=${onClose} />
    <//>`;
  return html`<${Dialog} title=${w.newApp({ name: made.name })} onClose=${onClose}>
    <${Credentials} of=${made} guide=${guide} onDone=${onClose} />
  <//>`;
}

export function EditAppDialog({
  of: app,
  onSaved,
  onClose,
}: {
  of: App;
  onSaved: (app: App) => void;
  onClose: () => void;
}) {
  const { common } = words();
  const save = async (settings: object) => onSaved(await callApi<App>('PATCH', `/v1/apps/${app.app_id}`, settings));
  return html`<${Dialog} title=${common.of({ what: common.edit, name: app.name })} onClose=${onClose}>
    <${AppForm} now=${app} button=${common.save} send=${save} onClose=${onClose} />
  <//>`;
}

/** Client id and secret of a new app. A public app (OAuth) has no secret. */
function Credentials({ of: app, guide, onDone }: { of: CreatedApp; guide: string; onDone: () => void }) {
  const { common, apps: w } = words();
  const { client_secret: secret } = app;
  return html`
    ${secret === undefined ? html`<${ContentShownOnce}>${w.noSecret}<//>` : html`<${ContentShownOnce} secret=${secret}>${renderInlineMarkup(w.copyNow)}<//>`}
    <h3>${w.clientId}</h3>
    <${CopyableText} text=${app.client_id} label=${w.clientId} />
    ${secret !== undefined && html`<h3>${w.clientSecret}</h3><${CopyableText} text=${secret} label=${w.clientSecret} />`}
    <p>${renderInlineMarkup(w.next, (name) => html`<a href=${guide} target="_blank" rel="noreferrer">${name}</a>`)}</p>
    <p class="actions"><button type="button" class="main" onClick=${onDone}>${secret === undefined ? common.done : common.doneCopied}</button></p>
  `;
}

/** Converts the form with an app's settings to members of a request. */
function settingsIn(given: FormData) {
  const text = (name: string) => String(given.get(name) ?? '').trim();
  return {
    name: text('name'),
    website: text('website'),
    redirect_uris: text('redirect_uris')
      .split(/\s+/)
      .filter((uri) => uri !== ''),
    notification_url: text('notification_url') === '' ? null : text('notification_url'),
    scopes: given.getAll('scopes').map(String),
  };
}

/** Form with the settings of an app. `now`: the current settings; omitted for a new app, whose type can be chosen. */
function AppForm(props: { now?: App; button: string; send: (settings: object) => Promise<void>; onClose: () => void }) {
  const { now, button, send, onClose } = props;
  const { common, apps: w } = words();
  const [scopes, setScopes] = useState<readonly string[]>(now?.scopes ?? DEFAULT_SCOPES);
  const { run, isBusy, error } = useAction();
  const submit = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    run(() => send({ ...settingsIn(formData), ...(now === undefined ? { type: String(formData.get('type')) } : {}) }));
  };
  return html`<form onSubmit=${submit}>
    <${Field} label=${common.name} hint=${w.nameHint} name="name" required maxlength="80" autocomplete="off" defaultValue=${now?.name ?? ''} />
    <${Address} name="website" label=${w.website} hint=${w.websiteHint} now=${now?.website} required />
    ${now === undefined && html`<${TypeChoice} />`}
    <${Field} label=${w.redirectUris} hint=${w.redirectUrisHint} control="textarea"
      name="redirect_uris" rows="3" required maxlength="20500" spellcheck=${false}
      defaultValue=${now?.redirect_uris.join('\n') ?? ''} />
    <${ScopeChoice} scopes=${scopes} isChange=${now !== undefined} onChange=${setScopes} />
    <${Address} name="notification_url" label=${words().common.fields.notification_url} hint=${w.notificationUrlHint} now=${now?.notification_url} />
    <${FormButtons} label=${button} error=${error} isBusy=${isBusy} missing=${scopes.length === 0 ? words().keys.chooseOne : null} onCancel=${onClose} />
  </form>`;
}

const Address = (props: { name: string; label: string; hint: string; now?: string | null; required?: boolean }) =>
  html`<${Field} label=${props.label} hint=${props.hint}
    type="url" name=${props.name} placeholder="https://…" pattern="https://.+" title="https://…"
    required=${props.required} maxlength="2048" autocomplete="off" defaultValue=${props.now ?? ''} />`;

function TypeChoice() {
  const { apps: w } = words();
  return html`<fieldset>
    <legend>${w.type}</legend>
    <div class="choices wide">
      ${TYPES.map(
        (type, at) => html`<label>
          <input type="radio" name="type" value=${type} defaultChecked=${at === 0} />
          <span>${w.types[type]} <small class="quiet">${w.typeHints[type]}</small></span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}

function ScopeChoice(props: { scopes: readonly string[]; isChange: boolean; onChange: (next: string[]) => void }) {
  const { scopes, isChange, onChange } = props;
  const { apps: w, keys } = words();
  const all = useSession().scopes.apps;
  const choose = (scope: string, isChosen: boolean) =>
    onChange(all.filter((one) => (one === scope ? isChosen : scopes.includes(one))));
  return html`<fieldset>
    <legend>${w.scopes}</legend>
    <p class="quiet">${isChange ? w.scopesChange : w.scopesAbout}</p>
    <div class="choices wide">
      ${all.map(
        (scope) => html`<label>
          <input
            type="checkbox"
            name="scopes"
            value=${scope}
            checked=${scopes.includes(scope)}
            onChange=${(event: Event) => choose(scope, (event.target as HTMLInputElement).checked)}
          />
          <span><code>${scope}</code> <small class="quiet">${textNamed(keys.scopes, scope)}</small></span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}
