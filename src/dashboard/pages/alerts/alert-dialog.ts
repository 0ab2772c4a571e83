import { useState } from 'preact/hooks';
import type { Alert, User } from '#clients/typescript/client.ts';
import { call, Failure } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { type AlertType, type Delivery, isCostType, nameOf, TYPES, thresholdFields, thresholdOf } from './alert.ts';
import { Choices } from './choices.ts';
import { DeliveryChoice } from './delivery-choice.ts';
import { askPast, type Past } from './past.ts';
import { AlertPreview } from './preview.ts';

/** Makes an alert of the picked account, or changes one (`of`), and shows when it would have fired. */
export function AlertDialog(props: { of?: Alert; onDone: (rule: string) => void; onClose: () => void }) {
  const { of: known, onDone, onClose } = props;
  const { me, user, pick } = useSession();
  const [type, setType] = useState<AlertType>(known?.type ?? 'daily_usage');
  // Null: not touched, so what is suggested is in it. A suggestion must not come in amid typing.
  const [typed, setTyped] = useState<string | null>(known ? String(thresholdOf(known)) : null);
  const [delivery, setDelivery] = useState<Delivery>(known?.delivery ?? 'email');
  const [isRefused, setRefused] = useState(false);
  const past = useLoad(() => askPast(type, user), [type, user.user_id]);
  const { run, isBusy, error } = useAction();
  const suggested = past.value?.type === type ? past.value.suggested : null;
  const text = typed ?? (suggested === null ? '' : String(suggested));
  const threshold = numberOf(type, text);

  const choose = (next: AlertType) => {
    setType(next);
    setTyped(null);
  };
  const chooseDelivery = (next: Delivery) => {
    setDelivery(next);
    setRefused(false);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (threshold === null) return;
    const phone = new FormData(event.target as HTMLFormElement).get('phone');
    run(async () => {
      if (phone !== null) pick(await call<User>('PATCH', `/v1/users/${user.user_id}`, { phone: String(phone).trim() }));
      const given = { ...thresholdFields(type, threshold), delivery };
      const saved = known
        ? call('PATCH', `/v1/alerts/${known.alert_id}`, given)
        : call('POST', '/v1/alerts', { user_id: user.user_id, type, ...given });
      const isTaken = await saved.then(() => true, refused);
      setRefused(!isTaken);
      if (isTaken) onDone(nameOf({ type, ...thresholdFields(type, threshold) } as Alert));
    });
  };
  /** That nobody could be told is explained where the delivery is chosen; that there is no tariff, by the service's own words. */
  const refused = (reason: unknown): false => {
    const isAboutTariff = isCostType(type) && (delivery === 'email' || past.value?.currency === null);
    if (reason instanceof Failure && reason.status === 409 && !isAboutTariff) return false;
    throw reason;
  };
  const limits = limitsOf(type);
  const hint = hintOf(past.value?.type === type ? past.value : null);
  return html`<${Dialog} title=${known ? `Edit: ${nameOf(known)}` : 'Create an alert'} onClose=${onClose}>
    <form onSubmit=${save}>
      ${user.user_id !== me.user_id && html`<p class="quiet">For ${user.email}.</p>`}
      ${!known && html`<${Choices} legend="Watch" name="type" of=${TYPES} value=${type} onPick=${choose} isWide />`}
      <${Field} label=${TYPES[type].label} hint=${hint}>
        ${(attributes: object) => html`<input
          ...${attributes}
          ...${limits}
          type="number"
          inputmode="decimal"
          name="threshold"
          value=${text}
          required
          onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)}
          onFocus=${() => setTyped(text)}
          onBlur=${() => text === '' && setTyped(null)}
        />`}
      <//>
      <${AlertPreview} type=${type} threshold=${threshold} past=${past} />
      <${DeliveryChoice} value=${delivery} isRefused=${isRefused} onPick=${chooseDelivery} />
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>${known ? 'Save' : 'Create alert'}</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </p>
    </form>
  <//>`;
}

/** What the threshold to begin with is made of. */
function hintOf(past: Past | null): string {
  if (past === null) return 'Looking at the last 90 days …';
  const { type, suggested, steps, currency } = past;
  if (isCostType(type)) {
    if (currency === null) return 'In the currency of the tariff.';
    if (suggested === null) return `In ${currency}.`;
    return `In ${currency}. Suggested: ${suggested}. In the last 90 days few lay above it.`;
  }
  if (type === 'no_data') return `Suggested: ${suggested}. In the last 90 days few silences were longer.`;
  return steps.every(({ value }) => value === null)
    ? `Suggested: ${suggested}, which is much for a household.`
    : `Suggested: ${suggested}. In the last 90 days few lay above it.`;
}

/** Of the field: what the service takes. */
function limitsOf(type: AlertType): object {
  if (type === 'no_data') return { min: 1, max: 720, step: 1 };
  if (isCostType(type)) return { min: '0.000000001', max: '999999999.999999999', step: 'any' };
  return { min: '0.000001', max: 1_000_000_000, step: 'any' };
}

/** What was typed, where the service would take it. */
function numberOf(type: AlertType, text: string): number | null {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return null;
  if (type === 'no_data') return Number.isInteger(value) && value >= 1 && value <= 720 ? value : null;
  if (isCostType(type)) return value >= 0.000_000_001 && value < 1_000_000_000 ? value : null;
  return value >= 0.000_001 && value <= 1_000_000_000 ? value : null;
}
