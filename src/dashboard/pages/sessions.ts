import { useId, useState } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { LoadedList } from '../parts/list.ts';
import { readSubmittedForm, useAction, useAllPages, useLoad } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { ZoneSelect } from '../parts/time-zone.ts';
import {
  Badge,
  Card,
  ConfirmButton,
  ErrorMessage,
  Field,
  getBusyAttributes,
  LoadedContent,
  RelativeTime,
  renderInlineMarkup,
} from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { type Words, words } from '../words/words.ts';
import { HomeMemberList, MembershipList } from './members.ts';
import { AuthorizationList } from './sessions/authorizations.ts';
import { NotificationList } from './sessions/notices.ts';
import { OtherDeviceSignInButton } from './sessions/other-device.ts';
import { PasskeyList } from './sessions/passkeys.ts';
import { AppearanceSettings, DeveloperLinks, SignOutButton } from './sessions/this-browser.ts';
import { AccountDataButtons } from './sessions/your-data.ts';

interface Session {
  session_id: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  user_agent: string | null;
  address: string | null;
  signed_in_by: 'mail' | 'provider' | 'device' | 'passkey';
  is_current: boolean;
}

/** Page with the account's settings and its sessions. */
export function Page() {
  const { me } = useSession();
  const { common, sessions: w } = words();
  const sessions = useAllPages<Session>('/v1/sessions');
  const { run, error } = useAction();
  const end = ({ session_id }: Session) =>
    run(() => callApi('DELETE', `/v1/sessions/${session_id}`).then(sessions.again));
  return html`
    <header class="heading"><h1>${common.pages.account}</h1><div><${SignOutButton} /></div></header>
    <div class="grid">
      <${EmailAddressForm} />
      <${AccountForm} />
      <${NotificationList} />
      <${AppearanceSettings} />
    </div>
    ${me.role === 'homeowner' && html`<${HomeMemberList} /><${AuthorizationList} /><${MembershipList} />`}
    <${Card} title=${w.signedInTitle} actions=${html`<${SignOutButton} everywhere />`}>
      <p>${w.about({ email: me.email })}</p>
      <${ErrorMessage} text=${error} />
      <${LoadedList} label=${w.list} of=${sessions}>${table}<//>
      <${OtherDeviceSignInButton} onClose=${sessions.again} />
    <//>
    <${PasskeyList} proposedName=${getBrowserName(navigator.userAgent)} />
    <div class="grid"><${DeveloperLinks} /><${AccountDataButtons} /></div>
  `;

  function table(all: Session[]) {
    // The current session comes first, the others in the order of their last use.
    const shown = all.toSorted(
      (a, b) => Number(b.is_current) - Number(a.is_current) || Date.parse(b.last_seen_at) - Date.parse(a.last_seen_at),
    );
    const at = (iso: string) => html`<${RelativeTime} at=${iso} zone=${me.timezone} />`;
    return renderTable(
      shown,
      [
        [
          w.browser,
          (one) =>
            html`${getBrowserName(one.user_agent)} ${one.is_current && html`<${Badge} kind="good">${w.thisOne}<//>`}`,
        ],
        [w.from, ({ address }) => address ?? html`<span class="quiet">${w.unknown}</span>`],
        [w.signedIn, ({ created_at }) => at(created_at)],
        [w.by, ({ signed_in_by }) => w.ways[signed_in_by]],
        [words().common.lastUsed, ({ last_seen_at }) => at(last_seen_at)],
        [w.ends, ({ expires_at }) => at(expires_at)],
      ],
      {
        key: ({ session_id }) => session_id,
        actions: (one) =>
          !one.is_current &&
          html`<${ConfirmButton} label=${w.end} of=${getBrowserName(one.user_agent)} question=${w.question} onSure=${() => end(one)} />`,
      },
    );
  }
}

/** Form for the account's phone number and time zone, and for mails about remarks on the home's usage. */
function AccountForm() {
  const { me, replaceUser } = useSession();
  const { common, sessions: w } = words();
  const { run, isBusy, error } = useAction();
  const [isSaved, setSaved] = useState(false);
  const hint = useId();
  const save = (event: SubmitEvent) => {
    const formData = readSubmittedForm(event);
    const phone = String(formData.get('phone')).replaceAll(/[\s()/-]/g, '');
    const changed = {
      phone: phone === '' ? null : phone,
      timezone: String(formData.get('timezone')),
      remarks_by_mail: formData.has('remarks_by_mail'),
    };
    setSaved(false);
    run(async () => {
      replaceUser(await callApi<User>('PATCH', `/v1/users/${me.user_id}`, changed));
      setSaved(true);
    });
  };
  return html`<${Card} title=${w.accountTitle}>
    <form onSubmit=${save}>
      <${Field} label=${common.fields.phone} hint=${w.phoneHint}
        type="tel" name="phone" autocomplete="tel" maxlength="40" defaultValue=${me.phone ?? ''} />
      <${Field} label=${common.fields.timezone} hint=${w.zoneHint} control=${ZoneSelect} zone=${me.timezone} />
      <div class="field">
        <label class="check"><input type="checkbox" name="remarks_by_mail" aria-describedby=${hint} defaultChecked=${me.remarks_by_mail} /> <span>${w.remarksByMail}</span></label>
        <small id=${hint}>${w.remarksByMailHint}</small>
      </div>
      <button ...${getBusyAttributes(isBusy)}>${common.save}</button>
    </form>
    <p class="quiet told" role="status">${isSaved && words().common.saved}</p>
    <${ErrorMessage} text=${error} />
  <//>`;
}

/**
 * The account's e-mail address, and a new address that is not confirmed yet. The user can change the address, request the mail again, or
 * cancel the change.
 */
function EmailAddressForm() {
  const { me } = useSession();
  const { sessions: w } = words();
  const path = `/v1/users/${me.user_id}`;
  const user = useLoad(() => callApi<User>('GET', path), []);
  const { run, isBusy, error } = useAction();
  const change = (email: string) => run(async () => user.put(await callApi<User>('PATCH', path, { email })));
  const request = (event: SubmitEvent) => {
    change(String(readSubmittedForm(event).get('email')));
  };
  const form = () => html`<form onSubmit=${request}>
    <${Field} label=${w.newEmail} hint=${w.newEmailHint} type="email" name="email" autocomplete="email" required maxlength="254" />
    <button ...${getBusyAttributes(isBusy)}>${w.changeEmail}</button>
  </form>`;
  // A request for the current address cancels the change to a new one.
  const pending = (
    email: string,
    wanted: string,
  ) => html`<p>${renderInlineMarkup(w.emailPending({ email: wanted }))}</p>
    <p class="actions">
      <button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => change(wanted)}>${w.sendAgain}</button>
      <button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => change(email)}>${w.withdraw}</button>
    </p>`;
  return html`<${Card} title=${w.emailTitle}>
    <${LoadedContent} of=${user}>
      ${({ email, pending_email }: User) => html`<p>${renderInlineMarkup(w.emailNow({ email }))}</p>
        ${pending_email === undefined ? form() : pending(email, pending_email)}`}
    <//>
    <${ErrorMessage} text=${error} />
  <//>`;
}

/**
 * Patterns that detect a browser in a User-Agent header. The order matters, because the header of Edge also contains "Chrome", and that of
 * Chrome also contains "Safari".
 */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems = ({ iPhone, iPad, mac, chromebook }: Words['sessions']): [mark: RegExp, name: string][] => [
  [/\biPhone\b/, iPhone],
  [/\biPad\b/, iPad],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, mac],
  [/\bCrOS\b/, chromebook],
  [/\bLinux\b/, 'Linux'],
];

export function getBrowserName(userAgent: string | null): string {
  const of = (list: [RegExp, string][]) => list.find(([mark]) => mark.test(userAgent ?? ''))?.[1];
  const { sessions: w } = words();
  const browser = of(BROWSERS) ?? w.program;
  const system = of(systems(w));
  return system === undefined ? browser : w.on({ browser, system });
}
