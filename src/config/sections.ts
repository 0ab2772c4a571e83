import { isIP } from 'node:net';
import { z } from 'zod';
import { isCellName } from '#src/core/cell.ts';
import { ENVIRONMENTS } from '#src/core/environment.ts';
import { parseNetwork } from '#src/core/networks.ts';
import { isAmqpUrl, isDatabaseUrl, parseAmqpUrl } from './addresses.ts';

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/i;

/** Maximum number of queues at a broker cluster. RabbitMQ allows 2,047 channels in a connection, and each queue needs one. */
const MAX_SHARDS = 1_024;

const port = z.coerce.number().int().min(0).max(65_535);
const onOff = z.enum(['true', 'false']).transform((text) => text === 'true');
const isUrlOf = (text: string, protocols: readonly string[]) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1));
const urlOf = (...protocols: string[]) =>
  z.string().refine((text) => isUrlOf(text, protocols), {
    message: `must be a URL that begins with ${protocols.map((name) => `${name}://`).join(' or ')}`,
  });
/** URL of a database on one host, or on several hosts that replicate the database. */
const databaseUrl = z.string().refine(isDatabaseUrl, {
  message:
    'must be a URL that begins with postgres:// or postgresql://; of several hosts postgres://user@a:5432,b:5432/database',
});
/** URL of a broker on one host, or of a broker cluster on several hosts. */
const brokerUrl = z
  .string()
  .refine((text) => !isAmqpUrl(text) || parseAmqpUrl(text) !== null, {
    error: 'must be amqp[s]://USER:PASSWORD@HOST[:PORT],HOST[:PORT],…[/VHOST]',
    abort: true,
  })
  .refine((text) => isAmqpUrl(text) || isUrlOf(text, ['mqtt', 'mqtts', 'ws', 'wss']), {
    error: 'must be a URL that begins with mqtt:// or mqtts:// or ws:// or wss:// or amqp:// or amqps://',
  });
/** An origin (scheme, host and port) in the form that browsers send. */
const origin = z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
  error: 'must be origins separated by commas, such as https://app.example.com',
});
const network = z.string().refine((text) => parseNetwork(text) !== null, {
  error: 'must be addresses or networks separated by commas, such as 192.0.2.7,10.0.0.0/8',
});
const file = z.string().min(1);
const parts = z.string().transform((text) => text.split(',').map((part) => part.trim()));
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
/** A prefix must not overlap with the topics of devices and gateways, because the service would receive its own messages. */
const topicPrefix = z
  .string()
  .refine((text) => /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/.test(text) && !/^(gw|energy)(\/|$)/.test(text), {
    error: 'must be parts of letters, digits, _ and -, separated by slashes, and must not begin with gw or energy',
  });
/** A host name or address without a port. */
const host = z.string().refine((text) => isIP(text) !== 0 || HOST_NAME.test(text), {
  message: 'must be a host name or an IP address, without scheme and port',
});

/** Maximum number of requests of an account in a minute and in a UTC day. */
const limits = z.object({ minute: z.number().int().positive(), day: z.number().int().positive() });
const planLimits = z.object({ free: limits, developer: limits, enterprise: limits });

const SPECIFIED_LIMITS: z.infer<typeof planLimits> = {
  free: { minute: 30, day: 5_000 },
  developer: { minute: 60, day: 25_000 },
  enterprise: { minute: 120, day: 100_000 },
};

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

/** The issuer may contain no query or fragment, because a path is appended to it (OpenID Connect Discovery 1.0, 4). */
const issuer = urlOf('https').refine((text) => !/[?#]/.test(text) && new URL(text).username === '', {
  error: 'must equal the issuer in the provider’s metadata, without user, query and fragment',
});
const scopes = z
  .string()
  .refine((text) => text.split(' ').includes('openid') && /^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(text), {
    error: 'must be scopes separated by blanks, including openid',
  });
const claim = z.string().max(200);
const roleMapping = z.record(z.string(), z.enum(['homeowner', 'utility', 'admin']), {
  error: 'must be an object such as {"energy-admins":"admin","energy-staff":"utility"}',
});
const domains = list
  .transform((all) => all.map((one) => one.toLowerCase()))
  .pipe(
    z
      .array(
        z.string().refine((text) => text === '*' || HOST_NAME.test(text), {
          error: 'must be domains separated by commas, such as example.com,example.org, or *',
        }),
      )
      .min(1),
  );

/** Every variable that the service reads, with its validation. */
export const variablesSchema = z.object({
  ENVIRONMENT: z.enum(ENVIRONMENTS).default('live'),
  CELL: z
    .string()
    .refine(isCellName, 'must be one to eight lowercase letters and digits, beginning with a letter')
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['json', 'text']).optional(),
  DATA_DIR: file.optional(),
  PUBLIC_URL: urlOf('https').optional(),
  BACKUP_TO: file.optional(),
  BACKUP_KEY_FILE: file.optional(),
  RETENTION_MONTHS: z.coerce.number().int().min(12, 'must be 12 or more').default(13),
  MAX_CHANNELS: z.coerce.number().int().min(1).max(10_000).default(64),
  HEAD_MEMORY_MIB: z.coerce.number().int().min(0).max(4_096).optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URL: databaseUrl.optional(),
  TIMESCALE: z.enum(['auto', 'off']).default('auto'),
  MQTT_URL: brokerUrl.optional(),
  SHARDS: z.coerce.number().int().min(1).max(MAX_SHARDS).optional(),
  MQTT_PORT: port.optional(),
  MQTTS_PORT: port.optional(),
  MQTT_HOST: host.default('127.0.0.1'),
  MQTTS_HOST: host.optional(),
  MQTTS_CLIENT_CA_FILE: file.optional(),
  PUBLIC_MQTT_HOST: host.optional(),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port.optional(),
  HTTP_PORT: port.optional(),
  OPERATOR_HOST: z.string().default('127.0.0.1'),
  OPERATOR_PORT: z
    .literal('none')
    .transform(() => null)
    .or(port)
    .optional(),
  OPERATOR_NAMES: parts.pipe(z.array(host)).optional(),
  DRAIN_SECONDS: z.coerce.number().min(0).max(600).default(0),
  TLS_CERT_FILE: file.optional(),
  TLS_KEY_FILE: file.optional(),
  TRUST_PROXY: parts.pipe(z.array(network)).optional(),
  CORS_ORIGINS: parts.pipe(z.array(origin)).optional(),
  SECRET_KEY: z.string().min(16, 'must have at least 16 characters').optional(),
  BOOTSTRAP_ADMIN_KEY: z.string().optional(),
  PLAN_LIMITS: json.pipe(planLimits).default(SPECIFIED_LIMITS),
  SMTP_URL: urlOf('smtp', 'smtps').optional(),
  SMS_PROVIDER: z.enum(['twilio']).optional(),
  TWILIO_ACCOUNT_SID: z.string().optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_FROM: z.string().optional(),
  TWILIO_BASE_URL: urlOf('https', 'http').default('https://api.twilio.com'),
  WEBHOOK_ALLOW_PRIVATE: onOff.default(false),
  WEBHOOK_CA_FILE: file.optional(),
  REDIS_URL: urlOf('redis', 'rediss').optional(),
  HOMEASSISTANT_MQTT_URL: urlOf('mqtt', 'mqtts', 'ws', 'wss').optional(),
  HOMEASSISTANT_USERS: list.pipe(z.array(z.string()).min(1).max(32, 'must be at most 32 accounts')).optional(),
  HOMEASSISTANT_DISCOVERY_PREFIX: topicPrefix.default('homeassistant'),
  OIDC_ISSUER: issuer.optional(),
  OIDC_CLIENT_ID: z.string().max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().max(500).optional(),
  OIDC_SCOPES: scopes.default('openid email'),
  OIDC_LABEL: z.string().max(40).optional(),
  OIDC_ROLE_CLAIM: claim.optional(),
  OIDC_ROLES: json.pipe(roleMapping).optional(),
  OIDC_VERIFIED_CLAIM: claim.default('email_verified'),
  OIDC_CREATE_ACCOUNTS: onOff.default(false),
  OIDC_EMAIL_DOMAINS: domains.optional(),
  OIDC_CA_FILE: file.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: urlOf('http', 'https').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: urlOf('http', 'https').optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
});

export type Variables = z.infer<typeof variablesSchema>;

/** Variables that contain secrets. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'SECRET_KEY',
  'BOOTSTRAP_ADMIN_KEY',
  'TWILIO_AUTH_TOKEN',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'MQTT_URL',
  'SMTP_URL',
  'REDIS_URL',
  'HOMEASSISTANT_MQTT_URL',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
]);
