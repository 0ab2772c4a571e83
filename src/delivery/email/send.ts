import { createTransport } from 'nodemailer';
import { findAccountOfEmail, getEmailConfirmationLink } from '#src/auth/sign-ins.ts';
import { escapeHtml } from '#src/core/html.ts';
import { createId } from '#src/core/ids.ts';
import { createMailedToken } from '#src/core/secrets.ts';
import { withTimeout } from '#src/core/timeout.ts';
import type { Database } from '#src/database/connect.ts';
import type { RemarkBody } from '#src/events/remark.ts';
import {
  ACCESS_LINK_MAIL_SUFFIX,
  type DeliveryAttempt,
  type DeliveryChannel,
  type DeliveryOutcome,
  getCapturedMessageFileName,
  writeCapturedMessage,
} from '../channel.ts';
import { loadDeviceNames } from '../device-names.ts';
import { type Language, loadRecipientLocale, loadWords } from '../words/words.ts';
import { composeMail, type Mail, type MailLink, renderMailHtml } from './compose.ts';
import { composeRemarkMail, type RemarkComposer } from './compose-remark.ts';
import { loadMembershipAddresses, type MembershipAddresses } from './member-mails.ts';

const TIMEOUT_MS = 10_000;
/** Maximum time in ms to send one message. It must be shorter than the lease (reservation) of a delivery. */
const WHOLE_MS = 60_000;

/** A message, in the format of the library nodemailer. */
interface Message extends Mail {
  /** Account of the recipient, for the file name of a captured message. */
  userId: string;
  messageId: string;
  from: string;
  to: string;
  headers?: Record<string, string>;
}

/** Sends messages through a mail server, or writes them to files. */
export interface Mailer {
  /** Returns the server's reply code. The promise is rejected if the server refused the message. */
  send(message: Message): Promise<number | null>;
  close(): void;
}

/** Creates a mailer that sends through a mail server. `url`: the setting SMTP_URL. */
export function createSmtpMailer(url: string): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, pool: true, maxConnections: 4, ...timeouts });
  return {
    async send({ userId: _, givesAccess: __, ...message }) {
      const tooLong = `not taken within ${WHOLE_MS / 1_000} s`;
      const { response } = await withTimeout(transport.sendMail(message), WHOLE_MS, tooLong);
      return Number.parseInt(response, 10) || null;
    },
    close: () => transport.close(),
  };
}

/** Creates a mailer that writes each message to `folder` as an .eml file, named after the recipient's account and the message's id. */
export function createCapturingMailer(folder: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send({ userId, givesAccess, ...message }) {
      const { message: source } = await transport.sendMail(message);
      const name = `${message.messageId.replace(/^<|@.*$/g, '')}${givesAccess ? ACCESS_LINK_MAIL_SUFFIX : '.eml'}`;
      await writeCapturedMessage(folder, getCapturedMessageFileName(userId, name), source as Buffer);
      return null;
    },
    close: () => transport.close(),
  };
}

/** Creates the channel that sends one mail for each event. Repeated mails have the same Message-ID. */
export function createEmailChannel(options: {
  db: Database;
  mailer: Mailer;
  /** Base URL of links. */
  publicUrl: string;
  /** Secret that signs the tokens in links. */
  secret: string;
  composeRemark: RemarkComposer;
  /** Sender's e-mail address. Default: an address at the host of the public URL. */
  from: string | undefined;
}): DeliveryChannel {
  const { db, mailer, publicUrl, secret, composeRemark } = options;
  const host = new URL(publicUrl).hostname;
  const address = options.from ?? `energy@${host}`;
  return {
    async send({ event }) {
      const user = await db
        .selectFrom('users')
        .select(['email', 'timezone', 'language'])
        .where('user_id', '=', event.userId)
        .executeTakeFirst();
      if (!user) return failed('the user was deleted', null);
      const people = await loadMembershipAddresses(db, event);
      if (event.type === 'member.invited' && !people?.isInvitation) return failed('the invitation was withdrawn', null);
      const link = linkOf(event, { publicUrl, secret });
      const compose = async (): Promise<Mail> => {
        const reader = await loadRecipientLocale({ ...user, ...(await findInvited(db, event, people)) });
        if (event.type !== 'remark.raised' || !link)
          return composeMail({ ...event, people }, reader, await loadDeviceNames(db, event), link);
        const texts = await composeRemark(event.data as RemarkBody, user);
        return composeRemarkMail(texts, { reader, home: `${publicUrl}/dashboard/home`, off: link.url });
      };
      const headers: Record<string, string> =
        link?.is === 'unsubscribe'
          ? { 'List-Unsubscribe': `<${link.url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
          : {};
      try {
        const responseStatus = await mailer.send({
          userId: event.userId,
          messageId: `<${event.id}@${host}>`,
          from: `Energy usage service <${address}>`,
          to: addressOf(event, people?.memberEmail, user.email),
          ...(await compose()),
          givesAccess: link !== null && link.is !== 'unsubscribe',
          headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
        });
        return { succeeded: true, responseStatus, error: null };
      } catch (error) {
        const { message, responseCode } = error as Error & { responseCode?: number };
        return failed(message, responseCode ?? null);
      }
    },
  };
}

/**
 * Returns the e-mail address for an event. A changed address is reported to the old address, because another person may have changed it. A
 * confirmation goes to the new address, and an invitation to the invited address.
 */
function addressOf({ type, data }: DeliveryAttempt['event'], invited: string | undefined, email: string): string {
  if (type === 'member.invited' && invited !== undefined) return invited;
  if (type === 'user.email_changed' || type === 'user.email_requested') return String(data.former_email);
  return type === 'user.email_to_confirm' ? String(data.email) : email;
}

/** If the mail is an invitation, returns the account of the invited person, whose language the mail uses. Otherwise returns null. */
const findInvited = async (db: Database, { type }: DeliveryAttempt['event'], people: MembershipAddresses | null) =>
  type === 'member.invited' && people ? findAccountOfEmail(db, people.memberEmail) : null;

/** Returns the link in the mail about an event; null if the mail has none. */
function linkOf(
  { type, data }: DeliveryAttempt['event'],
  { publicUrl, secret }: { publicUrl: string; secret: string },
): MailLink | null {
  if (type === 'user.email_to_confirm')
    return { is: 'confirm', url: getEmailConfirmationLink(publicUrl, secret, String(data.email_change_id)) };
  if (type === 'member.invited')
    return {
      is: 'invitation',
      url: `${publicUrl}/invitation/${createMailedToken(secret, 'member', String(data.member_id))}`,
    };
  const ended = type === 'remark.raised' ? data.user_id : data.alert_id;
  if (typeof ended !== 'string') return null;
  return { is: 'unsubscribe', url: `${publicUrl}/unsubscribe/${createMailedToken(secret, 'unsubscribe', ended)}` };
}

const failed = (error: string, responseStatus: number | null): DeliveryOutcome => ({
  succeeded: false,
  responseStatus,
  error: error.slice(0, 500),
});

/** Composes a sign-in mail in a language. `code`: eight digits. */
export async function composeSignInMail(
  { link, code, validMinutes }: { link: string; code: string; validMinutes: number },
  language: Language,
): Promise<Mail> {
  const { signIn: w } = await loadWords(language);
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  const end = w.end({ minutes: validMinutes });
  const body = [
    `<p><a href="${escapeHtml(link)}">${escapeHtml(w.link)}</a></p>`,
    `<p>${escapeHtml(w.type)} <b style="font-size:20px">${shown}</b></p>`,
    `<p style="color:#57606a">${escapeHtml(end)}</p>`,
  ].join('');
  return {
    subject: w.subject({ code: shown }),
    text: `${w.follow}\n\n${link}\n\n${w.type} ${shown}\n\n${end}\n`,
    html: renderMailHtml({ language }, body),
    givesAccess: true,
  };
}

/** Composes a mail to an administrator about interrupted back-ups. `folder`: the target of the archive. */
export async function composeBackupsInterruptedMail(folder: string, language: Language): Promise<Mail> {
  const { backups: w } = await loadWords(language);
  const sentences = [w.interrupted({ folder }), w.discarded, w.canDo];
  const body = sentences.map((one) => `<p>${escapeHtml(one)}</p>`).join('');
  return { subject: w.subject, text: `${sentences.join('\n\n')}\n`, html: renderMailHtml({ language }, body) };
}

/** Sends a mail that is not about an event, such as a sign-in mail. The promise is rejected if the mail server refuses it. */
export async function sendMail(
  mailer: Mailer,
  { publicUrl, from }: { publicUrl: string; from: string | undefined },
  to: { userId: string; email: string },
  mail: Mail,
): Promise<void> {
  const host = new URL(publicUrl).hostname;
  await mailer.send({
    messageId: `<${createId('sgn')}@${host}>`,
    from: `Energy usage service <${from ?? `energy@${host}`}>`,
    userId: to.userId,
    to: to.email,
    ...mail,
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
}

/** Connects to a mail server and logs in, without sending a mail. Throws if the server is unreachable or refuses the login. */
export async function verifySmtp(url: string, timeoutMs: number): Promise<void> {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url, ...timeouts });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
