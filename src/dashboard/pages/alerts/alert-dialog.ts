import { useState } from 'preact/hooks';
import type { Alert, User } from '#clients/typescript/client.ts';
import { ApiFailure, callApi } from '../../api.ts';
import { type Children, html } from '../../html.ts';
import { DecimalInput, findDecimalError, formatNumberForInput, parseDecimalInput } from '../../parts/decimal-input.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Dialog, Field, FormButtons, renderInlineMarkup } from '../../parts/ui.ts';
import { usePageLink, useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import {
  type AlertDeliveryChannel,
  type AlertType,
  getAlertRuleName,
  getThreshold,
  getThresholdFields,
  isCostAlertType,
} from './alert.ts';
import { type AlertHistory, loadAlertHistory } from './past.ts';
import { AlertPreview } from './preview.ts';

/**
 * Dialog that creates an alert for the selected account, or edits the alert `of`. It shows when the alert would have fired in the last 90
 * days.
 */
export function AlertDialog(props: { of?: Alert; onDone: (rule: string) => void; onClose: () => void }) {
  const { of: known, onDone, onClose } = props;
  const { me, user, replaceUser } = useSession();
  const { common, alerts: w } = words();
  const [type, setType] = useState<AlertType>(known?.type ?? 'daily_usage');
  // The threshold that the user has typed; null if none, so that the field shows the suggestion. A suggestion must not replace typed text.
  const [typed, setTyped] = useState<string | null>(known ? formatNumberForInput(getThreshold(known)) : null);
  const [delivery, setDelivery] = useState<AlertDeliveryChannel>(known?.delivery ?? 'email');
  const [isRefused, setRefused] = useState(false);
  const past = useLoad(() => loadAlertHistory(type, user), [type, user.user_id]);
  const { run, isBusy, error } = useAction();
  const suggested = past.value?.type === type ? past.value.suggested : null;
  const text = typed ?? formatNumberForInput(suggested);
  const threshold = thresholdIn(type, text);

  const choose = (next: AlertType) => {
    setType(next);
    setTyped(null);
  };
  const chooseDelivery = (next: AlertDeliveryChannel) => {
    setDelivery(next);
    setRefused(false);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (threshold === null) return;
    const phone = new FormData(event.target as HTMLFormElement).get('phone');
    run(async () => {
      if (phone !== null)
        replaceUser(await callApi<User>('PATCH', `/v1/users/${user.user_id}`, { phone: String(phone).trim() }));
      const settings = { ...getThresholdFields(type, threshold), delivery };
      const saved = known
        ? callApi('PATCH', `/v1/alerts/${known.alert_id}`, settings)
        : callApi('POST', '/v1/alerts', { user_id: user.user_id, type, ...settings });
      // Status 409 means that the delivery would reach nobody or, for a cost alert, that the account has no tariff. In the second case, the
      // dialog shows the service's message.
      const isAboutTariff = isCostAlertType(type) && (delivery === 'email' || past.value?.currency === null);
      const reachesNobody = (reason: unknown) =>
        reason instanceof ApiFailure && reason.status === 409 && !isAboutTariff;
      const isNowRefused = await saved.then(() => false, reachesNobody);
      if (!isNowRefused) await saved;
      setRefused(isNowRefused);
      if (!isNowRefused) onDone(getAlertRuleName({ type, ...getThresholdFields(type, threshold) } as Alert));
    });
  };
  const hint = hintOf(past.value?.type === type ? past.value : null);
  return html`<${Dialog} title=${known ? w.editOf({ rule: getAlertRuleName(known) }) : w.create} onClose=${onClose}>
    <form onSubmit=${save}>
      ${user.user_id !== me.user_id && html`<p class="quiet">${common.forUser({ email: user.email })}</p>`}
      ${!known && html`<${Choices} legend=${w.watch} name="type" of=${w.types} value=${type} onPick=${choose} isWide />`}
      <${Field} label=${w.types[type].label} hint=${hint} control=${DecimalInput}
        limits=${limitsOf(type)} name="threshold" value=${text} isRequired onInput=${setTyped} onFocus=${() => setTyped(text)}
        onBlur=${() => text === '' && setTyped(null)} />
      <${AlertPreview} type=${type} threshold=${threshold} past=${past} />
      <${DeliveryChoice} value=${delivery} isRefused=${isRefused} onPick=${chooseDelivery} />
      <${FormButtons} label=${known ? common.save : w.createShort} error=${error} isBusy=${isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

function hintOf(past: AlertHistory | null): string {
  const w = words().alerts.hints;
  if (past === null) return w.looking;
  const { type, suggested, steps, currency } = past;
  if (isCostAlertType(type)) {
    if (currency === null) return w.currency;
    if (suggested === null) return w.in({ currency });
    return w.suggestedIn({ currency, amount: formatNumberForInput(suggested) });
  }
  if (type === 'no_data') return w.suggestedHours({ hours: formatNumberForInput(suggested) });
  return steps.every(({ value }) => value === null)
    ? w.usual({ amount: formatNumberForInput(suggested) })
    : w.suggested({ amount: formatNumberForInput(suggested) });
}

/** Returns the minimum and maximum threshold that the service accepts. */
function limitsOf(type: AlertType): { least: number; most: number; isWhole?: boolean } {
  if (type === 'no_data') return { least: 1, most: 720, isWhole: true };
  if (isCostAlertType(type)) return { least: 0.000_000_001, most: 999_999_999 };
  return { least: 0.000_001, most: 1_000_000_000 };
}

/** Returns the typed threshold as a number; null if the service would reject it. */
function thresholdIn(type: AlertType, text: string): number | null {
  return findDecimalError(text, limitsOf(type)) === '' ? parseDecimalInput(text) : null;
}

/** Pattern of phone numbers that the service accepts, such as +4915112345678 (E.164). */
const PHONE = '\\+[1-9][0-9]{6,14}';

/**
 * Fields that select how the alert is delivered and, for an SMS, the account's phone number. `isRefused`: whether the service has rejected
 * the delivery because it would reach nobody.
 */
function DeliveryChoice(props: {
  value: AlertDeliveryChannel;
  isRefused: boolean;
  onPick: (value: AlertDeliveryChannel) => void;
}) {
  const { value, isRefused, onPick } = props;
  const { user } = useSession();
  const { deliveries, tell: w } = words().alerts;
  const needsPhone = value === 'sms' && (user.phone === null || isRefused);
  const of = {
    email: { name: deliveries.email, meaning: w.to({ address: user.email }) },
    sms: { name: deliveries.sms, meaning: user.phone === null ? w.toPhone : w.to({ address: user.phone }) },
    webhook: { name: deliveries.webhook, meaning: w.toProgram },
  };
  return html`<${Choices} legend=${w.legend} name="delivery" of=${of} value=${value} onPick=${onPick}>
    ${
      needsPhone &&
      html`<div class="need">
        <${Field} label=${words().common.fields.phone} hint=${w.phoneHint}
          type="tel" name="phone" autocomplete="tel" pattern=${PHONE} title=${w.phoneForm} required maxlength="16" />
      </div>`
    }
    ${value === 'webhook' && html`<${SubscriptionNeeded} isRefused=${isRefused} />`}
  <//>`;
}

/** Notice that an alert by webhook needs a webhook subscription of the alert's owner. */
function SubscriptionNeeded({ isRefused }: { isRefused: boolean }) {
  const { me, user } = useSession();
  const to = usePageLink();
  const isOwn = user.user_id === me.user_id;
  const w = words().alerts.tell;
  const missing = isRefused ? (isOwn ? w.youHaveNone : w.hasNone({ email: user.email })) : w.needed;
  return html`<p class="quiet need" role=${isRefused ? 'alert' : undefined}>
    ${renderInlineMarkup(missing)}${' '}
    ${
      isOwn
        ? renderInlineMarkup(w.makeOne, (name) => html`<a ...${to('webhooks?event=alert.triggered')}>${name}</a>`)
        : w.theirs({ email: user.email })
    }
  </p>`;
}

function Choices<T extends string>(props: {
  legend: string;
  name: string;
  of: Record<T, { name: string; meaning: string }>;
  value: T;
  onPick: (value: T) => void;
  isWide?: boolean;
  children?: Children;
}) {
  const { legend, name, of, value, onPick, isWide, children } = props;
  return html`<fieldset>
    <legend>${legend}</legend>
    <div class=${isWide ? 'choices wide' : 'choices'}>
      ${(Object.keys(of) as T[]).map(
        (one) => html`<label>
          <input type="radio" name=${name} value=${one} checked=${one === value} onChange=${() => onPick(one)} />
          <span>${of[one].name} <small class="quiet">${of[one].meaning}</small></span>
        </label>`,
      )}
    </div>
    ${children}
  </fieldset>`;
}
