import { join } from 'node:path';
import type { z } from 'zod';
import type { Environment } from '#src/core/environment.ts';
import { words } from '#src/core/mistake-words.ts';
import { hasKeyForm, KEY_CHARACTERS, KEY_PREFIX } from '#src/core/secrets.ts';
import { addressInNetwork, fromHere, hostAndPort, hostForDevices, isAmqp, shownUrl } from './addresses.ts';
import { MEANINGS } from './meanings.ts';
import { type OidcConfig, oidcMistakes, oidcOf } from './oidc.ts';
import { SECRETS, type Variables, variables } from './sections.ts';

/** The configuration that a process runs with; docs/configuration.md says what each variable means. */
export interface Config {
  environment: Environment;
  /** `format`: undefined takes short lines on a terminal, JSON elsewhere. */
  log: { level: string; format: 'json' | 'text' | undefined };
  dataDir: string;
  publicUrl: string;
  /** Whether PUBLIC_URL said so; without it links follow the port that the API listens on. */
  isPublicUrlGiven: boolean;
  retentionMonths: number;
  /** Most channels of a device. */
  maxChannels: number;
  /** MiB in which an ingest worker remembers heads; undefined: what suits this machine. */
  headMemoryMib: number | undefined;
  bootstrapAdminKey: string | undefined;
  secretKey: string | undefined;
  planLimits: Variables['PLAN_LIMITS'];
  database: { url: string | undefined; readUrl: string | undefined; timescale: 'auto' | 'off' };
  /** Of the embedded broker, but for `url` (another one) and `publicHost`: the host that devices are told. */
  mqtt: {
    url: string | undefined;
    /** Queues at a broker cluster; undefined: as many as there were at its first start, or 64. */
    shards: number | undefined;
    host: string;
    port: number;
    tlsHost: string;
    tlsPort: number;
    publicHost: string;
    /** Authorities (PEM) that vouch for devices at the embedded broker; undefined: it asks for no certificates. */
    clientCaFile: string | undefined;
  };
  api: {
    host: string;
    port: number;
    httpPort: number;
    trustProxy: string[];
    corsOrigins: string[];
    /** How long it goes on after SIGTERM, while /readyz says that it leaves. */
    drainSeconds: number;
  };
  tls: { certFile: string | undefined; keyFile: string | undefined };
  /** `port`: null where nothing listens. `names`: what else than its address it may be asked by. */
  operator: { host: string; port: number | null; names: string[] };
  /** `from`: the address that the mail server knows us by, where its user name is one. */
  mail: { smtpUrl: string | undefined; from: string | undefined };
  sms: { twilio: { accountSid: string; authToken: string; from: string; baseUrl: string } | undefined };
  webhook: { allowPrivate: boolean; caFile: string | undefined };
  redisUrl: string | undefined;
  /** Where homes are told of, and whose (e-mail addresses and ids); undefined: nowhere. */
  homeAssistant: { url: string; users: string[]; prefix: string } | undefined;
  /** Undefined: people sign in by mail alone. */
  oidc: OidcConfig | undefined;
  tracing: { isOn: boolean; share: number };
}

/** The environment is invalid; the message has one line per mistake. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** What devices on this machine alone may reach: the demo's and the sandbox's broker. */
const LOCAL = '127.0.0.1';
/** The sandbox's ports are the live ones plus this. */
const SANDBOX_OFFSET = 1_000;

/** The variables that the environment has; an empty one counts as unset. */
export const givenVariables = (env: Record<string, string | undefined> = process.env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/**
 * Reads and checks the environment. The only reader of `process.env`.
 * Throws a ConfigError with one line per mistake.
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = variables.safeParse(givenVariables(env), { error: words });
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(mistake).join('\n'));
  const vars = parsed.data;
  const mistakes = combinations(vars);
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  const sandbox = vars.ENVIRONMENT === 'sandbox';
  const port = (value: number | undefined, live: number) => value ?? (sandbox ? live + SANDBOX_OFFSET : live);
  const apiPort = port(vars.API_PORT, 8443);
  const publicUrl = (vars.PUBLIC_URL ?? ownUrl(apiPort)).replace(/\/+$/, '');
  const tlsHost = vars.MQTTS_HOST ?? (sandbox ? LOCAL : '0.0.0.0');
  return {
    environment: vars.ENVIRONMENT,
    log: { level: vars.LOG_LEVEL, format: vars.LOG_FORMAT },
    dataDir: vars.DATA_DIR ?? (sandbox ? join('data', 'sandbox') : 'data'),
    publicUrl,
    isPublicUrlGiven: vars.PUBLIC_URL !== undefined,
    retentionMonths: vars.RETENTION_MONTHS,
    maxChannels: vars.MAX_CHANNELS,
    headMemoryMib: vars.HEAD_MEMORY_MIB,
    bootstrapAdminKey: vars.BOOTSTRAP_ADMIN_KEY,
    secretKey: vars.SECRET_KEY,
    planLimits: vars.PLAN_LIMITS,
    database: { url: vars.DATABASE_URL, readUrl: vars.DATABASE_READ_URL, timescale: vars.TIMESCALE },
    mqtt: {
      url: vars.MQTT_URL,
      shards: vars.SHARDS,
      host: vars.MQTT_HOST,
      port: port(vars.MQTT_PORT, 1883),
      tlsHost,
      tlsPort: port(vars.MQTTS_PORT, 8883),
      clientCaFile: vars.MQTTS_CLIENT_CA_FILE,
      publicHost: vars.PUBLIC_MQTT_HOST ?? hostForDevices(publicUrl, tlsHost, addressInNetwork),
    },
    api: {
      host: vars.API_HOST,
      port: apiPort,
      httpPort: port(vars.HTTP_PORT, 8080),
      trustProxy: vars.TRUST_PROXY ?? [],
      corsOrigins: vars.CORS_ORIGINS ?? [],
      drainSeconds: vars.DRAIN_SECONDS,
    },
    tls: { certFile: vars.TLS_CERT_FILE, keyFile: vars.TLS_KEY_FILE },
    operator: {
      host: vars.OPERATOR_HOST,
      port: vars.OPERATOR_PORT === null ? null : port(vars.OPERATOR_PORT, 9464),
      names: vars.OPERATOR_NAMES ?? [],
    },
    mail: { smtpUrl: vars.SMTP_URL, from: senderOf(vars.SMTP_URL) },
    sms: { twilio: twilioOf(vars) },
    webhook: { allowPrivate: vars.WEBHOOK_ALLOW_PRIVATE, caFile: vars.WEBHOOK_CA_FILE },
    redisUrl: vars.REDIS_URL,
    homeAssistant:
      vars.HOMEASSISTANT_MQTT_URL === undefined
        ? undefined
        : {
            url: vars.HOMEASSISTANT_MQTT_URL,
            users: vars.HOMEASSISTANT_USERS ?? [],
            prefix: vars.HOMEASSISTANT_DISCOVERY_PREFIX,
          },
    oidc: oidcOf(vars),
    tracing: {
      isOn: (vars.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? vars.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined,
      share: vars.OTEL_TRACES_SAMPLER_ARG,
    },
  };
}

/** The configuration of the demo: its broker is this machine's alone, unless MQTTS_HOST says otherwise. */
export function loadDemoConfig(env: Record<string, string | undefined> = process.env): Config {
  return loadConfig({ ...env, MQTTS_HOST: env.MQTTS_HOST || LOCAL });
}

const ownUrl = (apiPort: number): string => `https://localhost:${apiPort}`;

/** The configuration of an API that listens on this port: links to it carry it, unless PUBLIC_URL was given. */
export function withApiPort(config: Config, port: number): Config {
  const publicUrl = config.isPublicUrlGiven ? config.publicUrl : ownUrl(port);
  return { ...config, publicUrl, api: { ...config.api, port } };
}

/** Where programs on this machine reach the broker by MQTT. Throws a ConfigError where MQTT_URL says only where its queues are. */
export function mqttUrlFromHere({ mqtt }: Config): string {
  if (mqtt.url !== undefined && isAmqp(mqtt.url))
    throw new ConfigError(
      'MQTT_URL: this command publishes as a device does; run it with the MQTT address of the cluster (mqtts://HOST:8883)',
    );
  return mqtt.url ?? `mqtt://${hostAndPort(fromHere(mqtt.host), mqtt.port)}`;
}

function senderOf(smtpUrl: string | undefined): string | undefined {
  const user = smtpUrl === undefined ? '' : decodeURIComponent(new URL(smtpUrl).username);
  return user.includes('@') ? user : undefined;
}

function twilioOf(vars: Variables): Config['sms']['twilio'] {
  if (vars.SMS_PROVIDER !== 'twilio') return undefined;
  return {
    accountSid: vars.TWILIO_ACCOUNT_SID ?? '',
    authToken: vars.TWILIO_AUTH_TOKEN ?? '',
    from: vars.TWILIO_FROM ?? '',
    baseUrl: vars.TWILIO_BASE_URL,
  };
}

function mistake(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}

/** Mistakes that lie in no single variable. */
function combinations(vars: Variables): string[] {
  const mistakes: string[] = oidcMistakes(vars);
  if ((vars.TLS_CERT_FILE === undefined) !== (vars.TLS_KEY_FILE === undefined)) {
    mistakes.push('TLS_CERT_FILE and TLS_KEY_FILE: set both or neither');
  }
  for (const name of ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const) {
    if (vars.SMS_PROVIDER === 'twilio' && vars[name] === undefined) {
      mistakes.push(`${name}: is needed with SMS_PROVIDER=twilio`);
    }
  }
  if (vars.HOMEASSISTANT_MQTT_URL !== undefined && vars.HOMEASSISTANT_USERS === undefined) {
    mistakes.push(
      'HOMEASSISTANT_USERS: is needed with HOMEASSISTANT_MQTT_URL: e-mail addresses of the accounts whose homes are told of',
    );
  }
  const key = vars.BOOTSTRAP_ADMIN_KEY;
  if (key !== undefined && !hasKeyForm(key, vars.ENVIRONMENT)) {
    const { least, most } = KEY_CHARACTERS;
    const form = `${KEY_PREFIX[vars.ENVIRONMENT]} and ${least} to ${most} characters more`;
    mistakes.push(`BOOTSTRAP_ADMIN_KEY: must be ${form}, without blanks`);
  }
  return mistakes;
}

/** The environment that makes child processes see this configuration: database, data directory, and where to listen. */
export function childEnvironment(config: Config, databaseUrl: string): Record<string, string | undefined> {
  // The supervisor has the operators' port, and asks its children without one: they take no port that could be another's.
  const operator = { OPERATOR_PORT: 'none' };
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATA_DIR: config.dataDir,
    ...listeningVariables(config),
    ...operator,
  };
}

/** Where a service of this configuration listens, and what it tells people and devices, as the variables that say so. */
export function listeningVariables({ api, mqtt, publicUrl, isPublicUrlGiven }: Config): Record<string, string> {
  return {
    ...(isPublicUrlGiven ? { PUBLIC_URL: publicUrl } : {}),
    API_HOST: api.host,
    API_PORT: String(api.port),
    HTTP_PORT: String(api.httpPort),
    MQTT_HOST: mqtt.host,
    MQTT_PORT: String(mqtt.port),
    MQTTS_HOST: mqtt.tlsHost,
    MQTTS_PORT: String(mqtt.tlsPort),
    PUBLIC_MQTT_HOST: mqtt.publicHost,
  };
}

/** Queues that a broker cluster has, where nothing else was said before its first start. */
export const DEFAULT_SHARDS = 64;

/** What of the environment must never be shown: values of secret variables, and of URLs the passwords in them. */
export function secretTexts(env: Record<string, string | undefined> = process.env): string[] {
  return [...SECRETS].flatMap((name) => {
    const value = env[name] ?? '';
    const [, password = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^:@/?#]*:(.*)@[^@]*$/i.exec(value) ?? [];
    const isUrl = name.includes('_URL') || name.endsWith('_ENDPOINT');
    return [...new Set(isUrl ? [password, decoded(password)] : [value])].filter((text) => text !== '');
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Every variable with the value in force (null: unset), secrets masked: of a URL its hosts are shown. */
export function effectiveVariables(env: Record<string, string | undefined> = process.env): Record<string, unknown> {
  const config = loadConfig(env);
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed: Record<string, unknown> = variables.parse(given);
  const derived: Record<string, unknown> = {
    DATA_DIR: config.dataDir,
    PUBLIC_URL: config.publicUrl,
    API_PORT: config.api.port,
    HTTP_PORT: config.api.httpPort,
    MQTT_PORT: config.mqtt.port,
    MQTTS_PORT: config.mqtt.tlsPort,
    MQTTS_HOST: config.mqtt.tlsHost,
    PUBLIC_MQTT_HOST: config.mqtt.publicHost,
    OPERATOR_PORT: config.operator.port ?? 'none',
    SHARDS: config.mqtt.shards ?? DEFAULT_SHARDS,
    DATABASE_READ_URL: config.database.readUrl ?? config.database.url,
  };
  return Object.fromEntries(
    Object.keys(variables.shape).map((name) => {
      const value = derived[name] ?? parsed[name] ?? null;
      if (value === null || !SECRETS.has(name)) return [name, value];
      return [name, name.includes('_URL') || name.endsWith('_ENDPOINT') ? shownUrl(String(value)) : '(set)'];
    }),
  );
}

/** Where a value comes from. `generated`: the service makes it, or finds it out. */
export type Source = 'environment' | 'default' | 'generated';

/** What the service makes, where it is not set: keys and certificates, a database, and the address that it is reached at. */
const GENERATED: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SECRET_KEY',
  'BOOTSTRAP_ADMIN_KEY',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'PUBLIC_MQTT_HOST',
]);

/** Each variable's value in force, as effectiveVariables shows it, with where it comes from and what it means. */
export function explainedVariables(
  env: Record<string, string | undefined> = process.env,
): { name: string; value: unknown; source: Source; meaning: string }[] {
  return Object.entries(effectiveVariables(env)).map(([name, value]) => {
    const isGiven = env[name] !== undefined && env[name] !== '';
    const source = isGiven ? 'environment' : GENERATED.has(name) ? 'generated' : 'default';
    return { name, value, source, meaning: MEANINGS[name as keyof Variables] };
  });
}
