import { DateTime } from 'luxon';
import { type DeviceNames, MAX_DEVICES } from '../device-names.ts';
import { appDetails, describeAppMail, isAppMail } from './app-mails.ts';
import { describeMemberMail, isMemberMail, type MembershipPeople, memberDetails } from './member-mails.ts';

/** Content of a mail: a subject, and a body as text and as HTML. */
export interface Mail {
  subject: string;
  text: string;
  html: string;
}

/** Link in a mail, with its text. */
export interface MailLink {
  is: keyof typeof LINKS;
  url: string;
}

const LINKS = {
  unsubscribe: 'To get no more of these, pause the alert',
  invitation: 'To accept, open this page and press the button',
  confirm: 'To use this address, open this page and press the button',
};

/** Event that a message reports, with its type and data. */
export interface ReportedEvent {
  type: string;
  data: Record<string, unknown>;
  /** The accounts of the membership that it is about; null if it is about none, or if one of them is gone. */
  people?: MembershipPeople | null;
}

type AlertData = {
  type: string;
  threshold_kwh?: number;
  threshold_hours?: number;
  kwh_used?: number;
  threshold?: string;
  cost?: string;
  currency?: string;
  period_start: string;
  devices: { device_id: string; kwh_used: number }[];
};

const PERIODS: Record<string, string> = {
  peak_usage: 'in one hour',
  daily_usage: 'on one day',
  monthly_usage: 'in one month',
  daily_cost: 'on one day',
  monthly_cost: 'in one month',
};

/** Formats the start of a period in the reader's time zone. */
function when(type: string, start: string, zone: string): string {
  const at = DateTime.fromISO(start, { zone });
  if (type === 'daily_usage' || type === 'daily_cost') return at.toFormat('cccc, d LLLL yyyy');
  if (type === 'monthly_usage' || type === 'monthly_cost') return at.toFormat('LLLL yyyy');
  return moment(start, zone);
}

/** Formats an instant in the reader's time zone. */
const moment = (iso: string, zone: string): string =>
  `${DateTime.fromISO(iso, { zone }).toFormat('cccc, d LLLL yyyy, HH:mm')} (${zone})`;

/** Escapes a text for HTML. */
export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Puts a text into one line for subjects and text messages, because people type locations freely. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Returns the location of a device, or its id if the device has no visible name. */
const locationOf = (id: string, names: DeviceNames) => oneLine(names.get(id)?.location ?? '') || id;

/** Returns the location and type of a device, because a meter and a plug may be in the same room. */
function nameOf(id: string, names: DeviceNames): string {
  const type = oneLine(names.get(id)?.type ?? '');
  return type ? `${locationOf(id, names)} (${type})` : locationOf(id, names);
}

/** Returns the owner's name of a key with the key's first characters, which the list of keys also shows. */
function keyName({ name, prefix }: Record<string, unknown>): string {
  const called = oneLine(typeof name === 'string' ? name : '');
  return called ? `“${called}” (${prefix}…)` : `${prefix}…`;
}

/** Returns the owner's name of a series. */
const seriesName = ({ name, series_id }: Record<string, unknown>): string => `“${oneLine(String(name ?? series_id))}”`;

const seriesKind = ({ kind }: Record<string, unknown>) => (kind === 'emission' ? 'emission' : 'price');

/** Words of the mail about a source that fails, by the kind of its series. */
const SERIES_WORDS = {
  price: { series: 'Price series', values: 'Prices', result: 'costs' },
  emission: { series: 'Emission series', values: 'Intensities', result: 'emissions' },
};

/** Describes an event in one sentence, for SMS and subjects. `names`: names of the event's devices. Pure. */
export function describeEvent({ type, data, people = null }: ReportedEvent, zone: string, names: DeviceNames): string {
  if (isMemberMail(type)) return describeMemberMail(type, people);
  if (isAppMail(type)) return describeAppMail(type, data);
  if (type === 'webhook.paused') return `Webhook paused: ${data.url} has not answered`;
  if (type === 'home.recounted') return 'What your home used is counted in a new way';
  if (type === 'user.email_changed') return 'The e-mail address of your account was changed';
  if (type === 'user.email_requested') return 'Somebody wants to change the e-mail address of your account';
  if (type === 'user.email_to_confirm') return 'Confirm your e-mail address';
  if (type === 'access.ended') return 'API keys and sessions of your account were ended';
  if (type === 'key.expiring') return `API key ${keyName(data)} ends on ${moment(String(data.expires_at), zone)}`;
  if (type === 'series.source_failing')
    return `${SERIES_WORDS[seriesKind(data)].values} of ${seriesName(data)} could not be fetched for a day`;
  const alert = data as AlertData;
  if (alert.type === 'no_data') {
    const silent = locationOf(alert.devices[0]?.device_id ?? '', names);
    return `No data from ${silent} since ${when(alert.type, alert.period_start, zone)}`;
  }
  const { kwh_used, threshold_kwh, cost, currency, threshold, period_start } = alert;
  const [period, at] = [PERIODS[alert.type], when(alert.type, period_start, zone)];
  if (cost !== undefined) return `${cost} ${currency} for energy ${period}, more than ${threshold} ${currency}: ${at}`;
  return `${kwh_used} kWh used ${period}, more than ${threshold_kwh} kWh: ${at}`;
}

/** Composes a mail about an event, with its figures. `zone`: time zone of the reader. `names`: names of the event's devices. Pure. */
export function composeMail(told: ReportedEvent, zone: string, names: DeviceNames, to: MailLink | null): Mail {
  const first = describeEvent(told, zone, names);
  const rows = figures(told, zone, names);
  const last = to && LINKS[to.is];
  const text = [
    `${first}.`,
    '',
    ...rows.map(([name, value]) => `${name}: ${value}`),
    ...(to ? ['', `${last}: ${to.url}`] : []),
    '',
  ].join('\n');
  const cells = rows
    .map(
      ([name, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#57606a">${escapeHtml(name)}</td><td style="padding:2px 0"><b>${escapeHtml(value)}</b></td></tr>`,
    )
    .join('');
  const link = to ? `<p style="color:#57606a"><a href="${escapeHtml(to.url)}">${last}</a>.</p>` : '';
  const html = `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5"><p>${escapeHtml(first)}.</p><table>${cells}</table>${link}</body></html>`;
  return { subject: first, text, html };
}

/** Returns the figures of an event as pairs of label and value. */
function figures({ type, data, people = null }: ReportedEvent, zone: string, names: DeviceNames): [string, string][] {
  if (isMemberMail(type)) return memberDetails(type, data, people);
  if (isAppMail(type)) return appDetails(type, data);
  if (type === 'webhook.paused') {
    return [
      ['Webhook', String(data.webhook_id)],
      // Earlier versions stored one event.
      ['Events', [data.events ?? data.event].flat().join(', ')],
      ['Address', String(data.url)],
      ['What waits', 'is kept for 7 days, and sent when you resume it: PATCH status "active"'],
    ];
  }
  if (type === 'home.recounted') {
    return [
      [
        'What is new',
        'all meters and registers of a home are put together: a total is counted once, and its parts, and the devices behind a meter, are not added to it',
      ],
      ['What changes', 'totals of this home, of past days and months, too'],
      ['What you can do', 'look under Devices in the dashboard whether each device is where it should be'],
    ];
  }
  if (type === 'user.email_changed') {
    return [
      ['Old address', String(data.former_email)],
      ['Changed', `${DateTime.fromISO(String(data.changed_at), { zone }).toFormat('d LLLL yyyy, HH:mm')} (${zone})`],
      ['What that means', 'this address no longer signs in, and everybody who was signed in is signed out'],
      ['If it was not you', 'tell whoever runs your energy service at once'],
    ];
  }
  if (type === 'user.email_requested') {
    return [
      ['Your address', String(data.former_email)],
      ['Requested', moment(String(data.requested_at), zone)],
      ['What that means', 'nothing changes until a mail to the new address is used, within 7 days'],
      [
        'If it was not you',
        'sign in, revoke API keys that are not yours, end sessions that are not yours, and withdraw the change under Sessions',
      ],
    ];
  }
  if (type === 'user.email_to_confirm') {
    return [
      ['New address', String(data.email)],
      ['Requested', moment(String(data.requested_at), zone)],
      ['What the link does', 'it signs you in; the account has this address from then on'],
      ['What ends', 'all API keys and sessions that the account had; its webhooks are paused'],
      ['How long', 'the link works once, for 7 days'],
      ['If it was not you', 'do nothing: without the link nothing changes'],
    ];
  }
  if (type === 'access.ended') return ended(data);
  if (type === 'key.expiring') {
    return [
      ['Key', keyName(data)],
      ['Ends', moment(String(data.expires_at), zone)],
      ['What that means', 'programs that use it are refused from then on (401)'],
      [
        'What you can do',
        'under API Keys in the dashboard, rotate it and give the new key to your programs, or set a later end',
      ],
      ['If it is used no more', 'there is nothing to do'],
    ];
  }
  if (type === 'series.source_failing') {
    const { series, result, values } = SERIES_WORDS[seriesKind(data)];
    return [
      [series, `${seriesName(data)} (${data.series_id})`],
      ['Source', oneLine(String(data.source))],
      ['Failing since', moment(String(data.failing_since), zone)],
      ['Last error', oneLine(String(data.last_error))],
      ['What that means', `${result} lack the ${values.toLowerCase()} that are missing; the service goes on trying`],
      ['What you can do', `change the source of the series, or put the ${values.toLowerCase()} yourself`],
    ];
  }
  const alert = data as AlertData;
  const devices = alert.devices
    .filter(() => alert.type !== 'no_data')
    .slice(0, MAX_DEVICES)
    .map(({ device_id, kwh_used }): [string, string] => [nameOf(device_id, names), `${kwh_used} kWh`]);
  return [['Since', when(alert.type, alert.period_start, zone)], ...reasons(alert), ...devices];
}

const WHY_ENDED: Record<string, string> = {
  email: 'the e-mail address of the account was changed',
  role: 'the role of the account was changed',
  link: 'the account was signed in to by single sign-on for the first time',
  first_sign_in: 'the account was signed in to for the first time; your energy service had created it',
};

/** Returns which keys and sessions were ended, and why. Their owner may have to give programs new keys. */
function ended({ because, keys, sessions, webhooks }: Record<string, unknown>): [string, string][] {
  const rows = (name: string, list: unknown, of: (one: Record<string, unknown>) => string): [string, string][] => {
    const all = list as Record<string, unknown>[];
    const more = all.length - MAX_DEVICES;
    return [
      ...all.slice(0, MAX_DEVICES).map((one): [string, string] => [name, of(one)]),
      ...(more > 0 ? [[name, `and ${more} more`] as [string, string]] : []),
    ];
  };
  return [
    ['Why', WHY_ENDED[String(because)] ?? String(because)],
    ...rows('API key, revoked', keys, keyName),
    ...rows('Session, ended', sessions, (one) =>
      oneLine(`${one.user_agent ?? 'an unknown browser'}, from ${one.address ?? 'an unknown address'}`),
    ),
    ...rows('Webhook, paused', webhooks, (one) => oneLine(String(one))),
    ['What you can do', 'sign in, create new keys for your programs, and resume the webhooks that are yours'],
  ];
}

/** Returns the measured value and the threshold of an alert. */
function reasons({ type, currency, ...alert }: AlertData): [string, string][] {
  if (type === 'no_data') return [['Silent for more than', `${alert.threshold_hours} h`]];
  if (alert.cost !== undefined) {
    return [
      ['Cost', `${alert.cost} ${currency}`],
      ['Threshold', `${alert.threshold} ${currency}`],
    ];
  }
  return [
    ['Used', `${alert.kwh_used} kWh`],
    ['Threshold', `${alert.threshold_kwh} kWh`],
  ];
}
