import { createTransport } from 'nodemailer';
import { confirmEmailLink } from '#src/auth/sign-ins.ts';
import { mailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { capturedName, keepWhole } from '../captured.ts';
import type { Channel, Outcome, Sending } from '../channel.ts';
import { deviceNames } from '../device-names.ts';
import { compose, type MailLink } from './compose.ts';

const TIMEOUT_MS = 10_000;
/** Limit for sending one message, below the lease of its delivery (attempts.ts): a server may be slow at every step. */
const WHOLE_MS = 60_000;

/** A message as nodemailer takes it. */
interface Message {
  /** Whose it is. Stays here. */
  userId: string;
  messageId: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  headers?: Record<string, string>;
}

/** Hands messages to a mail server, or keeps them as files. */
export interface Mailer {
  /** Resolves with the server's reply code; rejects where it did not take the message. */
  send(message: Message): Promise<number | null>;
  close(): void;
}

/** Through the server of SMTP_URL. */
export function smtpMailer(url: string): Mailer {
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url, pool: true, maxConnections: 4, ...timeouts });
  return {
    async send({ userId: _, ...message }) {
      let timer: NodeJS.Timeout | undefined;
      const tooLong = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`not taken within ${WHOLE_MS / 1_000} s`)), WHOLE_MS);
      });
      const { response } = await Promise.race([transport.sendMail(message), tooLong]).finally(() =>
        clearTimeout(timer),
      );
      return Number.parseInt(response, 10) || null;
    },
    close: () => transport.close(),
  };
}

/** Into `folder` as .eml files, one a message, named after its account and id: nothing is sent. */
export function capturingMailer(folder: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send({ userId, ...message }) {
      const { message: source } = await transport.sendMail(message);
      const name = message.messageId.replace(/^<|@.*$/g, '');
      await keepWhole(folder, capturedName(userId, `${name}.eml`), source as Buffer);
      return null;
    },
    close: () => transport.close(),
  };
}

/** Notifies users by e-mail, one mail per event. A mail that is sent twice has the same Message-ID. */
export function emailChannel(options: {
  db: Database;
  mailer: Mailer;
  /** Where links lead. */
  publicUrl: string;
  /** Signs the links that pause an alert, or confirm an address. */
  secret: string;
  /** Sender's address; without one it is made of the public URL's host. */
  from: string | undefined;
}): Channel {
  const { db, mailer, publicUrl, secret } = options;
  const host = new URL(publicUrl).hostname;
  const address = options.from ?? `energy@${host}`;
  return {
    async send({ event }) {
      const user = await db
        .selectFrom('users')
        .select(['email', 'timezone'])
        .where('user_id', '=', event.userId)
        .executeTakeFirst();
      if (!user) return failed('the user is gone', null);
      const names = await deviceNames(db, event);
      const link = linkOf(event, { publicUrl, secret });
      const headers: Record<string, string> =
        link?.is === 'unsubscribe'
          ? { 'List-Unsubscribe': `<${link.url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
          : {};
      try {
        const responseStatus = await mailer.send({
          userId: event.userId,
          messageId: `<${event.id}@${host}>`,
          from: `Energy usage service <${address}>`,
          to: addressOf(event, user.email),
          ...compose(event, user.timezone, names, link),
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

/** A change of address is reported to the old address, since somebody else may have made it, and confirmed at the new one. */
function addressOf({ type, data }: Sending['event'], email: string): string {
  if (type === 'user.email_changed' || type === 'user.email_requested') return String(data.former_email);
  return type === 'user.email_to_confirm' ? String(data.email) : email;
}

/** What a mail about an event leads to. */
function linkOf(
  { type, data }: Sending['event'],
  { publicUrl, secret }: { publicUrl: string; secret: string },
): MailLink | null {
  if (type === 'user.email_to_confirm')
    return { is: 'confirm', url: confirmEmailLink(publicUrl, secret, String(data.email_change_id)) };
  if (typeof data.alert_id !== 'string') return null;
  return { is: 'unsubscribe', url: `${publicUrl}/unsubscribe/${mailedToken(secret, 'unsubscribe', data.alert_id)}` };
}

const failed = (error: string, responseStatus: number | null): Outcome => ({
  succeeded: false,
  responseStatus,
  error: error.slice(0, 500),
});
