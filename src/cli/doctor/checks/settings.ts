import { isLoopback } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { checkCertificateDates, formatRenewalAdvice } from '#src/start/certificate.ts';
import {
  type Check,
  createOkFinding,
  createProblemFinding,
  createSkippedFinding,
  createWarningFinding,
  type Finding,
  isFactKnown,
} from '../facts.ts';

export const configurationCheck: Check = {
  name: 'configuration',
  judge({ config }) {
    if ('mistakes' in config)
      return config.mistakes.map((mistake) =>
        createProblemFinding(
          mistake,
          'Correct this variable (docs/configuration.md). The service does not start until it is valid.',
        ),
      );
    const findings = [...exposure(config.valid)];
    return findings.length > 0 ? findings : createOkFinding('every variable is valid');
  },
};

/** Yields findings about settings that are valid but probably unintended. */
function* exposure({ environment, publicUrl, api, mqtt, webhook, mail }: Config): Generator<Finding> {
  const isPublic = !isLoopback(new URL(publicUrl).hostname);
  if (!isPublic && !isLoopback(api.host))
    yield createWarningFinding(
      `the API listens on ${api.host}, but PUBLIC_URL is ${publicUrl}: links in mails do not work on other machines`,
      'Set PUBLIC_URL to the address that people use.',
    );
  if (!mqtt.url && !isLoopback(mqtt.host))
    yield createWarningFinding(
      `MQTT without TLS listens on ${mqtt.host}: others in the network can read passwords and readings`,
      'Unset MQTT_HOST, unless this is your own network with devices that do not support TLS.',
    );
  if (isPublic && environment === 'live' && webhook.allowPrivate)
    yield createWarningFinding(
      'WEBHOOK_ALLOW_PRIVATE is true: subscribers can make this service call addresses inside your network',
      'Unset it: it is only for development.',
    );
  if (isPublic && environment === 'live' && !mail.smtpUrl)
    yield createWarningFinding(
      'SMTP_URL is not set: mails, including sign-in links, are only written to DATA_DIR/mail',
      'Set SMTP_URL, or create sign-in links with energy users sign-in EMAIL.',
    );
}

export const certificateCheck: Check = {
  name: 'certificate',
  judge({ certificate: facts, nowMs }) {
    if (facts === null) return createSkippedFinding('not checked: the configuration is not valid');
    const { file, isOurs, pair } = facts;
    if (pair === null) return createSkippedFinding('no certificate yet; the first start creates it');
    if (!isFactKnown(pair))
      return createProblemFinding(
        `${file} cannot be used: ${pair.why}`,
        isOurs
          ? 'Remove it: the service creates a new one. Devices that trust a copy of the old one need the new one.'
          : 'Check TLS_CERT_FILE and TLS_KEY_FILE, and that the service’s user can read both.',
      );
    const findings: Finding[] = [];
    const renew = formatRenewalAdvice(pair);
    if (!pair.keyFits)
      findings.push(
        createProblemFinding(
          'key and certificate do not belong together',
          pair.renewsItself ? renew : 'Put the key of this certificate into TLS_KEY_FILE.',
        ),
      );
    const dates = checkCertificateDates({ file, ...pair }, nowMs);
    if (dates)
      findings.push((dates.isRefused ? createProblemFinding : createWarningFinding)(dates.finding, dates.todo));
    for (const { host, of, isNamed } of pair.hosts) {
      if (!isNamed)
        findings.push(
          createProblemFinding(
            `${file} is not valid for ${host}, the host of ${of}`,
            pair.renewsItself ? renew : `Get a certificate that is also valid for ${host}, or correct ${of}.`,
          ),
        );
    }
    return findings.length > 0
      ? findings
      : createOkFinding(
          `valid for ${[...new Set(pair.hosts.map(({ host }) => host))].join(' and ')} until ${day(pair.validToMs)}`,
        );
  },
};

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const WHAT_TO_DO =
  'Restore the key from a backup, or set SECRET_KEY to its content. If it is lost for good: energy secrets forget.';

export const secretKeyCheck: Check = {
  name: 'secret key',
  judge({ secretKey: facts }) {
    if (facts === null) return createSkippedFinding('not checked: the configuration is not valid');
    const { from, isThere, sealed } = facts;
    if (sealed === null)
      return isThere
        ? createSkippedFinding(`${from} exists; not tested, because the database does not respond`)
        : createSkippedFinding('no secret key yet; the first start creates it');
    if (sealed.looked === 0)
      return createOkFinding(
        isThere
          ? `${from} exists; the database contains no encrypted secrets yet`
          : 'no secret key yet; the first start creates it',
      );
    if (!isThere)
      return createProblemFinding(
        `${from} is missing, and the database contains secrets that only this key decrypts`,
        WHAT_TO_DO,
      );
    if (sealed.opened === 0)
      return createProblemFinding(
        `${from} is the wrong key: the secrets in the database were encrypted with another key`,
        WHAT_TO_DO,
      );
    if (sealed.opened < sealed.looked)
      return createWarningFinding(
        `${from} decrypts ${sealed.opened} of ${sealed.looked} secrets: the others were encrypted with another key`,
        'Each webhook that fails to sign needs a new auth_token (energy webhooks update). Do all machines have the same SECRET_KEY?',
      );
    return createOkFinding(`${from} decrypts the secrets in the database`);
  },
};

export const mailCheck: Check = {
  name: 'mail',
  judge({ mail: facts, config }) {
    if (!('valid' in config)) return createSkippedFinding('not checked: the configuration is not valid');
    if (facts === null) return createOkFinding('stored as files in DATA_DIR/mail, because SMTP_URL is not set');
    if (isFactKnown(facts)) return createOkFinding('the server of SMTP_URL accepts the login; no mail was sent');
    const isLogin = /auth|535|credentials|login/i.test(facts.why);
    return createProblemFinding(
      `the server of SMTP_URL: ${facts.why}`,
      isLogin
        ? 'The server rejects this login: correct user and password in SMTP_URL.'
        : 'Check host and port in SMTP_URL: smtps:// is for port 465, smtp:// for 587 and 25.',
    );
  },
};

export const brokerCheck: Check = {
  name: 'broker',
  judge({ broker: facts, service }) {
    if (facts === null) return createSkippedFinding('not checked');
    const { shown, isEmbedded, reached } = facts;
    if (isFactKnown(reached))
      return createOkFinding(
        isEmbedded ? `the embedded broker listens at ${shown}` : `${shown} accepts the login of MQTT_URL`,
      );
    if (isEmbedded && service === null)
      return createSkippedFinding('the embedded broker only runs in the ingest process');
    return isEmbedded
      ? createProblemFinding(
          `the embedded broker does not listen at ${shown}: ${reached.why}`,
          'See the log of the ingest process. The check “ports” above shows which process uses the port.',
        )
      : createProblemFinding(`${shown}: ${reached.why}`, advice(reached.why));
  },
};

function advice(why: string): string {
  if (/not authori[sz]ed|bad user ?name|access[_ ]refused|refused|403/i.test(why) && !/ECONNREFUSED/.test(why))
    return 'The broker rejects this login: put user and password into MQTT_URL, and let the user read the topics (deploy/mosquitto/acl).';
  if (/certificate|self.signed|altname|SSL|TLS/i.test(why))
    return 'The broker’s certificate is not trusted, or not valid for this name: set NODE_EXTRA_CA_CERTS to its authority, and use its own name in MQTT_URL.';
  return 'Check host and port in MQTT_URL, that the broker runs, and firewalls in between.';
}
