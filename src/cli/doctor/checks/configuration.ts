import { isLoopback } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { type Check, type Finding, ok, problem, warning } from '../finding.ts';

export const configuration: Check = {
  name: 'configuration',
  judge({ config }) {
    if ('mistakes' in config)
      return config.mistakes.map((mistake) =>
        problem(mistake, 'Correct this variable: docs/configuration.md lists all of them. Nothing starts before.'),
      );
    const findings = [...exposure(config.valid)];
    return findings.length > 0 ? findings : [ok('every variable is valid')];
  },
};

/** What is valid and probably not meant. */
function* exposure({ environment, publicUrl, api, mqtt, webhook, mail }: Config): Generator<Finding> {
  const isPublic = !isLoopback(new URL(publicUrl).hostname);
  if (!isPublic && !isLoopback(api.host))
    yield warning(
      `the API listens on ${api.host}, and PUBLIC_URL is ${publicUrl}: links in mails lead nowhere on other machines`,
      'Set PUBLIC_URL to the address that people use.',
    );
  if (!mqtt.url && !isLoopback(mqtt.host))
    yield warning(
      `MQTT without TLS listens on ${mqtt.host}: whoever is on the way reads passwords and readings`,
      'Unset MQTT_HOST, unless this is a network of your own with devices that cannot do TLS.',
    );
  if (isPublic && environment === 'live' && webhook.allowPrivate)
    yield warning(
      'WEBHOOK_ALLOW_PRIVATE is true: subscribers can have this service call addresses inside your network',
      'Unset it: it is for development.',
    );
  if (isPublic && environment === 'live' && !mail.smtpUrl)
    yield warning(
      'SMTP_URL is not set: mails, and with them links to sign in, are only written to DATA_DIR/mail',
      'Set SMTP_URL, or hand out links with energy users sign-in EMAIL.',
    );
}
