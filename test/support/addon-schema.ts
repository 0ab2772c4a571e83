import { z } from 'zod';

/**
 * Validates a Home Assistant add-on as Home Assistant's supervisor does (home-assistant/supervisor, August 2026). A misspelt member is an
 * error here, although the supervisor silently removes unknown members.
 */

/** Type of an option in the add-on's schema. `?` at the end marks an optional option. */
const TYPE =
  /^(bool|email|url|port|(str|password|int|float)(\(-?\d*,-?\d*\))?|match\(.*\)|list\(.+\)|device(\(subsystem=[a-z]+\))?)\??$/;
const optionType = z.string().regex(TYPE);
/** A port of the container. Null: not published by default. */
const containerPort = z.string().regex(/^\d{1,5}(\/(tcp|udp))?$/);
const hostPort = z.int().min(1).max(65_535).nullable();
const text = z.string().min(1);

/** An add-on's configuration: `_SCHEMA_APP_CONFIG` of the supervisor's validate.py. */
export const addonConfigSchema = z.strictObject({
  name: text,
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  slug: z.string().regex(/^[-_.A-Za-z0-9]+$/),
  description: text,
  // The supervisor's processor architectures (`ARCH_ALL`), without deprecated ones.
  arch: z.array(z.enum(['aarch64', 'amd64'])).min(1),
  homeassistant: z.string().regex(/^\d{4}\.\d{1,2}\.\d+$/),
  startup: z.enum(['initialize', 'system', 'services', 'application', 'once']).default('application'),
  boot: z.enum(['auto', 'manual', 'manual_only']).default('auto'),
  init: z.boolean().default(true),
  webui: z.string().regex(/^(https?|\[PROTO:\w+\]):\/\/\[HOST\]:\[PORT:\d+\].*$/),
  watchdog: z.string().regex(/^(https?|\[PROTO:\w+\]|tcp):\/\/\[HOST\]:(\[PORT:\d+\]|\d+).*$/),
  ports: z.record(containerPort, hostPort),
  ports_description: z.record(containerPort, text),
  services: z.array(z.string().regex(/^(mqtt|mysql):(provide|want|need)$/)),
  backup: z.enum(['hot', 'cold']).default('hot'),
  backup_exclude: z.array(text),
  timeout: z.int().min(10).max(300).default(10),
  tmpfs: z.boolean().default(false),
  environment: z.record(z.string().regex(/^\w+$/), z.string()),
  options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable()),
  schema: z.record(z.string(), optionType),
});

/** An add-on's translated texts: `SCHEMA_APP_TRANSLATIONS` of the supervisor's validate.py. */
export const addonTranslationSchema = z.strictObject({
  configuration: z.record(z.string(), z.strictObject({ name: text, description: text })),
  network: z.record(containerPort, text),
});

/** Returns the Zod schema for an option of this type. Throws for a type that this add-on does not use. */
function optionValue(type: string): z.ZodType {
  const [, name = '', list = ''] = /^(\w+)(?:\((.*)\))?\??$/.exec(type) ?? [];
  const value: Record<string, z.ZodType> = {
    bool: z.boolean(),
    email: z.email(),
    url: z.url(),
    password: z.string(),
    list: z.enum(list.split('|')),
  };
  const schema = value[name];
  if (!schema) throw new Error(`${type} is of no type that this add-on uses`);
  return type.endsWith('?') ? schema.optional() : schema;
}

/**
 * Returns the options that the supervisor passes to an add-on: the defaults, overridden by the owner's values. Throws if a value is
 * invalid.
 */
export function parseAddonOptions(
  config: z.infer<typeof addonConfigSchema>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const schema = Object.fromEntries(Object.entries(config.schema).map(([name, type]) => [name, optionValue(type)]));
  return z.strictObject(schema).parse({ ...config.options, ...given });
}
