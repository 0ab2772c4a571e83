import { html } from '../../html.ts';
import { endOf, inUnit, nameOf, type Period, periodAt, stepped, UNITS } from '../../parts/period.ts';
import { words } from '../../words/words.ts';

/**
 * Which period is shown: unit, one before, one after, any date. On a phone it stands at the foot of the screen, where thumbs are. `first`: the
 * day on which anything begins to be known.
 */
export function Chooser(props: {
  period: Period;
  today: string;
  first: string | null;
  onShow: (period: Period) => void;
}) {
  const { period, today, first, onShow } = props;
  const { unit, start } = period;
  const w = words().period;
  const isLast = endOf(period) >= today;
  const isFirst = start <= (first ?? '1970-01-08');
  const step = (by: number, isEnd: boolean) =>
    html`<button
      type="button"
      class="step"
      aria-label=${by < 0 ? w.previous[unit] : w.next[unit]}
      title=${by < 0 ? w.previous[unit] : w.next[unit]}
      aria-disabled=${isEnd ? true : undefined}
      onClick=${() => isEnd || onShow(stepped(period, by))}
    >${by < 0 ? '‹' : '›'}</button>`;
  const jump = (event: Event) => {
    const { value } = event.target as HTMLInputElement;
    // Half a date is typed: nothing to go to yet.
    if (/^\d{4}-\d\d-\d\d$/.test(value) && value >= '1970-01-08' && value <= today) onShow(periodAt(unit, value));
  };
  return html`<div class="chooser" role="group" aria-label=${w.choose}>
    <div class="units">
      ${UNITS.map(
        (one) =>
          html`<button type="button" aria-pressed=${one === unit} onClick=${() => onShow(inUnit(one, period, today))}>${w.units[one]}</button>`,
      )}
    </div>
    <div class="steps">
      ${step(-1, isFirst)}
      <label class="date"><span class="date-name">${nameOf(period)}</span>
        <input type="date" aria-label=${w.goTo} value=${start} max=${today} onChange=${jump} />
      </label>
      ${step(1, isLast)}
    </div>
  </div>`;
}
