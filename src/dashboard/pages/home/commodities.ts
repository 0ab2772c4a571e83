import type { Overview } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { cubicMetres, kwh } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { Total } from './figure.ts';

type Glance = Overview['commodities'][number];

const UNITS: Record<Glance['unit'], (value: number) => string> = { kWh: kwh, 'm³': cubicMetres };

/** What a home uses beside electricity: a card for each of gas, heat and water that it has, in energy, volume or both. */
export function Commodities({ of }: { of: Glance[] }) {
  if (of.length === 0) return null;
  const cards = [...Map.groupBy(of, ({ commodity }) => commodity)];
  return html`<div class="grid">
    ${cards.map(
      ([commodity, units]) =>
        html`<${Card} key=${commodity} title=${words().home.commodities[commodity]}>${units.map((one) => html`<${Figures} key=${one.unit} of=${one} />`)}<//>`,
    )}
  </div>`;
}

function Figures({ of: { unit, today, month, last_month } }: { of: Glance }) {
  const { home: w } = words();
  const total = (name: string, { used, estimated }: Glance['today']) =>
    html`<${Total} name=${name} used=${used} estimated=${estimated} unit=${UNITS[unit]} />`;
  return html`<dl class="figures" aria-label=${unit}>
    ${total(w.today, today)} ${total(w.thisMonth, month)} ${total(w.lastMonth, last_month)}
  </dl>`;
}
