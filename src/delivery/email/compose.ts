import { isAppScope } from '#src/auth/scopes.ts';
import { type DeviceNames, MAX_DEVICES } from '../device-names.ts';
import { type Reader, textNamed, type Words } from '../words/words.ts';
import { describeMemberMail, isMemberMail, type MembershipPeople, memberDetails } from './member-mails.ts';

/** Content of a mail: a subject, and a body as text and as HTML. */
export interface Mail {
  subject: string;
  text: string;
  html: string;
}

/** A link in a mail. Its text is found by name. */
export interface MailLink {
  is: keyof Words['links'];
  url: string;
}

/** Event that a message reports, with its type and data. */
export interface ReportedEvent {
  type: string;
  data: Record<string, unknown>;
  /**
   * The two accounts of the membership that the event concerns. Null if it concerns no membership, or if one of the
   * accounts no longer exists.
   */
  people?: MembershipPeople | null;
}

type UsageAlert = keyof Words['alert']['used'];
type CostAlert = keyof Words['alert']['cost'];
type AlertData = {
  threshold_kwh?: number;
  threshold_hours?: number;
  kwh_used?: number;
  threshold?: string;
  cost?: string;
  currency?: string;
  period_start: string;
  devices: { device_id: string; kwh_used: number }[];
} & (
  | { type: 'no_data' }
  | { type: UsageAlert }
  | { type: CostAlert; threshold: string; cost: string; currency: string }
);

/** A line of a mail. */
type Row = [label: string, text: string];

/** Formats the start of a period in the reader's time zone. */
function when({ type, period_start }: AlertData, reader: Reader): string {
  if (type === 'daily_usage' || type === 'daily_cost') return reader.day(period_start);
  if (type === 'monthly_usage' || type === 'monthly_cost') return reader.month(period_start);
  return reader.moment(period_start);
}

/** Escapes a text for HTML. */
export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Joins a text into one line for subjects and text messages, because a location that a person typed may contain line breaks. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns the location of a device, or its id if the device has no visible name. */
const locationOf = (id: string, names: DeviceNames) => oneLine(names.get(id)?.location ?? '') || id;

/** Returns the location and type of a device, because a meter and a plug may be in the same room. */
function nameOf(id: string, names: DeviceNames): string {
  const type = oneLine(names.get(id)?.type ?? '');
  return type ? `${locationOf(id, names)} (${type})` : locationOf(id, names);
}

/** Returns the owner's name of a key with the key's first characters, which the list of keys also shows. */
function keyName({ name, prefix }: Record<string, unknown>, { common }: Words): string {
  const called = oneLine(typeof name === 'string' ? name : '');
  return called ? `${common.quoted({ name: called })} (${prefix}…)` : `${prefix}…`;
}

/** Returns the owner's name of a series. */
const seriesName = ({ name, series_id }: Record<string, unknown>, { common }: Words): string =>
  common.quoted({ name: oneLine(String(name ?? series_id)) });

const seriesKind = ({ kind }: Record<string, unknown>) => (kind === 'emission' ? 'emission' : 'price');

/** Describes an event in one sentence, for SMS and subjects. `names`: names of the event's devices. Pure. */
export function describeEvent(
  { type, data, people = null }: ReportedEvent,
  reader: Reader,
  names: DeviceNames,
): string {
  const { words } = reader;
  if (isMemberMail(type)) return describeMemberMail(type, people, words);
  if (isAppMail(type)) return describeAppMail(type, data, reader);
  if (type === 'webhook.paused') return words.webhookPaused.subject({ url: String(data.url) });
  if (type === 'home.recounted') return words.recounted.subject;
  if (type === 'user.email_changed') return words.emailChanged.subject;
  if (type === 'user.email_requested') return words.emailRequested.subject;
  if (type === 'user.email_to_confirm') return words.emailToConfirm.subject;
  if (type === 'access.ended') return words.accessEnded.subject;
  if (type === 'passkey.added') return words.passkeyAdded.subject;
  if (type === 'key.expiring')
    return words.keyExpiring.subject({ key: keyName(data, words), at: reader.moment(String(data.expires_at)) });
  if (type === 'series.source_failing')
    return words.seriesFailing[seriesKind(data)].subject({ series: seriesName(data, words) });
  return describeAlert(data as AlertData, reader, names);
}

function describeAlert(alert: AlertData, reader: Reader, names: DeviceNames): string {
  const { used, cost, silent } = reader.words.alert;
  const at = when(alert, reader);
  if (alert.type === 'no_data') return silent({ location: locationOf(alert.devices[0]?.device_id ?? '', names), at });
  if (alert.type === 'daily_cost' || alert.type === 'monthly_cost') {
    const [spent, threshold] = [alert.cost, alert.threshold].map((amount) => reader.money(amount, alert.currency));
    return cost[alert.type]({ cost: spent ?? '', threshold: threshold ?? '', at });
  }
  const [energy, threshold] = [alert.kwh_used, alert.threshold_kwh].map((kwh) => reader.kwh(kwh ?? 0));
  return used[alert.type]({ energy: energy ?? '', threshold: threshold ?? '', at });
}

/** Composes a mail about an event, with its figures. `names`: names of the event's devices. Pure. */
export function composeMail(event: ReportedEvent, reader: Reader, names: DeviceNames, to: MailLink | null): Mail {
  const { common, links } = reader.words;
  const first = describeEvent(event, reader, names);
  const rows = figures(event, reader, names);
  const last = to && links[to.is];
  const line = ([label, value]: Row) => common.line({ label, value });
  const text = [`${first}.`, '', ...rows.map(line), ...(to && last ? ['', line([last, to.url])] : []), ''].join('\n');
  const cells = rows
    .map(
      ([name, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#57606a">${escapeHtml(name)}</td><td style="padding:2px 0"><b>${escapeHtml(value)}</b></td></tr>`,
    )
    .join('');
  const link = to ? `<p style="color:#57606a"><a href="${escapeHtml(to.url)}">${last}</a>.</p>` : '';
  return {
    subject: first,
    text,
    html: layOutMail(reader, `<p>${escapeHtml(first)}.</p><table>${cells}</table>${link}`),
  };
}

/** Returns the HTML document of a mail. `body`: HTML. */
export const layOutMail = ({ language }: Pick<Reader, 'language'>, body: string): string =>
  `<!doctype html><html lang="${language}"><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5">${body}</body></html>`;

/** Returns the figures of an event as pairs of label and value. */
function figures({ type, data, people = null }: ReportedEvent, reader: Reader, names: DeviceNames): Row[] {
  const { words, moment } = reader;
  const { common } = words;
  if (isMemberMail(type)) return memberDetails(type, data, people, words);
  if (isAppMail(type)) return appMailDetails(type, data, reader);
  if (type === 'webhook.paused') {
    const w = words.webhookPaused;
    return [
      [w.webhook, String(data.webhook_id)],
      // Events of earlier versions have `event` with a single name instead of `events`.
      [w.events, [data.events ?? data.event].flat().join(', ')],
      [w.address, String(data.url)],
      [w.waits, w.isKept],
    ];
  }
  if (type === 'home.recounted') {
    const w = words.recounted;
    return [
      [w.news, w.newsText],
      [w.changes, w.changesText],
      [common.canDo, w.canDo],
    ];
  }
  if (/^user\.email_/.test(type)) return addressFigures(type, data, reader);
  if (type === 'access.ended') return ended(data, words);
  if (type === 'passkey.added') {
    const w = words.passkeyAdded;
    return [
      [w.passkey, common.quoted({ name: oneLine(String(data.name)) })],
      [w.added, moment(String(data.added_at))],
      [common.means, w.means],
      [common.notYou, w.notYou],
    ];
  }
  if (type === 'key.expiring') {
    const w = words.keyExpiring;
    return [
      [w.key, keyName(data, words)],
      [w.ends, moment(String(data.expires_at))],
      [common.means, w.means],
      [common.canDo, w.canDo],
      [w.unused, w.unusedText],
    ];
  }
  if (type === 'series.source_failing') {
    const w = { ...words.seriesFailing, ...words.seriesFailing[seriesKind(data)] };
    return [
      [w.series, `${seriesName(data, words)} (${data.series_id})`],
      [w.source, oneLine(String(data.source))],
      [w.since, moment(String(data.failing_since))],
      [w.error, oneLine(String(data.last_error))],
      [common.means, w.means],
      [common.canDo, w.canDo],
    ];
  }
  const alert = data as AlertData;
  const devices = alert.devices
    .filter(() => alert.type !== 'no_data')
    .slice(0, MAX_DEVICES)
    .map(({ device_id, kwh_used }): Row => [nameOf(device_id, names), reader.kwh(kwh_used)]);
  return [[common.since, when(alert, reader)], ...reasons(alert, reader), ...devices];
}

/** Returns the figures of a mail about a change of the account's address. */
function addressFigures(type: string, data: Record<string, unknown>, { words, moment }: Reader): Row[] {
  const { common } = words;
  if (type === 'user.email_changed') {
    const w = words.emailChanged;
    return [
      [w.former, String(data.former_email)],
      [w.changed, moment(String(data.changed_at))],
      [common.means, w.means],
      [common.notYou, w.notYou],
    ];
  }
  const requested: Row = [common.requested, moment(String(data.requested_at))];
  if (type === 'user.email_requested') {
    const w = words.emailRequested;
    return [[w.yours, String(data.former_email)], requested, [common.means, w.means], [common.notYou, w.notYou]];
  }
  const w = words.emailToConfirm;
  return [
    [w.new, String(data.email)],
    requested,
    [w.link, w.linkText],
    [w.ends, w.endsText],
    [common.lasts, w.lasts],
    [common.notYou, w.notYou],
  ];
}

/**
 * Lists the keys, sessions, passkeys and webhooks that were ended, with the reason, because their owner may have to
 * give programs new keys.
 */
function ended({ because, keys, sessions, passkeys = [], webhooks }: Record<string, unknown>, words: Words): Row[] {
  const { common, accessEnded: w } = words;
  const rows = (name: string, list: unknown, of: (one: Record<string, unknown>) => string): Row[] => {
    const all = list as Record<string, unknown>[];
    const more = all.length - MAX_DEVICES;
    return [
      ...all.slice(0, MAX_DEVICES).map((one): Row => [name, of(one)]),
      ...(more > 0 ? [[name, common.more({ count: more })] as Row] : []),
    ];
  };
  const sessionName = ({ user_agent, address }: Record<string, unknown>) =>
    oneLine(w.from({ browser: String(user_agent ?? w.someBrowser), address: String(address ?? w.someAddress) }));
  return [
    [common.why, textNamed(w.why, because)],
    ...rows(w.key, keys, (one) => keyName(one, words)),
    ...rows(w.session, sessions, sessionName),
    ...rows(w.passkey, passkeys, (one) => oneLine(String(one.name))),
    ...rows(w.webhook, webhooks, (one) => oneLine(String(one))),
    [common.canDo, w.canDo],
  ];
}

/** Returns the value that was measured and the threshold of an alert. */
function reasons(alert: AlertData, reader: Reader): Row[] {
  const w = reader.words.alert;
  if (alert.type === 'no_data') return [[w.silentFor, `${alert.threshold_hours} h`]];
  if (alert.type === 'daily_cost' || alert.type === 'monthly_cost') {
    return [
      [w.costs, reader.money(alert.cost, alert.currency)],
      [w.threshold, reader.money(alert.threshold, alert.currency)],
    ];
  }
  return [
    [w.usage, reader.kwh(alert.kwh_used ?? 0)],
    [w.threshold, reader.kwh(alert.threshold_kwh ?? 0)],
  ];
}

/** Whether a mail is about an app that has access to the home. */
const isAppMail = (type: string): boolean => type.startsWith('authorization.');

/** Describes an event about an app with access to a home, in one sentence. Pure. */
function describeAppMail(type: string, data: Record<string, unknown>, { words: { apps: w } }: Reader): string {
  const app = String((data.app as { name?: unknown } | undefined)?.name ?? w.someApp);
  return type === 'authorization.began' ? w.began({ app }) : w.ended({ app });
}

/** Returns the details of a mail about an app of a home as pairs of label and text. Pure. */
function appMailDetails(type: string, data: Record<string, unknown>, reader: Reader): [string, string][] {
  const { common, apps: w } = reader.words;
  if (type === 'authorization.ended')
    return [
      [common.why, textNamed(w.why, data.because)],
      [common.ended, w.access],
    ];
  const scopes = ((data.scopes ?? []) as string[]).filter(isAppScope);
  return [
    ...scopes.map((scope): [string, string] => [w.can, w.scopes[scope]]),
    [w.until, typeof data.expires_at === 'string' ? reader.day(data.expires_at) : w.untilEnded],
    [w.unwanted, w.unwantedText],
  ];
}
