import type { BillPeriodDetails, BillStatement } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { time } from '../../parts/format.ts';
import { count } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { billed, change } from './energy.ts';

type Reading = BillStatement['registers'][number]['at_start'];

/** What registers showed at both ends of a period. */
export function Registers({ of }: { of: BillStatement }) {
  const w = words().bills;
  if (of.registers.length === 0) return null;
  const shown = (reading: Reading) =>
    reading === null
      ? html`<span class="quiet">${w.notKnown}</span>`
      : html`${billed(reading.kwh)} <small class="quiet">${w.readings[reading.is]}, ${time(reading.at, of.timezone)}</small>`;
  return html`<details class="more">
    <summary>${w.registers}</summary>
    <div class="table"><table>
      <thead><tr><th scope="col">${w.register}</th><th scope="col">${w.atStart}</th><th scope="col">${w.atEnd}</th><th scope="col">${w.counted}</th></tr></thead>
      <tbody>${of.registers.map(
        (one) => html`<tr>
          <th scope="row" data-name=${w.register}><code>${one.channel}</code></th>
          <td data-name=${w.atStart}>${shown(one.at_start)}</td>
          <td data-name=${w.atEnd}>${shown(one.at_end)}</td>
          <td data-name=${w.counted}>${one.energy_kwh === null ? w.notKnown : billed(one.energy_kwh)}</td>
        </tr>`,
      )}</tbody>
    </table></div>
  </details>`;
}

/** All that was told of a period; only added to. */
export function Versions({ of }: { of: BillPeriodDetails }) {
  const w = words().bills;
  return html`<details class="more">
    <summary>${w.versions({ versions: of.versions.length })}</summary>
    <div class="table"><table>
      <thead><tr>
        <th scope="col">${w.version}</th><th scope="col">${w.recorded}</th><th scope="col">${w.import}</th><th scope="col">${w.changed}</th>
      </tr></thead>
      <tbody>${of.versions.map(
        (one) => html`<tr>
          <th scope="row" data-name=${w.version}>${count(one.version)}, ${w.causes[one.cause]}</th>
          <td data-name=${w.recorded}>${time(one.recorded_at, of.timezone)}</td>
          <td data-name=${w.import}>${billed(one.import_kwh)}</td>
          <td data-name=${w.changed}>${change(one.import_change_kwh)}</td>
        </tr>`,
      )}</tbody>
    </table></div>
  </details>`;
}
