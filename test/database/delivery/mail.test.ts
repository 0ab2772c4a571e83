import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findAlert } from '#src/alerts/store.ts';
import { createMailedToken } from '#src/core/secrets.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { composeMail } from '#src/delivery/email/compose.ts';
import { composeEventMail } from '#src/delivery/email/event-mails.ts';
import {
  composeSignInMail,
  createCapturingMailer,
  createEmailChannel,
  createSmtpMailer,
  type Mailer,
  sendMail,
} from '#src/delivery/email/send.ts';
import { createCapturingSmsSender, createSmsChannel, createTwilioSmsSender } from '#src/delivery/sms/send.ts';
import { loadRecipientLocale } from '#src/delivery/words/words.ts';
import { createDevice, deleteDevice } from '#src/devices/store.ts';
import { createRemarkComposer } from '#src/start/remark-mails.ts';
import { inviteMember } from '#src/users/members.ts';
import { updateUser } from '#src/users/store.ts';
import { createAlert } from '#test/support/alerts.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const SECRET = 'the secret of the tests';
const berlin = await loadRecipientLocale({ language: 'en', timezone: 'Europe/Berlin' });
const utc = await loadRecipientLocale({ language: 'en', timezone: 'UTC' });
let api: TestApi;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  api = await startTestApi();
  folder = await createTemporaryFolder();
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

let userId: string;
let alertId: string;
beforeEach(async () => {
  ({ userId } = await api.user('homeowner'));
  await updateUser(api.db, ALL_ACCOUNTS, userId, { timezone: 'Europe/Berlin', phone: '+4915112345678' });
  ({ alert_id: alertId } = await createAlert(api.db, {
    userId,
    type: 'daily_usage',
    thresholdKwh: 5,
    delivery: 'email',
  }));
});

const eventId = 'evt_01k8xqe8k4r1w5y7d9ms2b6gjt';
const sending = (data: Record<string, unknown> = {}) => ({
  deliveryId: 'dlv_01k8xqe8k4r1w5y7d9ms2b6gjt',
  target: 'email',
  leasedUntil: new Date('2026-06-15T12:02:00Z'),
  event: {
    id: eventId,
    type: 'alert.triggered',
    createdAt: new Date('2026-06-15T12:00:00Z'),
    userId,
    data: {
      alert_id: alertId,
      user_id: userId,
      type: 'daily_usage',
      threshold_kwh: 5,
      kwh_used: 5.012,
      period_start: '2026-06-14T22:00:00.000Z',
      period_end: '2026-06-15T22:00:00.000Z',
      devices: [{ device_id: 'dev_<b>', kwh_used: 5.012 }],
      ...data,
    },
  },
});
const channelWith = (mailer: Mailer) =>
  createEmailChannel({
    db: api.db,
    mailer,
    publicUrl: 'https://energy.example.net',
    secret: SECRET,
    composeRemark: createRemarkComposer(),
    from: undefined,
  });

describe('an e-mail', () => {
  test('reports the usage, in text and HTML, in its reader’s calendar, and pauses the alert by its link', async () => {
    const server = await startMailServer();
    const mailer = createSmtpMailer(server.url);
    expect(await channelWith(mailer).send(sending())).toEqual({ succeeded: true, responseStatus: 250, error: null });
    mailer.close();
    await server.close();
    const mail = await PostalMime.parse(server.messages[0] as Buffer);
    const { email } = (await api.send(`/v1/users/${userId}`, { key: (await api.user('admin')).key })).json;
    expect(mail.to?.map(({ address }) => address)).toEqual([email]);
    expect(mail.subject).toBe('5.012 kWh used on one day, more than 5 kWh: Monday, 15 June 2026');
    expect(mail.messageId).toBe(`<${eventId}@energy.example.net>`);
    for (const part of [mail.text, mail.html])
      for (const figure of ['5.012 kWh', '5 kWh']) expect(part).toContain(figure);
    expect(mail.html).toContain('dev_&lt;b&gt;');

    const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const { pathname } = new URL(/<(.*)>/.exec(header)?.[1] ?? '');
    expect(mail.text).toContain(pathname);
    // Some mail programs open every link. Opening this link without a confirmation must not pause anything.
    const asked = await api.send(pathname);
    expect({ status: asked.status, type: asked.headers['content-type'] }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    });
    expect((await findAlert(api.db, ALL_ACCOUNTS, alertId))?.status).toBe('active');
    const body = {
      raw: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect((await api.send(pathname, { method: 'POST', ...body })).status).toBe(200);
    expect((await findAlert(api.db, ALL_ACCOUNTS, alertId))?.status).toBe('paused');
    // RFC 8058 recommends multipart/form-data for requests to unsubscribe.
    const multipart = { raw: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } };
    expect((await api.send(pathname, { method: 'POST', ...multipart })).status).toBe(200);
  });

  test('contains the owner’s names of devices, and the ids of foreign or deleted devices', async () => {
    const paired = async (owner: string, location: string) =>
      (await createDevice(api.db, { userId: owner, type: 'smart_meter', location })).device.device_id;
    const own = await paired(userId, 'Meter <cupboard>\nhall');
    const deleted = await paired(userId, 'Garage');
    await deleteDevice(api.db, ALL_ACCOUNTS, deleted);
    const strangers = await paired((await api.user('homeowner')).userId, 'Their cellar');
    const about = sending({
      devices: [own, deleted, strangers, 'dev_gone'].map((device_id) => ({ device_id, kwh_used: 1.253 })),
    });
    const data = structuredClone(about.event.data);
    const mailer = createCapturingMailer(join(folder.path, 'named'));
    expect((await channelWith(mailer).send(about)).succeeded).toBe(true);
    const mail = await PostalMime.parse(await readFile(join(folder.path, 'named', `${userId}.${eventId}.eml`)));
    expect(mail.text?.match(/^.*: 1\.253 kWh$/gm)).toEqual([
      'Meter <cupboard> hall (smart_meter): 1.253 kWh',
      'Garage (smart_meter): 1.253 kWh',
      `${strangers}: 1.253 kWh`,
      'dev_gone: 1.253 kWh',
    ]);
    expect(mail.html).toContain('Meter &lt;cupboard&gt; hall (smart_meter)');
    expect(`${mail.text}${mail.html}`).not.toContain('Their cellar');
    expect(about.event.data).toEqual(data);
  });

  test('pauses only the alert of its link', async () => {
    const other = await createAlert(api.db, { userId, type: 'daily_usage', thresholdKwh: 5, delivery: 'email' });
    const [, mac] = createMailedToken(SECRET, 'unsubscribe', alertId).split('.');
    for (const token of [
      `${other.alert_id}.${mac}`,
      `${alertId}.`,
      alertId,
      'x',
      `${createMailedToken('another', 'unsubscribe', alertId)}`,
      '%00',
    ]) {
      expect({ token, status: (await api.send(`/unsubscribe/${token}`, { method: 'POST' })).status }).toEqual({
        token,
        status: 404,
      });
    }
    expect((await findAlert(api.db, ALL_ACCOUNTS, other.alert_id))?.status).toBe('active');
  });

  test('that the server refuses, or for which there is no server, counts as failed, with a reason', async () => {
    const server = await startMailServer(() => Object.assign(new Error('mailbox full'), { responseCode: 452 }));
    const mailer = createSmtpMailer(server.url);
    expect(await channelWith(mailer).send(sending())).toMatchObject({
      succeeded: false,
      responseStatus: 452,
      error: expect.stringContaining('mailbox full'),
    });
    await server.close();
    expect(await channelWith(mailer).send(sending())).toMatchObject({ succeeded: false, responseStatus: null });
    mailer.close();
  });

  test('that gives access is stored under a name that exports omit', async () => {
    const place = join(folder.path, 'access');
    const mailer = createCapturingMailer(place);
    const home = { user_id: userId, email: 'home@example.com' };
    const guest = { email: 'guest@example.com', access: 'read', now: api.now } as const;
    const { member_id } = await inviteMember(api.db, home, guest);
    const one = sending();
    const invited = { ...one.event, id: 'evt_2', type: 'member.invited', data: { member_id, access: 'read' } };
    for (const event of [one.event, invited]) await channelWith(mailer).send({ ...one, event });
    const signIn = await composeSignInMail({ link: 'https://x', code: '01234567', validMinutes: 15 }, 'en');
    await sendMail(mailer, { publicUrl: 'https://x', from: undefined }, { userId, email: 'home@example.com' }, signIn);
    expect((await readdir(place)).filter((name) => name.endsWith('.access.eml'))).toEqual([
      `${userId}.evt_2.access.eml`,
      expect.stringContaining('.sgn_'),
    ]);
  });

  test('is stored as a file if there is no server, complete, one per event', async () => {
    const mailer = createCapturingMailer(join(folder.path, 'mail'));
    for (let index = 0; index < 2; index++) {
      expect((await channelWith(mailer).send(sending())).succeeded).toBe(true);
    }
    expect(await readdir(join(folder.path, 'mail'))).toEqual([`${userId}.${eventId}.eml`]);
    const mail = await PostalMime.parse(await readFile(join(folder.path, 'mail', `${userId}.${eventId}.eml`)));
    expect(mail.subject).toContain('5.012 kWh');
  });
});

describe('a German account', () => {
  const german = () => updateUser(api.db, ALL_ACCOUNTS, userId, { language: 'de' });

  test('gets its mails in German through a real server, and also the page that pauses the alert', async () => {
    await german();
    const server = await startMailServer();
    const mailer = createSmtpMailer(server.url);
    const channel = channelWith(mailer);
    expect(await channel.send(sending())).toMatchObject({ succeeded: true });
    const key = { name: 'Import', prefix: 'eus_live_ab', expires_at: '2026-06-30T10:00:00.000Z' };
    const expiring = sending();
    const notice = { ...expiring, event: { ...expiring.event, type: 'key.expiring', data: key } };
    expect(await channel.send(notice)).toMatchObject({ succeeded: true });
    const mails = await Promise.all(server.messages.map((one) => PostalMime.parse(one)));
    expect(mails.map(({ subject }) => subject)).toEqual([
      '5,012 kWh an einem Tag verbraucht, mehr als 5 kWh: Montag, 15. Juni 2026',
      'API-Schlüssel „Import“ (eus_live_ab…) endet am Dienstag, 30. Juni 2026, 12:00 Uhr (Europe/Berlin)',
    ]);
    const [mail] = mails;
    expect(mail?.text).toContain('Seit: Montag, 15. Juni 2026\nVerbrauch: 5,012 kWh\nSchwelle: 5 kWh\n');
    expect(mail?.html).toContain('<html lang="de">');
    const pathname = /\/unsubscribe\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    const page = (await api.send(pathname)).text;
    for (const part of ['<html lang="de">', 'Diesen Alarm pausieren']) expect(page).toContain(part);

    // An invitation is in the language of the account with the invited address or, if there is no such account, in the language of the
    // home's account.
    const { userId: friend } = await api.user('homeowner');
    await updateUser(api.db, ALL_ACCOUNTS, friend, { language: 'fr' });
    const { email } = await api.db
      .selectFrom('users')
      .select('email')
      .where('user_id', '=', friend)
      .executeTakeFirstOrThrow();
    for (const address of ['nobody@example.com', email.toUpperCase()]) {
      const home = { user_id: userId, email: 'home@example.com' };
      const { member_id } = await inviteMember(api.db, home, { email: address, access: 'read', now: api.now });
      const invited = { ...expiring.event, type: 'member.invited', data: { member_id, access: 'read' } };
      expect(await channel.send({ ...expiring, event: invited })).toMatchObject({ succeeded: true });
    }
    const invitations = await Promise.all(server.messages.slice(2).map((one) => PostalMime.parse(one)));
    expect(invitations.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^Einladung in den Haushalt von /),
      expect.stringMatching(/vous invite dans son logement$/),
    ]);
    mailer.close();
    await server.close();
  });

  test('gets its SMS in German', async () => {
    await german();
    const channel = createSmsChannel(api.db, createCapturingSmsSender(join(folder.path, 'german')));
    await channel.send(sending({ type: 'no_data' }));
    const { body } = JSON.parse(await readFile(join(folder.path, 'german', `${userId}.${eventId}.json`), 'utf8'));
    expect(body).toBe('Keine Daten von dev_<b> seit Montag, 15. Juni 2026, 00:00 Uhr (Europe/Berlin)');
  });
});

describe('an SMS', () => {
  test('is sent through an API like Twilio’s', async () => {
    const calls: { url: string | undefined; authorization: string | undefined; form: Record<string, string> }[] = [];
    const answers = [
      { status: 201, body: { sid: 'SM1' } },
      { status: 400, body: { code: 21211, message: "Invalid 'To' Phone Number" } },
    ];
    const twilio = createServer(async (request: IncomingMessage, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      calls.push({ url: request.url, authorization: request.headers.authorization, form });
      const { status, body } = answers[calls.length - 1] ?? { status: 500, body: {} };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => twilio.listen(0, '127.0.0.1', resolve));
    const { port } = twilio.address() as AddressInfo;
    const texter = createTwilioSmsSender({
      accountSid: 'AC1',
      authToken: 'token',
      from: '+15005550006',
      baseUrl: `http://127.0.0.1:${port}/`,
    });
    const channel = createSmsChannel(api.db, texter);
    expect(await channel.send(sending())).toEqual({ succeeded: true, responseStatus: 201, error: null });
    expect(calls[0]).toEqual({
      url: '/2010-04-01/Accounts/AC1/Messages.json',
      authorization: `Basic ${Buffer.from('AC1:token').toString('base64')}`,
      form: {
        To: '+4915112345678',
        From: '+15005550006',
        Body: '5.012 kWh used on one day, more than 5 kWh: Monday, 15 June 2026',
      },
    });
    expect(await channel.send(sending())).toEqual({
      succeeded: false,
      responseStatus: 400,
      error: "Twilio: Invalid 'To' Phone Number (21211)",
    });
    await new Promise((resolve) => twilio.close(resolve));
    expect((await channel.send(sending())).succeeded).toBe(false);
  });

  test('about a silence names the device’s location', async () => {
    const wanted = { userId, type: 'smart_meter', location: 'Meter cupboard' };
    const { device_id } = (await createDevice(api.db, wanted)).device;
    const channel = createSmsChannel(api.db, createCapturingSmsSender(join(folder.path, 'silences')));
    await channel.send(sending({ type: 'no_data', devices: [{ device_id, kwh_used: 0 }] }));
    const { body } = JSON.parse(await readFile(join(folder.path, 'silences', `${userId}.${eventId}.json`), 'utf8'));
    expect(body).toBe('No data from Meter cupboard since Monday, 15 June 2026, 00:00 (Europe/Berlin)');
  });

  test('is stored as a file if there is no provider, and counts as failed without a phone number', async () => {
    const channel = createSmsChannel(api.db, createCapturingSmsSender(join(folder.path, 'sms')));
    await channel.send(sending());
    expect(JSON.parse(await readFile(join(folder.path, 'sms', `${userId}.${eventId}.json`), 'utf8'))).toMatchObject({
      to: '+4915112345678',
    });
    await updateUser(api.db, ALL_ACCOUNTS, userId, { phone: null });
    expect(await channel.send(sending())).toMatchObject({ succeeded: false, error: expect.stringContaining('phone') });
  });
});

test('every kind of event is described in one sentence', () => {
  const unnamed = new Map();
  const { event } = sending({ type: 'peak_usage', period_start: '2026-06-15T16:00:00.000Z' });
  expect(composeEventMail(event, berlin, unnamed).sentence).toBe(
    '5.012 kWh used in one hour, more than 5 kWh: Monday, 15 June 2026, 18:00 (Europe/Berlin)',
  );
  expect(composeEventMail(sending({ type: 'monthly_usage' }).event, utc, unnamed).sentence).toContain(
    'in one month, more than 5 kWh: June 2026',
  );
  const cost = { threshold_kwh: undefined, kwh_used: undefined, threshold: '2.5', cost: '2.73', currency: 'EUR' };
  const costly = sending({ ...cost, type: 'daily_cost' }).event;
  const costSentence = '2.73 EUR for energy on one day, more than 2.5 EUR: Monday, 15 June 2026';
  expect(composeEventMail(costly, berlin, unnamed).sentence).toBe(costSentence);
  expect(composeEventMail(sending({ ...cost, type: 'monthly_cost' }).event, utc, unnamed).sentence).toContain(
    'for energy in one month, more than 2.5 EUR: June 2026',
  );
  const composed = composeMail(costly, berlin, unnamed, null);
  expect(composed.text).toBe(
    `${costSentence}.\n\nSince: Monday, 15 June 2026\nCost: 2.73 EUR\nThreshold: 2.5 EUR\ndev_<b>: 5.012 kWh\n`,
  );
  expect(composed.html).not.toContain('undefined');
  const silence = sending({ type: 'no_data', kwh_used: undefined }).event;
  expect(composeEventMail(silence, utc, unnamed).sentence).toBe(
    'No data from dev_<b> since Sunday, 14 June 2026, 22:00 (UTC)',
  );
  const names = new Map([['dev_<b>', { location: 'Meter cupboard', type: 'smart_meter' }]]);
  const named = 'No data from Meter cupboard since Sunday, 14 June 2026, 22:00 (UTC)';
  const { subject, text, html } = composeMail(silence, utc, names, null);
  expect(subject).toBe(named);
  for (const part of [text, html]) expect(part).toContain(named);
});

test('a source of prices that fails is described with its error, in one line each', () => {
  const data = {
    series_id: 'prs_1',
    name: 'Day\nahead',
    source: 'prices.example',
    failing_since: '2026-06-15T16:00:00.000Z',
    last_error: 'HTTP 500',
  };
  const { subject, text } = composeMail({ type: 'series.source_failing', data }, berlin, new Map(), null);
  expect(subject).toBe('Prices of “Day ahead” could not be fetched for a day');
  expect(text).toContain(
    'Price series: “Day ahead” (prs_1)\nSource: prices.example\nFailing since: Monday, 15 June 2026, 18:00 (Europe/Berlin)\nLast error: HTTP 500\n',
  );
});

test('a sign-in is mailed with its link and its code, through a real server, and not as bulk mail', async () => {
  const server = await startMailServer();
  const mailer = createSmtpMailer(server.url);
  const link = 'https://energy.example.net/dashboard/sign-in#secret-token';
  const mail = await composeSignInMail({ link, code: '01234567', validMinutes: 15 }, 'en');
  await sendMail(
    mailer,
    { publicUrl: 'https://energy.example.net', from: undefined },
    { userId: 'usr_0', email: 'anna@example.com' },
    mail,
  );
  mailer.close();
  await server.close();
  const read = await PostalMime.parse(server.messages[0] as Buffer);
  expect(read.to?.map(({ address }) => address)).toEqual(['anna@example.com']);
  expect(read.from?.address).toBe('energy@energy.example.net');
  for (const part of [read.text, read.html]) {
    expect(part).toContain(link);
    expect(part).toContain('0123 4567');
    expect(part).toContain('15 minutes');
  }
  expect(read.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
});
