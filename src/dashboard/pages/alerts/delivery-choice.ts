import { html } from '../../html.ts';
import { Field } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { DELIVERIES, type Delivery } from './alert.ts';
import { Choices } from './choices.ts';

/** Numbers as the service takes them: E.164. */
const PHONE = '\\+[1-9][0-9]{6,14}';

/**
 * How the owner is told, and what is missing for that. `isRefused`: the service said that with this choice nobody could be
 * told.
 */
export function DeliveryChoice(props: { value: Delivery; isRefused: boolean; onPick: (value: Delivery) => void }) {
  const { value, isRefused, onPick } = props;
  const { user } = useSession();
  const needsPhone = value === 'sms' && (user.phone === null || isRefused);
  const of = {
    email: { name: DELIVERIES.email, meaning: `to ${user.email}` },
    sms: { name: DELIVERIES.sms, meaning: user.phone === null ? 'to a phone' : `to ${user.phone}` },
    webhook: { name: DELIVERIES.webhook, meaning: 'to a program' },
  };
  return html`<${Choices} legend="Tell by" name="delivery" of=${of} value=${value} onPick=${onPick}>
    ${
      needsPhone &&
      html`<div class="need">
        <${Field} label="Phone number" hint="With its country, such as +4915112345678. It is kept with the account.">
          ${(attributes: object) =>
            html`<input ...${attributes} type="tel" name="phone" autocomplete="tel" pattern=${PHONE} title="+, the country’s code and the number, digits only" required maxlength="16" />`}
        <//>
      </div>`
    }
    ${value === 'webhook' && html`<${SubscriptionNeeded} isRefused=${isRefused} />`}
  <//>`;
}

/** An alert is told by webhook through its owner's own subscriptions. */
function SubscriptionNeeded({ isRefused }: { isRefused: boolean }) {
  const { me, user, go } = useSession();
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go('webhooks?event=alert.triggered');
  };
  const isOwn = user.user_id === me.user_id;
  const whose = isOwn ? 'you have' : `${user.email} has`;
  const missing = isRefused
    ? html`<b>Nobody could be told yet: ${whose} no active subscription to <code>alert.triggered</code>.</b>`
    : html`It needs an active subscription to <code>alert.triggered</code>.`;
  return html`<p class="quiet need" role=${isRefused ? 'alert' : undefined}>
    ${missing}${' '}
    ${
      isOwn
        ? html`<a href="/dashboard/webhooks?event=alert.triggered" onClick=${follow}>Make one on the Webhooks page</a>, then come back.`
        : `It must be that account’s own: ${user.email} makes it, signed in here, on the Webhooks page.`
    }
  </p>`;
}
