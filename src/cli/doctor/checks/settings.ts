import { isLoopback } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { howToRenew, judgeDates } from '#src/start/certificate.ts';
import {
  type Check,
  type Finding,
  isFactKnown,
  okFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from '../facts.ts';

export const configurationCheck: Check = {
  name: 'configuration',
  judge({ config }) {
    if ('mistakes' in config)
      return config.mistakes.map((mistake) =>
        problemFinding(
          mistake,
          'Correct this variable: docs/configuration.md lists all of them. Nothing starts before.',
        ),
      );
    const findings = [...exposure(config.valid)];
    return findings.length > 0 ? findings : [okFinding('every variable is valid')];
  },
};

/** Yields findings about settings that are valid but probably unintended. */
function* exposure({ environment, publicUrl, api, mqtt, webhook, mail }: Config): Generator<Finding> {
  const isPublic = !isLoopback(new URL(publicUrl).hostname);
  if (!isPublic && !isLoopback(api.host))
    yield warningFinding(
      `the API listens on ${api.host}, and PUBLIC_URL is ${publicUrl}: links in mails lead nowhere on other machines`,
      'Set PUBLIC_URL to the address that people use.',
    );
  if (!mqtt.url && !isLoopback(mqtt.host))
    yield warningFinding(
      `MQTT without TLS listens on ${mqtt.host}: whoever is on the way reads passwords and readings`,
      'Unset MQTT_HOST, unless this is a network of your own with devices that cannot do TLS.',
    );
  if (isPublic && environment === 'live' && webhook.allowPrivate)
    yield warningFinding(
      'WEBHOOK_ALLOW_PRIVATE is true: subscribers can have this service call addresses inside your network',
      'Unset it: it is for development.',
    );
  if (isPublic && environment === 'live' && !mail.smtpUrl)
    yield warningFinding(
      'SMTP_URL is not set: mails, and with them links to sign in, are only written to DATA_DIR/mail',
      'Set SMTP_URL, or hand out links with energy users sign-in EMAIL.',
    );
}

export const certificateCheck: Check = {
  name: 'certificate',
  judge({ certificate: facts, nowMs }) {
    if (facts === null) return [skippedFinding('not looked at: the configuration is not valid')];
    const { file, isOurs, pair } = facts;
    if (pair === null) return [skippedFinding('there is none yet: the first start makes it')];
    if (!isFactKnown(pair))
      return [
        problemFinding(
          `${file} cannot be used: ${pair.why}`,
          isOurs
            ? 'Remove it: the service makes it anew. Devices that trust a copy need the new one.'
            : 'Check TLS_CERT_FILE and TLS_KEY_FILE, and that the user of the service may read both.',
        ),
      ];
    const findings: Finding[] = [];
    const renew = howToRenew(pair);
    if (!pair.keyFits)
      findings.push(
        problemFinding(
          'key and certificate do not belong together',
          pair.renewsItself ? renew : 'Put the key of this certificate into TLS_KEY_FILE.',
        ),
      );
    const dates = judgeDates({ file, ...pair }, nowMs);
    if (dates) findings.push((dates.isRefused ? problemFinding : warningFinding)(dates.finding, dates.todo));
    for (const { host, of, isNamed } of pair.hosts) {
      if (!isNamed)
        findings.push(
          problemFinding(
            `${file} does not name ${host}, the host of ${of}`,
            pair.renewsItself ? renew : `Have one made for ${host}, too, or correct ${of}.`,
          ),
        );
    }
    return findings.length > 0
      ? findings
      : [
          okFinding(
            `names ${[...new Set(pair.hosts.map(({ host }) => host))].join(' and ')}, and holds until ${day(pair.validToMs)}`,
          ),
        ];
  },
};

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const WHAT_TO_DO =
  'Put the key back from a backup, or set SECRET_KEY to what it said. If it is lost for good: energy secrets forget.';

export const secretKeyCheck: Check = {
  name: 'secret key',
  judge({ secretKey: facts }) {
    if (facts === null) return [skippedFinding('not looked at: the configuration is not valid')];
    const { from, isThere, sealed } = facts;
    if (sealed === null)
      return isThere
        ? [skippedFinding(`${from} is there; not tried: no database answers`)]
        : [skippedFinding('there is none yet: the first start makes it')];
    if (sealed.looked === 0)
      return [
        okFinding(
          isThere
            ? `${from} is there; the database has nothing sealed yet`
            : 'there is none yet: the first start makes it',
        ),
      ];
    if (!isThere)
      return [problemFinding(`${from} is missing, and the database has secrets that only it opens`, WHAT_TO_DO)];
    if (sealed.opened === 0)
      return [
        problemFinding(
          `${from} does not open what the database has sealed: it was sealed with another one`,
          WHAT_TO_DO,
        ),
      ];
    if (sealed.opened < sealed.looked)
      return [
        warningFinding(
          `${from} opens ${sealed.opened} of ${sealed.looked} sealed values: the others were sealed with another one`,
          'Each webhook that fails to sign needs a new auth_token (energy webhooks update). Do all machines have the same SECRET_KEY?',
        ),
      ];
    return [okFinding(`${from} opens what the database has sealed`)];
  },
};

export const mailCheck: Check = {
  name: 'mail',
  judge({ mail: facts, config }) {
    if (!('valid' in config)) return [skippedFinding('not looked at: the configuration is not valid')];
    if (facts === null) return [okFinding('kept as files in DATA_DIR/mail: no SMTP_URL')];
    if (isFactKnown(facts)) return [okFinding('the server of SMTP_URL takes the login; nothing was sent')];
    const isLogin = /auth|535|credentials|login/i.test(facts.why);
    return [
      problemFinding(
        `the server of SMTP_URL: ${facts.why}`,
        isLogin
          ? 'It does not take this login: correct user and password in SMTP_URL.'
          : 'Check host and port in SMTP_URL: smtps:// is for port 465, smtp:// for 587 and 25.',
      ),
    ];
  },
};

export const brokerCheck: Check = {
  name: 'broker',
  judge({ broker: facts, service }) {
    if (facts === null) return [skippedFinding('not looked at')];
    const { shown, isEmbedded, reached } = facts;
    if (isFactKnown(reached))
      return [okFinding(isEmbedded ? `the embedded one listens at ${shown}` : `${shown} takes the login of MQTT_URL`)];
    if (isEmbedded && service === null) return [skippedFinding('the embedded one runs with ingest only')];
    return isEmbedded
      ? [
          problemFinding(
            `the embedded one does not listen at ${shown}: ${reached.why}`,
            'Look at the log of ingest; energy doctor shows above who has the port.',
          ),
        ]
      : [problemFinding(`${shown}: ${reached.why}`, advice(reached.why))];
  },
};

function advice(why: string): string {
  if (/not authori[sz]ed|bad user ?name|access[_ ]refused|refused|403/i.test(why) && !/ECONNREFUSED/.test(why))
    return 'The broker does not take this login: put user and password into MQTT_URL, and let it read the topics (deploy/mosquitto/acl).';
  if (/certificate|self.signed|altname|SSL|TLS/i.test(why))
    return 'The broker’s certificate is not trusted, or is not of this name: name its authority in NODE_EXTRA_CA_CERTS, and its own name in MQTT_URL.';
  return 'Check host and port in MQTT_URL, that the broker runs, and firewalls in between.';
}
