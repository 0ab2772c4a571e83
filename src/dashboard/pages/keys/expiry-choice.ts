import { html } from '../../html.ts';
import { DAY_MS } from '../../parts/durations.ts';
import { words } from '../../words/words.ts';

/** Days. */
const EXPIRIES = ['never', 30, 90, 365] as const;
const NAME = 'days';

/** Asks when a key ends. `isChange`: it may stay as it is. */
export function ExpiryChoice({ attributes, isChange = false }: { attributes: object; isChange?: boolean }) {
  const w = words().keys;
  return html`<select ...${attributes} name=${NAME}>
    ${isChange && html`<option value="">${w.unchanged}</option>`}
    ${EXPIRIES.map((days) => html`<option value=${days}>${w.expiries[days]}</option>`)}
  </select>`;
}

/** What was chosen in it, as a request has it: null for never. */
export function endIn(given: FormData, nowMs = Date.now()): { expires_at?: string | null } {
  const days = String(given.get(NAME));
  if (days === '') return {};
  return { expires_at: days === 'never' ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString() };
}
