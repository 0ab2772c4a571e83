import { useState } from 'preact/hooks';
import type { App } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { ListCard, renderEmptyList, useListChanges } from '../parts/list.ts';
import { useAllPages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { ConfirmButton, RelativeTime, renderInlineMarkup } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { EditAppDialog, RegisterAppDialog } from './apps/app-dialog.ts';

const GUIDE = '/docs/guides/build-an-app';

/** Page with the apps that the signed-in account has registered. */
export function Page() {
  const { me } = useSession();
  const { common, apps: w } = words();
  const heading = html`<h1>${common.pages.apps}</h1>
    <p>${renderInlineMarkup(w.about, (name) => html`<a href=${GUIDE} target="_blank" rel="noreferrer">${name}</a>`)}</p>`;
  return me.role === 'homeowner' ? html`${heading}<p>${w.notForHomes}</p>` : html`${heading}<${Registered} />`;
}

function Registered() {
  const { me } = useSession();
  const { common, apps: w } = words();
  const apps = useAllPages<App>('/v1/apps');
  const [open, setOpen] = useState<'register' | App | null>(null);
  const { change, done, told, error } = useListChanges(apps);
  const close = () => setOpen(null);
  const remove = ({ app_id, name }: App) =>
    change(() => callApi('DELETE', `/v1/apps/${app_id}`), words().common.deleted({ name }));
  const saved = ({ name }: App) => {
    done(w.saved({ name }));
    close();
  };
  // Sort by descending id: ids increase with time, so the newest app is first.
  const table = (all: App[]) =>
    renderTable(
      all.toReversed(),
      [
        [
          words().common.app,
          ({ website, name, type }) =>
            html`<span><a href=${website} target="_blank" rel="noreferrer">${name}</a> <small class="quiet">${w.types[type]}</small></span>`,
        ],
        [w.clientId, ({ client_id }) => html`<code>${client_id}</code>`],
        [words().keys.mayDo, ({ scopes }) => scopes.join(', ')],
        [common.made, ({ created_at }) => html`<${RelativeTime} at=${created_at} zone=${me.timezone} />`],
      ],
      {
        key: ({ app_id }) => app_id,
        actions: (app) =>
          html`<button type="button" aria-label=${common.of({ what: common.edit, name: app.name })} onClick=${() => setOpen(app)}>${common.edit}</button>
            <${ConfirmButton} label=${common.delete} of=${app.name} question=${w.deleteQuestion} onSure=${() => remove(app)} />`,
      },
    );
  return html`
    <${ListCard} title=${w.yours} create=${w.register} onCreate=${() => setOpen('register')} error=${error} told=${told}
      label=${w.list} of=${apps} empty=${renderEmptyList(w.empty, w.firstSteps)}>${table}<//>
    ${open === 'register' && html`<${RegisterAppDialog} guide=${GUIDE} onMade=${apps.again} onClose=${close} />`}
    ${open !== null && open !== 'register' && html`<${EditAppDialog} of=${open} onSaved=${saved} onClose=${close} />`}
  `;
}
