import { join } from 'node:path';
import type { z } from 'zod';
import { setCell } from '#src/core/cell.ts';
import { API_KEY_LENGTH_LIMITS, API_KEY_PREFIX, isApiKeyFormat } from '#src/core/secrets.ts';
import { describeValidationIssue } from '#src/core/validation-messages.ts';
import {
  chooseHostForDevices,
  findLocalNetworkAddress,
  formatHostAndPort,
  getLocalHost,
  isAmqpUrl,
  maskUrl,
} from './addresses.ts';
import { VARIABLE_DESCRIPTIONS } from './meanings.ts';
import { findOidcErrors, readOidcConfig } from './oidc.ts';
import { SECRET_VARIABLES, type Variables, variablesSchema } from './sections.ts';

/** Error for an invalid environment. The message has one line per invalid variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Listening address of the broker in the demo and the sandbox, which only this machine can reach. */
const LOCAL = '127.0.0.1';
/** Difference between the sandbox's ports and the live ports. */
const SANDBOX_OFFSET = 1_000;

/** Returns the environment variables that are set. An empty variable counts as unset. */
export const getNonEmptyVariables = (env: Record<string, string | undefined> = process.env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/**
 * Reads and validates the environment. Throws a ConfigError with one line per error. Identifiers that are created afterwards contain the
 * cell's name (CELL).
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const parsed = variablesSchema.safeParse(getNonEmptyVariables(env), { error: describeValidationIssue });
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(describeVariableIssue).join('\n'));
  const problems = findCombinationErrors(parsed.data);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  setCell(parsed.data.CELL);
  return configOf(parsed.data);
}

/** The configuration of a process; docs/configuration.md describes each variable. */
export type Config = ReturnType<typeof configOf>;

function configOf(vars: Variables) {
  const sandbox = vars.ENVIRONMENT === 'sandbox';
  const port = (value: number | undefined, live: number) => value ?? (sandbox ? live + SANDBOX_OFFSET : live);
  const apiPort = port(vars.API_PORT, 8443);
  const publicUrl = (vars.PUBLIC_URL ?? ownUrl(apiPort)).replace(/\/+$/, '');
  const tlsHost = vars.MQTTS_HOST ?? (sandbox ? LOCAL : '0.0.0.0');
  return {
    environment: vars.ENVIRONMENT,
    /** Name of this installation (cell) among several behind one router; undefined for the first cell. */
    cell: vars.CELL,
    /** If `format` is undefined, the log is text on a terminal, and otherwise JSON. */
    log: { level: vars.LOG_LEVEL, format: vars.LOG_FORMAT },
    dataDir: vars.DATA_DIR ?? (sandbox ? join('data', 'sandbox') : 'data'),
    publicUrl,
    /** Whether PUBLIC_URL was set. If not, links use the port of the API. */
    isPublicUrlGiven: vars.PUBLIC_URL !== undefined,
    /**
     * Backups of the embedded database. If `to` is undefined, they are in the folder `backups` of the data directory, and no WAL is
     * archived.
     */
    backup: { to: vars.BACKUP_TO, keyFile: vars.BACKUP_KEY_FILE },
    retentionMonths: vars.RETENTION_MONTHS,
    maxChannels: vars.MAX_CHANNELS,
    /** Memory in MiB for the cached state of devices in an ingest worker; undefined: a size that suits this machine. */
    headMemoryMib: vars.HEAD_MEMORY_MIB,
    bootstrapAdminKey: vars.BOOTSTRAP_ADMIN_KEY,
    secretKey: vars.SECRET_KEY,
    planLimits: vars.PLAN_LIMITS,
    database: { url: vars.DATABASE_URL, readUrl: vars.DATABASE_READ_URL, timescale: vars.TIMESCALE },
    /**
     * Settings of the embedded broker. `url`: URL of an external broker, which is used instead. `publicHost`: host name to which devices
     * connect.
     */
    mqtt: {
      url: vars.MQTT_URL,
      /** Number of queues at a broker cluster. Undefined: the number that the first start chose. */
      shards: vars.SHARDS,
      host: vars.MQTT_HOST,
      port: port(vars.MQTT_PORT, 1883),
      tlsHost,
      tlsPort: port(vars.MQTTS_PORT, 8883),
      /** Certificate authorities (PEM) for devices at the embedded broker; undefined: devices need no certificates. */
      clientCaFile: vars.MQTTS_CLIENT_CA_FILE,
      publicHost: vars.PUBLIC_MQTT_HOST ?? chooseHostForDevices(publicUrl, tlsHost, findLocalNetworkAddress),
    },
    api: {
      host: vars.API_HOST,
      port: apiPort,
      httpPort: port(vars.HTTP_PORT, 8080),
      trustProxy: vars.TRUST_PROXY ?? [],
      corsOrigins: vars.CORS_ORIGINS ?? [],
      /** Time in seconds for which the API still responds after SIGTERM. */
      drainSeconds: vars.DRAIN_SECONDS,
    },
    tls: { certFile: vars.TLS_CERT_FILE, keyFile: vars.TLS_KEY_FILE },
    /** Listener for operators. `port`: null disables it. `names`: accepted host names in requests. */
    operator: {
      host: vars.OPERATOR_HOST,
      port: vars.OPERATOR_PORT === null ? null : port(vars.OPERATOR_PORT, 9464),
      names: vars.OPERATOR_NAMES ?? [],
    },
    /** Sender address. Default: the user name at the mail server, if it is an e-mail address. */
    mail: { smtpUrl: vars.SMTP_URL, from: senderOf(vars.SMTP_URL) },
    sms: { twilio: twilioOf(vars) },
    webhook: { allowPrivate: vars.WEBHOOK_ALLOW_PRIVATE, caFile: vars.WEBHOOK_CA_FILE },
    redisUrl: vars.REDIS_URL,
    /** Broker of Home Assistant, and the homes (e-mail address or id) whose usage is published there. */
    homeAssistant:
      vars.HOMEASSISTANT_MQTT_URL === undefined
        ? undefined
        : {
            url: vars.HOMEASSISTANT_MQTT_URL,
            users: vars.HOMEASSISTANT_USERS ?? [],
            prefix: vars.HOMEASSISTANT_DISCOVERY_PREFIX,
          },
    /** Identity provider for sign-in. Undefined: users sign in without a provider. */
    oidc: readOidcConfig(vars),
    tracing: {
      isOn: (vars.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? vars.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined,
      share: vars.OTEL_TRACES_SAMPLER_ARG,
    },
  };
}

/** Returns the configuration of the demo. Only this machine can reach its broker, unless MQTTS_HOST is set. */
export function loadDemoConfig(env: Record<string, string | undefined> = process.env): Config {
  return loadConfig({ ...env, MQTTS_HOST: env.MQTTS_HOST || LOCAL });
}

const ownUrl = (apiPort: number): string => `https://localhost:${apiPort}`;

/** Returns the configuration with another port of the API. Links use this port, unless PUBLIC_URL was set. */
export function setApiPort(config: Config, port: number): Config {
  const publicUrl = config.isPublicUrlGiven ? config.publicUrl : ownUrl(port);
  return { ...config, publicUrl, api: { ...config.api, port } };
}

/** Returns the MQTT URL at which programs on this machine reach the broker. Throws a ConfigError if the broker's URL is an AMQP URL. */
export function getLocalMqttUrl({ mqtt }: Config): string {
  if (mqtt.url !== undefined && isAmqpUrl(mqtt.url))
    throw new ConfigError(
      'MQTT_URL: this command publishes as a device does; run it with the MQTT address of the cluster (mqtts://HOST:8883)',
    );
  return mqtt.url ?? `mqtt://${formatHostAndPort(getLocalHost(mqtt.host), mqtt.port)}`;
}

function senderOf(smtpUrl: string | undefined): string | undefined {
  const user = smtpUrl === undefined ? '' : decodeURIComponent(new URL(smtpUrl).username);
  return user.includes('@') ? user : undefined;
}

function twilioOf(vars: Variables) {
  if (vars.SMS_PROVIDER !== 'twilio') return undefined;
  return {
    accountSid: vars.TWILIO_ACCOUNT_SID ?? '',
    authToken: vars.TWILIO_AUTH_TOKEN ?? '',
    from: vars.TWILIO_FROM ?? '',
    baseUrl: vars.TWILIO_BASE_URL,
  };
}

function describeVariableIssue(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}

function findCombinationErrors(vars: Variables): string[] {
  const problems: string[] = findOidcErrors(vars);
  if ((vars.TLS_CERT_FILE === undefined) !== (vars.TLS_KEY_FILE === undefined)) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE: set both or neither');
  }
  for (const name of ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const) {
    if (vars.SMS_PROVIDER === 'twilio' && vars[name] === undefined) {
      problems.push(`${name}: is needed with SMS_PROVIDER=twilio`);
    }
  }
  if (vars.HOMEASSISTANT_MQTT_URL !== undefined && vars.HOMEASSISTANT_USERS === undefined) {
    problems.push(
      'HOMEASSISTANT_USERS: is needed with HOMEASSISTANT_MQTT_URL: e-mail addresses of the accounts whose homes are published',
    );
  }
  const key = vars.BOOTSTRAP_ADMIN_KEY;
  const start = API_KEY_PREFIX[vars.ENVIRONMENT] + (vars.CELL === undefined ? '' : `${vars.CELL}_`);
  if (key !== undefined && !(isApiKeyFormat(key, vars.ENVIRONMENT) && key.startsWith(start))) {
    const { least, most } = API_KEY_LENGTH_LIMITS;
    const form = `${start} and ${least} to ${most} characters more`;
    problems.push(`BOOTSTRAP_ADMIN_KEY: must be ${form}, without blanks`);
  }
  return problems;
}

/** Returns environment variables that give child processes this configuration: database, data directory and listening addresses. */
export function createChildEnvironment(config: Config, databaseUrl: string): Record<string, string | undefined> {
  // Only the supervisor listens on the operators' port. Child processes send it their metrics and state.
  const operator = { OPERATOR_PORT: 'none' };
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATA_DIR: config.dataDir,
    ...getListenAddressVariables(config),
    ...operator,
  };
}

/** Returns the listening addresses and public addresses of a configuration as environment variables. */
export function getListenAddressVariables({ api, mqtt, publicUrl, isPublicUrlGiven }: Config): Record<string, string> {
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

/** Default number of queues at a broker cluster's first start. */
export const DEFAULT_SHARD_COUNT = 64;

/** Returns the texts that must never be printed: secrets, and passwords in URLs. */
export function listSecretTexts(env: Record<string, string | undefined> = process.env): string[] {
  return [...SECRET_VARIABLES].flatMap((name) => {
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

/** Returns every variable with its effective value (null: unset). Secrets are masked; URLs show only their hosts. */
export function readEffectiveVariables(env: Record<string, string | undefined> = process.env): Record<string, unknown> {
  const config = loadConfig(env);
  const parsed: Record<string, unknown> = variablesSchema.parse(getNonEmptyVariables(env));
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
    SHARDS: config.mqtt.shards ?? DEFAULT_SHARD_COUNT,
    DATABASE_READ_URL: config.database.readUrl ?? config.database.url,
  };
  return Object.fromEntries(
    Object.keys(variablesSchema.shape).map((name) => {
      const value = derived[name] ?? parsed[name] ?? null;
      if (value === null || !SECRET_VARIABLES.has(name)) return [name, value];
      return [name, name.includes('_URL') || name.endsWith('_ENDPOINT') ? maskUrl(String(value)) : '(set)'];
    }),
  );
}

/** Origin of a variable's value. `generated`: created or detected by the service. */
type VariableOrigin = 'environment' | 'default' | 'generated';

/** Values that the service creates or detects if they are not set. */
const GENERATED: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SECRET_KEY',
  'BOOTSTRAP_ADMIN_KEY',
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'PUBLIC_MQTT_HOST',
]);

/** Returns each variable with its effective value, its origin, and a description. */
export function explainVariables(
  env: Record<string, string | undefined> = process.env,
): { name: string; value: unknown; source: VariableOrigin; meaning: string }[] {
  return Object.entries(readEffectiveVariables(env)).map(([name, value]) => {
    const isGiven = env[name] !== undefined && env[name] !== '';
    const source = isGiven ? 'environment' : GENERATED.has(name) ? 'generated' : 'default';
    return { name, value, source, meaning: VARIABLE_DESCRIPTIONS[name as keyof Variables] };
  });
}
