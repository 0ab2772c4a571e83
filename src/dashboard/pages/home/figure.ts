import { useState } from 'preact/hooks';
import type { Cost, Figure as Opened, Overview } from '#src/api/dashboard/shapes.ts';
import { call, withQuery } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import { kwh, percent } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { caveatsOf, money } from '../../parts/money.ts';
import { Dialog, Loading } from '../../parts/ui.ts';
import { PLACEMENTS, typeName } from '../devices/device.ts';

/** Days of a figure, YYYY-MM-DD. */
export interface Days {
  start: string;
  end: string;
}

/** Whose figure, and of which days. `isOver`: today is not among them. */
interface Opens {
  userId: string;
  days: Days;
  isOver: boolean;
}

/** A total of a home's electricity, and how much of it was estimated. `of`: where it can be opened. `cost`: null where no tariff held. */
export function Figure(props: { name: string; used: Overview['today']; of: Opens | null; cost: Cost | null }) {
  const { name, used, of, cost } = props;
  const [isOpen, setOpen] = useState(false);
  const { kwh_used, estimated_kwh } = used;
  const opens = (shown: string) =>
    of &&
    html`<button type="button" class="opens" aria-label=${`${name}: ${shown}. What it is made of`} onClick=${() => setOpen(true)}>${shown}</button>`;
  return html`<${Total} name=${name} used=${kwh_used} estimated=${estimated_kwh} unit=${kwh} link=${opens} cost=${cost}>
    ${isOpen && of && html`<${Details} name=${name} of=${of} onClose=${() => setOpen(false)} />`}
  <//>`;
}

/** A total in its unit, and how much of it was estimated; null: nothing is known. `link`: what is shown in place of its text. */
export function Total(props: {
  name: string;
  used: number | null;
  estimated: number | null;
  unit: (value: number) => string;
  link?: (shown: string) => Children;
  cost?: Cost | null;
  children?: Children;
}) {
  const { name, used, estimated, unit, link, cost, children } = props;
  return html`<div>
    <dt>${name}</dt>
    <dd class="big">${used === null ? '–' : (link?.(unit(used)) ?? unit(used))}</dd>
    ${cost && html`<dd class="money">${money(cost.total, cost.currency)}</dd>`}
    <dd class="quiet">${
      used === null
        ? 'no data'
        : estimated
          ? html`<i class="swatch" /> ${unit(estimated)} of it estimated`
          : 'all measured'
    }</dd>
    ${cost && caveatsOf(cost).map((caveat) => html`<dd class="quiet">${caveat}</dd>`)}
    ${children}
  </div>`;
}

/** What a figure is made of. */
function Details(props: { name: string; of: Opens; onClose: () => void }) {
  const { name, of, onClose } = props;
  const { userId, days, isOver } = of;
  const loaded = useLoad(
    () => call<Opened>('GET', withQuery('/v1/figure', { user_id: userId, ...days })),
    [userId, days.start, days.end],
  );
  return html`<${Dialog} title=${`${name}: what it is made of`} onClose=${onClose}>
    <${Loading} of=${loaded}>
      ${(figure: Opened) => html`
        <p><b>${kwh(figure.kwh_used)}</b> used${days.start === days.end ? ` on ${days.start}` : ` from ${days.start} to ${days.end}`}:${' '}
          ${kwh(figure.kwh_used - figure.estimated_kwh)} measured, ${kwh(figure.estimated_kwh)} estimated.
          ${figure.coverage !== null && html` ${percent(figure.coverage)} of the time is known${isOver ? '' : '; today is not over'}.`}</p>
        ${figure.estimated_kwh > 0 && html`<p class="quiet">Estimated: a register was silent for more than an hour. How much flowed is certain, in which of these hours is not.</p>`}
        <div class="table"><table>
          <thead><tr><th scope="col">Device</th><th scope="col">In</th><th scope="col">Out</th><th scope="col">Estimated</th><th scope="col">Not counted, and why</th></tr></thead>
          <tbody>${figure.devices.map((device) => html`<${Row} key=${device.device_id} of=${device} />`)}</tbody>
        </table></div>
      `}
    <//>
  <//>`;
}

type Device = Opened['devices'][number];

const Row = ({ of: device }: { of: Device }) => html`<tr>
  <th scope="row" data-name="Device"><span>${device.location} <span class="quiet">${typeName(device.type)}, ${PLACEMENTS[device.placement]}</span></span></th>
  <td data-name="In">${shownOr(device.import_kwh)}</td>
  <td data-name="Out">${shownOr(device.export_kwh)}</td>
  <td data-name="Estimated">${shownOr(device.estimated_kwh || null)}</td>
  <td data-name="Not counted, and why">
    ${
      device.notes.length + device.rejected.length === 0
        ? '–'
        : html`<ul>
            ${device.notes.map(({ note, count }) => html`<li>${times(count)} ${WHY[note]}</li>`)}
            ${device.rejected.map(({ reason, count }) => html`<li>${times(count)} refused: ${reason}</li>`)}
          </ul>`
    }
  </td>
</tr>`;

const shownOr = (value: number | null) => (value === null ? '–' : kwh(value));
const times = (count: number) => (count === 1 ? 'One reading' : `${count} readings`);

/** What became of a reading that was not plainly counted. */
const WHY: Record<Device['notes'][number]['note'], string> = {
  held: 'held: implausible, until the next ones say what it was',
  glitch: 'left out: implausible, and the next one fitted the one before',
  late: 'late news: what came at once was spread over the time that it tells of',
  back: 'left out: the next ones fitted those before it',
  reset: 'after a reset: counted from zero',
  rollover: 'after a rollover: counted across it',
  swap: 'of another meter: a new baseline, nothing counted over the step',
  overlap: 'left out: it overlaps another interval',
};
