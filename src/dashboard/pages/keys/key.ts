import type { Key } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { DAY_MS } from '../../parts/format.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** What a person calls it. */
export const nameOf = ({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string => name ?? `${prefix}…`;

export const isOver = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) <= nowMs;

/** Within a week: time to give another one to whatever uses it. */
export const endsSoon = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) - nowMs < 7 * 86_400_000;

/** Days. */
const EXPIRIES = ['never', 30, 90, 365] as const;
const EXPIRY_NAME = 'days';

/** Asks when a key ends. `isChange`: it may stay as it is. */
export function ExpiryChoice({ attributes, isChange = false }: { attributes: object; isChange?: boolean }) {
  const w = words().keys;
  return html`<select ...${attributes} name=${EXPIRY_NAME}>
    ${isChange && html`<option value="">${w.unchanged}</option>`}
    ${EXPIRIES.map((days) => html`<option value=${days}>${w.expiries[days]}</option>`)}
  </select>`;
}

/** What was chosen in it, as a request has it: null for never. */
export function endIn(given: FormData, nowMs = Date.now()): { expires_at?: string | null } {
  const days = String(given.get(EXPIRY_NAME));
  if (days === '') return {};
  return { expires_at: days === 'never' ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString() };
}

const ALLOWED_NAME = 'allowed';

/** Asks for addresses and networks. `now`: those that there are. */
export function AllowedField({ now = [] }: { now?: readonly string[] }) {
  const w = words().keys;
  return html`<${Field} label=${w.allowed} hint=${w.allowedHint}>
    ${(attributes: object) =>
      html`<input ...${attributes} name=${ALLOWED_NAME} defaultValue=${now.join(', ')} maxlength="3000" autocomplete="off" spellcheck=${false} />`}
  <//>`;
}

/** What was written in it. */
export const addressesIn = (given: FormData): string[] =>
  String(given.get(ALLOWED_NAME))
    .split(/[\s,;]+/)
    .filter((text) => text !== '');
