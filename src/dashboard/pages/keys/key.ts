import type { Key } from '#clients/typescript/client.ts';
import { html } from '../../html.ts';
import { DAY_MS } from '../../parts/format.ts';
import { Field } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** Returns the display name of an API key. */
export const getKeyName = ({ name, prefix }: Pick<Key, 'name' | 'prefix'>): string => name ?? `${prefix}…`;

export const isKeyExpired = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) <= nowMs;

/** Returns whether an API key expires within a week, so that the user should replace it now. */
export const isKeyExpiringSoon = ({ expires_at }: Key, nowMs = Date.now()): boolean =>
  expires_at !== null && Date.parse(expires_at) - nowMs < 7 * 86_400_000;

/** Validity periods of an API key that the user can select, in days. */
const EXPIRIES = ['never', 30, 90, 365] as const;
const EXPIRY_NAME = 'days';

/** Select box for the expiry of an API key. `isChange`: whether the user can keep the current expiry. */
export function ExpirySelect({ isChange = false, ...attributes }: { isChange?: boolean }) {
  const w = words().keys;
  return html`<select ...${attributes} name=${EXPIRY_NAME}>
    ${isChange && html`<option value="">${w.unchanged}</option>`}
    ${EXPIRIES.map((days) => html`<option value=${days}>${w.expiries[days]}</option>`)}
  </select>`;
}

/** Returns the selected expiry as a member of a request: null for never, missing for no change. */
export function getSelectedExpiry(given: FormData, nowMs = Date.now()): { expires_at?: string | null } {
  const days = String(given.get(EXPIRY_NAME));
  if (days === '') return {};
  return { expires_at: days === 'never' ? null : new Date(nowMs + Number(days) * DAY_MS).toISOString() };
}

const ALLOWED_NAME = 'allowed';

/** Text field for the addresses and networks from which an API key is accepted. `now`: the addresses of an existing key. */
export function AllowedAddressesField({ now = [] }: { now?: readonly string[] }) {
  const w = words().keys;
  return html`<${Field} label=${w.allowed} hint=${w.allowedHint}
    name=${ALLOWED_NAME} defaultValue=${now.join(', ')} maxlength="3000" autocomplete="off" spellcheck=${false} />`;
}

/** Returns the addresses and networks that the user has typed into the form of an API key. */
export const readAllowedAddresses = (given: FormData): string[] =>
  String(given.get(ALLOWED_NAME))
    .split(/[\s,;]+/)
    .filter((text) => text !== '');
