import type { Period } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { cubicMetres, kwh } from '../../parts/format.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { Total } from './figure.ts';

type Glance = Period['commodities'][number];

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

function Figures({ of: { unit, used, before, last_year } }: { of: Glance }) {
  const { period: w } = words();
  const total = (name: string, { used: amount, estimated }: Glance['used']) =>
    html`<${Total} name=${name} used=${amount} estimated=${estimated} unit=${UNITS[unit]} />`;
  return html`<dl class="figures" aria-label=${unit}>
    ${total(w.used, used)}
    ${before.used !== null && total(w.commodities.before, before)}
    ${last_year.used !== null && total(w.commodities.lastYear, last_year)}
  </dl>`;
}
