import { isAppScope } from '#src/auth/scopes.ts';
import { type DeviceNames, MAX_NAMED_DEVICES } from '../device-names.ts';
import { findTextOrName, type RecipientLocale, type Words } from '../words/words.ts';
import { describeAlert } from './alert-mails.ts';
import { collapseWhitespace, type MailRow, type MessageContent } from './content.ts';
import { MEMBER_MAIL_COMPOSERS, type MembershipAddresses } from './member-mails.ts';

type Data = Record<string, unknown>;

export interface MailedEvent {
  type: string;
  data: Data;
  /** The two accounts of the event's membership; null if there is no membership or an account no longer exists. */
  people?: MembershipAddresses | null;
}

/** Returns the text of a message about an event. `names`: names of the event's devices. */
export function composeEventMail(
  { type, data, people = null }: MailedEvent,
  reader: RecipientLocale,
  names: DeviceNames,
): MessageContent {
  const ofMember = MEMBER_MAIL_COMPOSERS[type];
  if (ofMember) return ofMember(reader.words, data, people);
  return CONTENTS[type]?.(reader.words, data, reader) ?? describeAlert(data, reader, names);
}

/** Functions that compose the text of an event, by type of event. Alerts and memberships have separate modules. */
const CONTENTS: Readonly<Record<string, (words: Words, data: Data, reader: RecipientLocale) => MessageContent>> = {
  'webhook.paused': ({ webhookPaused: w }, { webhook_id, url, events, event }) => ({
    sentence: w.subject({ url: String(url) }),
    rows: [
      [w.webhook, String(webhook_id)],
      // Earlier versions wrote one name `event` instead of the list `events`.
      [w.events, [events ?? event].flat().join(', ')],
      [w.address, String(url)],
      [w.waits, w.isKept],
    ],
  }),
  'home.recounted': ({ common, recounted: w }) => ({
    sentence: w.subject,
    rows: [
      [w.news, w.newsText],
      [w.changes, w.changesText],
      [common.canDo, w.canDo],
    ],
  }),
  'user.email_changed': ({ common, emailChanged: w }, { former_email, changed_at }, { moment }) => ({
    sentence: w.subject,
    rows: [
      [w.former, String(former_email)],
      [w.changed, moment(String(changed_at))],
      [common.means, w.means],
      [common.notYou, w.notYou],
    ],
  }),
  'user.email_requested': ({ common, emailRequested: w }, { former_email, requested_at }, { moment }) => ({
    sentence: w.subject,
    rows: [
      [w.yours, String(former_email)],
      [common.requested, moment(String(requested_at))],
      [common.means, w.means],
      [common.notYou, w.notYou],
    ],
  }),
  'user.email_to_confirm': ({ common, emailToConfirm: w }, { email, requested_at }, { moment }) => ({
    sentence: w.subject,
    rows: [
      [w.new, String(email)],
      [common.requested, moment(String(requested_at))],
      [w.link, w.linkText],
      [w.ends, w.endsText],
      [common.lasts, w.lasts],
      [common.notYou, w.notYou],
    ],
  }),
  'access.ended': (words, data) => ({ sentence: words.accessEnded.subject, rows: listEndedAccess(words, data) }),
  'passkey.added': ({ common, passkeyAdded: w }, { name, added_at }, { moment }) => ({
    sentence: w.subject,
    rows: [
      [w.passkey, common.quoted({ name: collapseWhitespace(String(name)) })],
      [w.added, moment(String(added_at))],
      [common.means, w.means],
      [common.notYou, w.notYou],
    ],
  }),
  'key.expiring': (words, data, { moment }) => {
    const { common, keyExpiring: w } = words;
    const [key, at] = [keyName(data, words), moment(String(data.expires_at))];
    return {
      sentence: w.subject({ key, at }),
      rows: [
        [w.key, key],
        [w.ends, at],
        [common.means, w.means],
        [common.canDo, w.canDo],
        [w.unused, w.unusedText],
      ],
    };
  },
  'series.source_failing': ({ common, seriesFailing }, data, { moment }) => {
    const w = { ...seriesFailing, ...seriesFailing[data.kind === 'emission' ? 'emission' : 'price'] };
    const series = common.quoted({ name: collapseWhitespace(String(data.name ?? data.series_id)) });
    return {
      sentence: w.subject({ series }),
      rows: [
        [w.series, `${series} (${data.series_id})`],
        [w.source, collapseWhitespace(String(data.source))],
        [w.since, moment(String(data.failing_since))],
        [w.error, collapseWhitespace(String(data.last_error))],
        [common.means, w.means],
        [common.canDo, w.canDo],
      ],
    };
  },
  'authorization.began': ({ apps: w }, { app, scopes, expires_at }, { day }) => ({
    sentence: w.began({ app: appName(app, w) }),
    rows: [
      ...((scopes ?? []) as string[]).filter(isAppScope).map((scope): MailRow => [w.can, w.scopes[scope]]),
      [w.until, typeof expires_at === 'string' ? day(expires_at) : w.untilEnded],
      [w.unwanted, w.unwantedText],
    ],
  }),
  'authorization.ended': ({ common, apps: w }, { app, because }) => ({
    sentence: w.ended({ app: appName(app, w) }),
    rows: [
      [common.why, findTextOrName(w.why, because)],
      [common.ended, w.access],
    ],
  }),
};

/** Formats an API key as its name and first characters. */
function keyName({ name, prefix }: Data, { common }: Words): string {
  const called = collapseWhitespace(typeof name === 'string' ? name : '');
  return called ? `${common.quoted({ name: called })} (${prefix}…)` : `${prefix}…`;
}

const appName = (app: unknown, { someApp }: Words['apps']): string =>
  String((app as { name?: unknown } | undefined)?.name ?? someApp);

/** Lists the API keys, sessions, passkeys and webhooks that were ended, and the reason. */
function listEndedAccess(words: Words, { because, keys, sessions, passkeys = [], webhooks }: Data): MailRow[] {
  const { common, accessEnded: w } = words;
  const rows = (name: string, list: unknown, of: (one: Data) => string): MailRow[] => {
    const all = list as Data[];
    const more = all.length - MAX_NAMED_DEVICES;
    return [
      ...all.slice(0, MAX_NAMED_DEVICES).map((one): MailRow => [name, of(one)]),
      ...(more > 0 ? [[name, common.more({ count: more })] as MailRow] : []),
    ];
  };
  const sessionName = ({ user_agent, address }: Data) =>
    collapseWhitespace(
      w.from({ browser: String(user_agent ?? w.someBrowser), address: String(address ?? w.someAddress) }),
    );
  return [
    [common.why, findTextOrName(w.why, because)],
    ...rows(w.key, keys, (one) => keyName(one, words)),
    ...rows(w.session, sessions, sessionName),
    ...rows(w.passkey, passkeys, (one) => collapseWhitespace(String(one.name))),
    ...rows(w.webhook, webhooks, (one) => collapseWhitespace(String(one))),
    [common.canDo, w.canDo],
  ];
}
