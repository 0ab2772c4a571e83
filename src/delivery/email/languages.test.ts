import { describe, expect, test } from 'vitest';
import { APP_SCOPE_NAMES } from '#src/auth/scopes.ts';
import { LANGUAGES } from '#src/database/enums.ts';
import { type Language, loadRecipientLocale } from '../words/words.ts';
import { composeMail, type Mail, type MailLink } from './compose.ts';
import type { MailedEvent } from './event-mails.ts';
import { composeBackupsInterruptedMail, composeSignInMail } from './send.ts';

const people = { homeEmail: 'home@example.com', memberEmail: 'robin@example.com', isInvitation: false };
const url = 'https://energy.example.net/page';
const at = '2026-06-15T16:05:00.000Z';
const alert = {
  threshold_kwh: 1_234.5,
  kwh_used: 2_345.678,
  threshold: '2.5',
  cost: '1234.73',
  currency: 'EUR',
  threshold_hours: 6,
  period_start: '2026-06-14T22:00:00.000Z',
  devices: [{ device_id: 'dev_1', kwh_used: 5.012 }],
};
const series = { series_id: 'prs_1', name: 'Spot', source: 'a.example', failing_since: at, last_error: 'HTTP 500' };
const access = {
  because: 'role',
  keys: [{ name: 'Import', prefix: 'eus_live_a' }],
  sessions: [{ user_agent: null, address: null }],
  passkeys: [{ passkey_id: 'pky_1', name: 'Phone' }],
  webhooks: Array.from({ length: 12 }, () => url),
};
const passwords = [{ id: 'dev_1', name: 'Attic' }];
const link = (is: MailLink['is']): MailLink => ({ is, url });
type Sample = [name: string, event: MailedEvent, link?: MailLink];
const event = (type: string, data: object, of: typeof people | null = null): MailedEvent => ({
  type,
  data: { ...data },
  people: of,
});

/** Samples of every event that is sent by mail, except remarks, whose texts belong to the dashboard. */
const EVENTS: Sample[] = [
  ...['peak_usage', 'daily_usage', 'monthly_usage', 'daily_cost', 'monthly_cost', 'no_data'].map(
    (type): Sample => [type, event('alert.triggered', { ...alert, type }), link('unsubscribe')],
  ),
  ['webhook.paused', event('webhook.paused', { webhook_id: 'whk_1', events: ['alert.triggered'], url })],
  ['home.recounted', event('home.recounted', {})],
  ['user.email_changed', event('user.email_changed', { former_email: 'a@example.com', changed_at: at })],
  ['user.email_requested', event('user.email_requested', { former_email: 'a@example.com', requested_at: at })],
  [
    'user.email_to_confirm',
    event('user.email_to_confirm', { email: 'b@example.com', requested_at: at }),
    link('confirm'),
  ],
  ...['email', 'role', 'link', 'first_sign_in'].map(
    (because): Sample => [`access.ended, ${because}`, event('access.ended', { ...access, because })],
  ),
  ['passkey.added', event('passkey.added', { name: 'Phone', added_at: at })],
  ['key.expiring', event('key.expiring', { name: 'Nightly import', prefix: 'eus_live_a', expires_at: at })],
  ['prices', event('series.source_failing', { ...series, kind: 'price' })],
  ['intensities', event('series.source_failing', { ...series, kind: 'emission' })],
  ['member.invited', event('member.invited', { access: 'read' }, people), link('invitation')],
  ['member.joined', event('member.joined', { access: 'manage' }, people)],
  ['membership.began', event('membership.began', { access: 'read' }, people)],
  ['member.ended', event('member.ended', { because: 'member', passwords }, people)],
  ['membership.ended', event('membership.ended', { because: 'role' }, people)],
  [
    'authorization.began',
    event('authorization.began', { app: { name: 'Volt' }, scopes: APP_SCOPE_NAMES, expires_at: at }),
  ],
  ['authorization.began, for ever', event('authorization.began', { app: { name: 'Volt' }, scopes: [] })],
  ['authorization.ended', event('authorization.ended', { app: { name: 'Volt' }, because: 'reuse' })],
  ...['owner', 'erased', 'access'].map(
    (because): Sample => [`membership.ended, ${because}`, event('membership.ended', { because })],
  ),
];
const NAMES = new Map([['dev_1', { location: 'Meter 4', type: 'smart_meter' }]]);
const BERLIN = 'Europe/Berlin';

const MAILS: [name: string, compose: (language: Language) => Promise<Mail>][] = [
  ...EVENTS.map(([name, told, to = null]): (typeof MAILS)[number] => [
    name,
    async (language) => composeMail(told, await loadRecipientLocale({ language, timezone: BERLIN }), NAMES, to),
  ]),
  ['sign-in', (language) => composeSignInMail({ link: url, code: '01234567', validMinutes: 15 }, language)],
  ['back-ups interrupted', (language) => composeBackupsInterruptedMail('/mnt/copies', language)],
];

/** Lines without translatable text: a name of an account or device, or a link. */
const DATA = /^(https:\/\/\S+|dev_1\s?: Attic|)$/;

describe.each(MAILS)('the mail %s', (_name, compose) => {
  test.each(LANGUAGES)('is complete in %s', async (language) => {
    const mail = await compose(language);
    expect(mail.subject.length).toBeLessThanOrEqual(120);
    for (const part of [mail.subject, mail.text, mail.html])
      expect(part).not.toMatch(/undefined|null|NaN|Invalid|\[object|[{}]/);
    expect(mail.html).toContain(`<html lang="${language}">`);
    if (language === 'en') return;
    const english = await compose('en');
    expect(mail.subject).not.toBe(english.subject);
    const lines = ({ text }: Mail) => text.split('\n').filter((line) => !DATA.test(line));
    expect(lines(mail)).toHaveLength(lines(english).length);
    expect(lines(mail).filter((line) => english.text.includes(line))).toEqual([]);
  });
});

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');

test.each([
  ['en', '2,345.678 kWh', '1,234.73 EUR', 'Monday, 15 June 2026, 18:05 (Europe/Berlin)'],
  ['de', '2.345,678 kWh', '1.234,73 €', 'Montag, 15. Juni 2026, 18:05 Uhr (Europe/Berlin)'],
  ['es', '2345,678 kWh', '1234,73 €', 'lunes, 15 de junio de 2026, 18:05 (Europe/Berlin)'],
  ['fr', '2 345,678 kWh', '1 234,73 €', 'lundi 15 juin 2026 à 18:05 (Europe/Berlin)'],
  ['nl', '2.345,678 kWh', '€ 1.234,73', 'maandag 15 juni 2026 om 18:05 (Europe/Berlin)'],
] as const)('in %s, mails format the values as %s, %s and %s', async (language, energy, amount, moment) => {
  const reader = await loadRecipientLocale({ language, timezone: BERLIN });
  expect([reader.kwh(2_345.678), reader.money('1234.73', 'EUR'), reader.moment(at)].map(plain)).toEqual([
    energy,
    amount,
    moment,
  ]);
  // An amount below one cent is formatted with all its decimals. Yen have no decimals.
  expect(plain(reader.money('0.0312', 'EUR'))).toMatch(/0[.,]0312/);
  expect(reader.money('273', 'JPY')).not.toMatch(/[.,]/);
});
