import type { Database } from '#src/database/connect.ts';
import {
  type DeliveryChannel,
  type DeliveryOutcome,
  getCapturedMessageFileName,
  writeCapturedMessage,
} from '../channel.ts';
import { loadDeviceNames } from '../device-names.ts';
import { composeEventMail } from '../email/event-mails.ts';
import { loadRecipientLocale } from '../words/words.ts';

const TIMEOUT_MS = 5_000;
/** Maximum length of a message in characters, by Twilio's documentation. */
const MAX_CHARACTERS = 1_600;

/** Sends text messages through a provider, or writes them to files. */
interface SmsSender {
  send(message: { id: string; userId: string; to: string; body: string }): Promise<DeliveryOutcome>;
}

interface TwilioOptions {
  accountSid: string;
  authToken: string;
  from: string;
  baseUrl: string;
}

/** Creates a sender that uses Twilio's Messages resource (https://www.twilio.com/docs/messaging/api/message-resource). */
export function createTwilioSmsSender({ accountSid, authToken, from, baseUrl }: TwilioOptions): SmsSender {
  const url = `${baseUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  return {
    async send({ to, body }) {
      try {
        const answer = await fetch(url, {
          method: 'POST',
          headers: { authorization },
          body: new URLSearchParams({ To: to, From: from, Body: body }),
          redirect: 'manual',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const failure = (await answer.json().catch(() => ({}))) as { message?: unknown; code?: unknown };
        const error = answer.ok
          ? null
          : `Twilio: ${String(failure.message ?? answer.status)} (${String(failure.code ?? '?')})`;
        return { succeeded: answer.ok, responseStatus: answer.status, error };
      } catch (error) {
        const { message, cause } = error as Error & { cause?: Error };
        return { succeeded: false, responseStatus: null, error: cause?.message ?? message };
      }
    },
  };
}

/** Creates a sender that writes each message to `folder` as a JSON file, named after the account and the event. */
export function createCapturingSmsSender(folder: string): SmsSender {
  return {
    async send({ id, userId, to, body }) {
      await writeCapturedMessage(
        folder,
        getCapturedMessageFileName(userId, `${id}.json`),
        `${JSON.stringify({ to, body })}\n`,
      );
      return { succeeded: true, responseStatus: null, error: null };
    },
  };
}

/** Creates the channel that sends one SMS with one sentence for each event. */
export function createSmsChannel(db: Database, texter: SmsSender): DeliveryChannel {
  return {
    async send({ event }) {
      const user = await db
        .selectFrom('users')
        .select(['phone', 'timezone', 'language'])
        .where('user_id', '=', event.userId)
        .executeTakeFirst();
      if (!user?.phone) {
        return { succeeded: false, responseStatus: null, error: 'the user has no phone number any more' };
      }
      const body = composeEventMail(
        event,
        await loadRecipientLocale(user),
        await loadDeviceNames(db, event),
      ).sentence.slice(0, MAX_CHARACTERS);
      return texter.send({ id: event.id, userId: event.userId, to: user.phone, body });
    },
  };
}
