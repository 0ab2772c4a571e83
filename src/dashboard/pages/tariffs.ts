import { useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { call, list, withQuery } from '../api.ts';
import { html } from '../html.ts';
import { Rows } from '../parts/focus.ts';
import { useAction, useLoad } from '../parts/load.ts';
import { Card, Loading, Problem } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { TariffDialog } from './tariffs/tariff-dialog.ts';
import { Actions, Terms } from './tariffs/tariff-shown.ts';
import { dayBefore, dayName } from './tariffs/words.ts';

/** Tariffs of the picked account: what holds now, what comes, and what held before. */
export function Page() {
  const { me, user } = useSession();
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
      done(`Deleted: ${tariff.name}.`);
    });
  const actions = (tariff: Tariff) =>
    html`<${Actions} of=${tariff} onEdit=${() => setOpen(tariff)} onDelete=${() => remove(tariff)} />`;
  const terms = (tariff: Tariff) => html`<${Terms} of=${tariff} series=${series.value} zone=${user.timezone} />`;
  const whose = user.user_id === me.user_id ? 'your home' : user.email;
  return html`
    <header class="heading">
      <h1>Tariffs</h1>
      <button type="button" class="main" onClick=${() => setOpen('new')}>New tariff</button>
    </header>
    <p>What energy costs ${whose}, and what is paid for what is fed in. A tariff holds from its first day until the next one’s; what
      changes here holds for the past, too.</p>
    <${Problem} text=${error} />
    <p class="quiet told" role="status">${told}</p>
    <${Rows} label="Tariffs">
      <${Loading} of=${tariffs}>${() => (all.length === 0 ? empty : shown())}<//>
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
        onDone=${(name: string) => done(`${open === 'new' ? 'Added' : 'Saved'}: ${name}.`)}
      />`
    }
  `;

  function shown() {
    const later = all.filter(({ valid_from }) => valid_from > today);
    const earlier = all.filter((one) => one !== current && one.valid_from <= today).toReversed();
    return html`
      <${Card} title="Holds now" actions=${current && actions(current)}>
        ${
          current
            ? html`<p><b>${current.name}</b> <span class="quiet">since ${dayName(current.valid_from)}</span></p>${terms(current)}`
            : html`<p class="quiet">None does: the first one holds from ${dayName(later[0]?.valid_from ?? today)} on.</p>`
        }
      <//>
      ${later.length > 0 && html`<${Card} title="To come">${table(later)}<//>`}
      ${earlier.length > 0 && html`<${Card} title="Earlier">${table(earlier)}<//>`}
    `;
  }

  function table(some: readonly Tariff[]) {
    return html`<div class="table"><table>
      <thead><tr><th scope="col">Tariff</th><th scope="col">Held</th><th scope="col">Prices</th><td></td></tr></thead>
      <tbody>
        ${some.map(
          (one) => html`<tr key=${one.tariff_id}>
            <th scope="row" data-name="Tariff"><span>${one.name}</span></th>
            <td data-name="Held"><span>${span(one)}</span></td>
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
    return next ? `${dayName(valid_from)} – ${dayName(dayBefore(next.valid_from))}` : `from ${dayName(valid_from)} on`;
  }
}

const empty = html`<p class="note">There is no tariff yet. Press <b>New tariff</b>: start from a form that is usual in your country, fill in the numbers of
  your bill, and Home shows what the energy costs, also of the past.</p>`;
