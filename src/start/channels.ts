import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { systemClock } from '#src/core/clock.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeliveryChannel } from '#src/delivery/channel.ts';
import { createCapturingMailer, createEmailChannel, createSmtpMailer, type Mailer } from '#src/delivery/email/send.ts';
import { createPriceSourceFetcher } from '#src/delivery/fetch-answer.ts';
import { createCapturingSmsSender, createSmsChannel, createTwilioSmsSender } from '#src/delivery/sms/send.ts';
import { createWebhookChannel } from '#src/delivery/webhook/send.ts';
import { createRemarkComposer } from './remark-mails.ts';

/** Returns a mailer that sends through the server of SMTP_URL. Without it, and in the sandbox, mails are written to files. */
export function openMailer({ environment, dataDir, mail }: Config): Mailer {
  const isLive = environment === 'live';
  return isLive && mail.smtpUrl ? createSmtpMailer(mail.smtpUrl) : createCapturingMailer(join(dataDir, 'mail'));
}

/**
 * Creates the function that fetches price and emission data over HTTPS, not from internal addresses. `bounds`: other limits on size and
 * time.
 */
export async function openPriceSourceFetcher(
  { webhook: { allowPrivate, caFile } }: Config,
  bounds: { maxBytes?: number; timeoutMs?: number } = {},
) {
  const ca = caFile ? await readFile(caFile, 'utf8') : undefined;
  return createPriceSourceFetcher({ allowPrivate, ...bounds, ...omitUndefined({ ca }) });
}

/**
 * Opens the delivery channels: mail, SMS and webhooks. Without a mail server or SMS provider, and in the sandbox, messages are written to
 * files.
 */
export async function openDeliveryChannels(
  config: Config,
  db: Database,
  secret: string,
): Promise<{ channels: { webhook: DeliveryChannel; email: DeliveryChannel; sms: DeliveryChannel }; close(): void }> {
  const { environment, dataDir, publicUrl, mail, sms, webhook } = config;
  const isLive = environment === 'live';
  const mailer = openMailer(config);
  const texter =
    isLive && sms.twilio ? createTwilioSmsSender(sms.twilio) : createCapturingSmsSender(join(dataDir, 'sms'));
  const { allowPrivate, caFile } = webhook;
  const callbacks = createWebhookChannel({
    db,
    box: createSecretEncrypter(secret),
    clock: systemClock,
    environment,
    publicUrl,
    allowPrivate,
    ...omitUndefined({ ca: caFile ? await readFile(caFile, 'utf8') : undefined }),
  });
  return {
    channels: {
      webhook: callbacks,
      email: createEmailChannel({
        db,
        mailer,
        publicUrl,
        secret,
        composeRemark: createRemarkComposer(),
        from: mail.from,
      }),
      sms: createSmsChannel(db, texter),
    },
    close() {
      callbacks.close();
      mailer.close();
    },
  };
}
