import { useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { call, list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { dayName } from '../parts/format.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { rich } from '../parts/rich.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { TariffDialog } from './tariffs/tariff-dialog.ts';
import { Actions, Terms } from './tariffs/tariff-shown.ts';
import { dayBefore } from './tariffs/words.ts';

/** Tariffs of the picked account: what holds now, what comes, and what held before. */
export function Page() {
  const { me, user } = useSession();
  const { common, tariffs: w } = words();
  const tariffs = useLoad(
    () => list<Tariff>(withQuery('/v1/tariffs', { user_id: user.user_id, limit: 200 })),
    [user.user_id],
  );
  const series = useLoad(
    () => list<UsableSeries>(withQuery('/v1/usable-series', { user_id: user.user_id, limit: 200 })),
    [user.user_id],
  );
  const [open, setOpen] = useState<'new' | Tariff | null>(null);
  const [told, setTold] = useState('');
  const { run, error } = useAction();
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: user.timezone }).format();
  // In order of the days from which they hold.
  const all = tariffs.value ?? [];
  const current = all.findLast(({ valid_from }) => valid_from <= today) ?? null;
  const done = (what: string) => {
    setTold(what);
    setOpen(null);
    tariffs.again();
  };
  const remove = (tariff: Tariff) =>
    run(async () => {
      await call('DELETE', `/v1/tariffs/${tariff.tariff_id}`);
      done(w.deleted({ name: tariff.name }));
    });
  const actions = (tariff: Tariff) =>
    html`<${Actions} of=${tariff} onEdit=${() => setOpen(tariff)} onDelete=${() => remove(tariff)} />`;
  const terms = (tariff: Tariff) => html`<${Terms} of=${tariff} series=${series.value} zone=${user.timezone} />`;
  return html`
    <header class="heading">
      <h1>${common.pages.tariffs}</h1>
      <button type="button" class="main" onClick=${() => setOpen('new')}>${w.new}</button>
    </header>
    <p>${user.user_id === me.user_id ? w.aboutOwn : w.about({ email: user.email })}</p>
    <${Problem} text=${error} />
    <p class="quiet told" role="status">${told}</p>
    <${Rows} label=${common.pages.tariffs}>
      <${Loading} of=${tariffs}>${() => (all.length === 0 ? html`<p class="note">${rich(w.empty)}</p>` : shown())}<//>
    <//>
    ${
      // Not before it is known what there is: what a new one starts from depends on it.
      open !== null &&
      !tariffs.isLoading &&
      html`<${TariffDialog}
        ...${open === 'new' ? {} : { of: open }}
        all=${all}
        current=${current}
        today=${today}
        series=${series.value}
        onClose=${() => setOpen(null)}
        onDone=${(name: string) => done(open === 'new' ? w.added({ name }) : w.saved({ name }))}
      />`
    }
  `;

  function shown() {
    const later = all.filter(({ valid_from }) => valid_from > today);
    const earlier = all.filter((one) => one !== current && one.valid_from <= today).toReversed();
    return html`
      <${Card} title=${w.holdsNow} actions=${current && actions(current)}>
        ${
          current
            ? html`<p><b>${current.name}</b> <span class="quiet">${w.since({ day: dayName(current.valid_from) })}</span></p>${terms(current)}`
            : html`<p class="quiet">${w.noneHolds({ day: dayName(later[0]?.valid_from ?? today) })}</p>`
        }
      <//>
      ${later.length > 0 && html`<${Card} title=${w.toCome}>${table(later)}<//>`}
      ${earlier.length > 0 && html`<${Card} title=${w.earlier}>${table(earlier)}<//>`}
    `;
  }

  function table(some: readonly Tariff[]) {
    return html`<div class="table"><table>
      <thead><tr><th scope="col">${w.tariff}</th><th scope="col">${w.held}</th><th scope="col">${w.prices}</th><td></td></tr></thead>
      <tbody>
        ${some.map(
          (one) => html`<tr key=${one.tariff_id}>
            <th scope="row" data-name=${w.tariff}><span>${one.name}</span></th>
            <td data-name=${w.held}><span>${span(one)}</span></td>
            <td class="whole">${terms(one)}</td>
            <td><div class="actions">${actions(one)}</div></td>
          </tr>`,
        )}
      </tbody>
    </table></div>`;
  }

  /** From when until when it holds. */
  function span({ valid_from }: Tariff): string {
    const next = all.find((one) => one.valid_from > valid_from);
    return next
      ? `${dayName(valid_from)} – ${dayName(dayBefore(next.valid_from))}`
      : w.fromOn({ day: dayName(valid_from) });
  }
}
