import { useState } from 'preact/hooks';
import type { Cost, UsageBreakdownResponse as Opened, Period } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import {
  formatCostNotes,
  formatDay,
  formatDecimals,
  formatKwh,
  formatMoneyAmount,
  formatPercent,
} from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Dialog, LoadedContent, renderInlineMarkup } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { getDeviceTypeName } from '../devices/device.ts';

/** First and last day of a total, as YYYY-MM-DD. */
interface Days {
  start: string;
  end: string;
}

/** The home and the days of a total. `isOver`: whether the days have ended. */
interface Opens {
  userId: string;
  days: Days;
  isOver: boolean;
}

/**
 * A total of a home's electricity, and how much of it is estimated. `of`: home and days of the total. `cost`: null if no tariff applied.
 */
export function ElectricityTotal(props: {
  name: string;
  used: Pick<Period['used'], 'kwh_used' | 'estimated_kwh'>;
  of: Opens | null;
  cost: Cost | null;
}) {
  const { name, used, of, cost } = props;
  const [isOpen, setOpen] = useState(false);
  const { kwh_used, estimated_kwh } = used;
  const opens = (shown: string) =>
    of &&
    html`<button type="button" class="opens" aria-label=${words().home.figure.opens({ name, shown })} onClick=${() => setOpen(true)}>${shown}</button>`;
  return html`<${TotalFigure} name=${name} used=${kwh_used} estimated=${estimated_kwh} unit=${formatKwh} link=${opens} cost=${cost}>
    ${isOpen && of && html`<${Details} name=${name} of=${of} onClose=${() => setOpen(false)} />`}
  <//>`;
}

/**
 * A total with its unit, and how much of it is estimated. Shows a dash if the total is unknown. `link` returns what to show instead of the
 * formatted total.
 */
export function TotalFigure(props: {
  name: string;
  used: number | null;
  estimated: number | null;
  unit: (value: number) => string;
  link?: (shown: string) => Children;
  cost?: Cost | null;
  children?: Children;
}) {
  const { name, used, estimated, unit, link, cost, children } = props;
  const { common, home } = words();
  return html`<div>
    <dt>${name}</dt>
    <dd class="big">${used === null ? '–' : (link?.(unit(used)) ?? unit(used))}</dd>
    ${cost && html`<dd class="money">${formatMoneyAmount(cost.total, cost.currency)}</dd>`}
    <dd class="quiet">${
      used === null
        ? common.noData
        : estimated
          ? html`<i class="swatch" /> ${common.estimatedOfIt({ amount: unit(estimated) })}`
          : home.allMeasured
    }</dd>
    ${cost && formatCostNotes(cost).map((caveat) => html`<dd class="quiet">${caveat}</dd>`)}
    ${children}
  </div>`;
}

/** Dialog with the readings from which a total is computed. */
function Details(props: { name: string; of: Opens; onClose: () => void }) {
  const { name, of, onClose } = props;
  const { userId, days, isOver } = of;
  const { figure: w } = words().home;
  const loaded = useLoad(
    () => callApi<Opened>('GET', appendQuery('/v1/figure', { user_id: userId, ...days })),
    [userId, days.start, days.end],
  );
  return html`<${Dialog} title=${w.title({ name })} onClose=${onClose}>
    <${LoadedContent} of=${loaded}>
      ${(figure: Opened) => html`
        <p>${renderInlineMarkup(days.start === days.end ? w.usedOn({ energy: formatKwh(figure.kwh_used), day: formatDay(days.start) }) : w.usedFrom({ energy: formatKwh(figure.kwh_used), start: formatDay(days.start), end: formatDay(days.end) }))}${' '}
          ${w.parts({ measured: formatKwh(figure.kwh_used - figure.estimated_kwh), estimated: formatKwh(figure.estimated_kwh) })}
          ${figure.coverage !== null && ` ${(isOver ? w.known : w.knownSoFar)({ share: formatPercent(figure.coverage) })}`}</p>
        ${figure.estimated_kwh > 0 && html`<p class="quiet">${w.whyEstimated}</p>`}
        ${figure.emissions && html`<p>${emissionsOf(figure.emissions)}</p>`}
        ${tableOf(figure.devices)}
      `}
    <//>
  <//>`;
}

/** Describes the emissions of a total, and the amount of energy for which emissions are unknown. */
function emissionsOf({ kg_co2e, missing_kwh }: NonNullable<Opened['emissions']>): string {
  const { figure: w } = words().home;
  const kg = formatDecimals(Number(kg_co2e), 3);
  return [w.emissions({ kg }), ...(missing_kwh > 0 ? [w.noIntensity({ energy: formatKwh(missing_kwh) })] : [])].join(
    ' ',
  );
}

type Device = Opened['devices'][number];

function tableOf(devices: readonly Device[]) {
  const { common, devices: named, home } = words();
  const w = home.figure;
  return renderTable(
    devices,
    [
      [
        common.device,
        ({ location, type, placement }) =>
          html`<span>${location} <span class="quiet">${getDeviceTypeName(type)}, ${named.placements[placement]}</span></span>`,
      ],
      [w.in, ({ import_kwh }) => shownOr(import_kwh)],
      [w.out, ({ export_kwh }) => shownOr(export_kwh)],
      [w.estimated, ({ estimated_kwh }) => shownOr(estimated_kwh || null)],
      [
        w.notCounted,
        ({ notes, rejected }) =>
          notes.length + rejected.length === 0
            ? '–'
            : html`<ul>
                ${notes.map(({ note, count }) => html`<li>${w.readings({ count })} ${w.notes[note]}</li>`)}
                ${rejected.map(({ reason, count }) => html`<li>${w.refused({ readings: w.readings({ count }), reason })}</li>`)}
              </ul>`,
      ],
    ],
    { key: ({ device_id }) => device_id },
  );
}

const shownOr = (value: number | null) => (value === null ? '–' : formatKwh(value));
