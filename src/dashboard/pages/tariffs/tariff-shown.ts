import type { Tariff } from '#clients/typescript/client.ts';
import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { Sure } from '../../parts/ui.ts';
import { knownOf } from './series-fields.ts';
import { capacityWords, dayName, linesOf, price } from './words.ts';

/** The names of series, and how far they are told. `series`: null while they are being asked for. */
const namesOf = (series: UsableSeries[] | null, zone: string) => (id: string) => {
  const one = series?.find(({ series_id }) => series_id === id);
  return one
    ? `${one.name} (${knownOf(one, zone)})`
    : series
      ? 'a price series that you cannot use any more'
      : 'a price series';
};

/** What a tariff costs, member by member. */
export function Terms({ of, series, zone }: { of: Tariff; series: UsableSeries[] | null; zone: string }) {
  const { currency, standing_per_day, capacity } = of;
  const name = namesOf(series, zone);
  const lines = (all: string[]) =>
    all.length === 1 ? all[0] : html`<ul class="plain">${all.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<dl class="facts">
    <dt>From the grid</dt><dd>${lines(linesOf(of.import, currency, name))}</dd>
    ${standing_per_day !== undefined && html`<dt>Standing charge</dt><dd>${price(standing_per_day, currency)} a day</dd>`}
    ${capacity && html`<dt>Highest load</dt><dd>${capacityWords(capacity, currency)}</dd>`}
    ${of.export && html`<dt>Feed-in</dt><dd>${lines(linesOf(of.export, currency, name))}</dd>`}
  </dl>`;
}

/** Buttons of a tariff. */
export const Actions = ({ of, onEdit, onDelete }: { of: Tariff; onEdit: () => void; onDelete: () => void }) => html`
  <button type="button" aria-label=${`Edit: ${of.name}`} onClick=${onEdit}>Edit</button>
  <${Sure}
    label="Delete"
    of=${of.name}
    question=${`The days from ${dayName(of.valid_from)} on then cost what the tariff before it says; where there is none, what they cost is not known.`}
    onSure=${onDelete}
  />`;
