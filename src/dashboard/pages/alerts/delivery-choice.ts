import { html } from '../../html.ts';
import { rich } from '../../parts/rich.ts';
import { Field } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import type { Delivery } from './alert.ts';
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
        <${Field} label=${w.phone} hint=${w.phoneHint}>
          ${(attributes: object) =>
            html`<input ...${attributes} type="tel" name="phone" autocomplete="tel" pattern=${PHONE} title=${w.phoneForm} required maxlength="16" />`}
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
  const w = words().alerts.tell;
  const missing = isRefused ? (isOwn ? w.youHaveNone : w.hasNone({ email: user.email })) : w.needed;
  return html`<p class="quiet need" role=${isRefused ? 'alert' : undefined}>
    ${rich(missing)}${' '}
    ${
      isOwn
        ? rich(
            w.makeOne,
            (name) => html`<a href="/dashboard/webhooks?event=alert.triggered" onClick=${follow}>${name}</a>`,
          )
        : w.theirs({ email: user.email })
    }
  </p>`;
}
