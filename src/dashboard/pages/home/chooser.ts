import { useEffect, useRef } from 'preact/hooks';
import type { Period as EnergyPeriod } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import { formatCubicMetres, formatKwh } from '../../parts/format.ts';
import {
  changePeriodUnit,
  formatPeriod,
  getLastDay,
  getPeriodAt,
  PERIOD_UNITS,
  type Period,
  shiftPeriod,
} from '../../parts/period.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { TotalFigure } from './figure.ts';

/** Controls that select the period: a day, week, month or year; the previous or next one; or any date. `first`: first day with data. */
export function PeriodChooser(props: {
  period: Period;
  today: string;
  first: string | null;
  onShow: (period: Period) => void;
}) {
  const { period, today, first, onShow } = props;
  const { unit, start } = period;
  const w = words().period;
  const isLast = getLastDay(period) >= today;
  const isFirst = start <= (first ?? '1970-01-08');
  const step = (by: number, isEnd: boolean) =>
    html`<button
      type="button"
      class="step"
      aria-label=${by < 0 ? w.previous[unit] : w.next[unit]}
      title=${by < 0 ? w.previous[unit] : w.next[unit]}
      aria-disabled=${isEnd ? true : undefined}
      onClick=${() => isEnd || onShow(shiftPeriod(period, by))}
    >${by < 0 ? '‹' : '›'}</button>`;
  const jump = (event: Event) => {
    const { value } = event.target as HTMLInputElement;
    // Ignores an incomplete date, which the user is still typing.
    if (/^\d{4}-\d\d-\d\d$/.test(value) && value >= '1970-01-08' && value <= today) onShow(getPeriodAt(unit, value));
  };
  return html`<div class="chooser" role="group" aria-label=${words().common.period}>
    <div class="units">
      ${PERIOD_UNITS.map(
        (one) =>
          html`<button type="button" aria-pressed=${one === unit} onClick=${() => onShow(changePeriodUnit(one, period, today))}>${w.units[one]}</button>`,
      )}
    </div>
    <div class="steps">
      ${step(-1, isFirst)}
      <label class="date"><span class="date-name">${formatPeriod(period)}</span>
        <input type="date" aria-label=${w.goTo} value=${start} max=${today} onChange=${jump} />
      </label>
      ${step(1, isLast)}
    </div>
  </div>`;
}

/** Minimum length of a swipe in pixels. */
const MIN_SWIPE_PX = 60;
const STEEPEST = 0.5;
/** Selectors of elements that handle swipes or arrow keys themselves. */
const OWN = ['input', 'select', 'textarea', 'dialog', '.heat', '.scroll'].join();

/** Calls `step` when the user swipes over an element or presses an arrow key. Returns the attributes that the element needs. */
export function usePeriodNavigation(step: (by: number) => void) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(step);
  latest.current = step;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let from: { x: number; y: number } | null = null;
    const begin = (event: TouchEvent) => {
      const [touch] = event.touches;
      const isOurs = event.touches.length === 1 && !(event.target as Element).closest(OWN);
      from = isOurs && touch ? { x: touch.clientX, y: touch.clientY } : null;
    };
    const end = (event: TouchEvent) => {
      const [touch] = event.changedTouches;
      if (!from || !touch) return;
      const [dx, dy] = [touch.clientX - from.x, touch.clientY - from.y];
      from = null;
      if (Math.abs(dx) >= MIN_SWIPE_PX && Math.abs(dy) < STEEPEST * Math.abs(dx)) latest.current(dx < 0 ? 1 : -1);
    };
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (
        by === undefined ||
        (event.target as Element).closest(`${OWN}, nav`) ||
        document.querySelector('dialog[open]')
      )
        return;
      latest.current(by);
    };
    element.addEventListener('touchstart', begin, { passive: true });
    element.addEventListener('touchend', end, { passive: true });
    document.addEventListener('keydown', press);
    return () => {
      element.removeEventListener('touchstart', begin);
      element.removeEventListener('touchend', end);
      document.removeEventListener('keydown', press);
    };
  }, []);
  return box;
}

type Glance = EnergyPeriod['commodities'][number];

const UNIT_OF: Record<Glance['unit'], (value: number) => string> = { kWh: formatKwh, 'm³': formatCubicMetres };

/** A card for each of gas, heat and water that the home measures. */
export function CommodityCards({ of }: { of: Glance[] }) {
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
    html`<${TotalFigure} name=${name} used=${amount} estimated=${estimated} unit=${UNIT_OF[unit]} />`;
  return html`<dl class="figures" aria-label=${unit}>
    ${total(w.used, used)}
    ${before.used !== null && total(w.commodities.before, before)}
    ${last_year.used !== null && total(words().period.lastYear, last_year)}
  </dl>`;
}
