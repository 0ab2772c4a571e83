import type { Tariff } from '#clients/typescript/client.ts';
import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { dayName } from '../../parts/format.ts';
import { Sure } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { knownOf } from './series-fields.ts';
import { capacityWords, linesOf, price } from './words.ts';

/** The names of series, and how far they are told. `series`: null while they are being asked for. */
const namesOf = (series: UsableSeries[] | null, zone: string) => (id: string) => {
  const one = series?.find(({ series_id }) => series_id === id);
  return one
    ? `${one.name} (${knownOf(one, zone)})`
    : series
      ? words().tariffs.unusableSeries
      : words().tariffs.someSeries;
};

/** What a tariff costs, member by member. */
export function Terms({ of, series, zone }: { of: Tariff; series: UsableSeries[] | null; zone: string }) {
  const { currency, standing_per_day, capacity } = of;
  const { tariffs: w } = words();
  const name = namesOf(series, zone);
  const lines = (all: string[]) =>
    all.length === 1 ? all[0] : html`<ul class="plain">${all.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<dl class="facts">
    <dt>${w.fromGrid}</dt><dd>${lines(linesOf(of.import, currency, name))}</dd>
    ${standing_per_day !== undefined && html`<dt>${w.standing}</dt><dd>${w.aDay({ price: price(standing_per_day, currency) })}</dd>`}
    ${capacity && html`<dt>${w.highestLoad}</dt><dd>${capacityWords(capacity, currency)}</dd>`}
    ${of.export && html`<dt>${w.feedIn}</dt><dd>${lines(linesOf(of.export, currency, name))}</dd>`}
  </dl>`;
}

/** Buttons of a tariff. */
export function Actions({ of, onEdit, onDelete }: { of: Tariff; onEdit: () => void; onDelete: () => void }) {
  const { common, tariffs: w } = words();
  return html`
  <button type="button" aria-label=${w.editOf({ name: of.name })} onClick=${onEdit}>${common.edit}</button>
  <${Sure}
    label=${common.delete}
    of=${of.name}
    question=${w.deleteQuestion({ day: dayName(of.valid_from) })}
    onSure=${onDelete}
  />`;
}
