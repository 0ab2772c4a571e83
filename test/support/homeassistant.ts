import { z } from 'zod';

/*
 * Validates announcements and states as Home Assistant does. The rules come from its source (home-assistant/core, October 2026; they have
 * applied since 2024.12): components/mqtt/{schemas,sensor,util,discovery}.py, components/sensor/{const,recorder}.py,
 * components/energy/validate.py, helpers/config_validation.py. The validator shares no code with the service. It allows only what the
 * service may use: anything that Home Assistant would strip or warn about is an error here.
 */

/** `valid_topic` of Home Assistant: a topic without control characters. Here, topics with wildcards are also rejected. */
const topic = z
  .string()
  .regex(/^[^\p{Cc}+#]+$/u)
  .max(65_535);
/** `cv.configuration_url`. */
const url = z.url({ protocol: /^(https?|homeassistant)$/ });
/** Home Assistant accepts any template. This schema accepts only templates that read one JSON member. */
const template = z.string().regex(/^\{\{ value_json\.[a-z0-9_]+ \}\}$/);
const text = z.string().min(1);

/** Allowed units and state classes by device class, as in Home Assistant. The units of money are currency codes of ISO 4217. */
const CLASSES: Record<string, { units: readonly string[] | RegExp; stateClasses: readonly string[] }> = {
  energy: {
    units: ['J', 'kJ', 'MJ', 'GJ', 'mWh', 'Wh', 'kWh', 'MWh', 'GWh', 'TWh', 'cal', 'kcal', 'Mcal', 'Gcal'],
    stateClasses: ['total', 'total_increasing'],
  },
  power: { units: ['mW', 'W', 'kW', 'MW', 'GW', 'TW'], stateClasses: ['measurement'] },
  gas: { units: ['CCF', 'ft³', 'm³', 'L'], stateClasses: ['total', 'total_increasing'] },
  water: { units: ['CCF', 'ft³', 'm³', 'gal', 'L'], stateClasses: ['total', 'total_increasing'] },
  monetary: { units: /^[A-Z]{3}$/, stateClasses: ['total'] },
};

const sensor = z
  .strictObject({
    platform: z.literal('sensor'),
    // Home Assistant requires a unique id for every component with more members than its platform.
    unique_id: text,
    name: text,
    device_class: z.enum(Object.keys(CLASSES)),
    // Without a state class, Home Assistant records no statistics.
    state_class: z.enum(['measurement', 'total', 'total_increasing']).optional(),
    unit_of_measurement: text,
    suggested_display_precision: z.int().min(0),
    value_template: template,
    last_reset_value_template: template.optional(),
  })
  .superRefine((config, context) => {
    const say = (message: string) => context.addIssue({ code: 'custom', message: `${config.unique_id}: ${message}` });
    const { units, stateClasses } = CLASSES[config.device_class] as (typeof CLASSES)[string];
    const unit = config.unit_of_measurement;
    const isKnown = units instanceof RegExp ? units.test(unit) : units.includes(unit);
    if (!isKnown) say(`the unit ${unit} is not valid together with device class ${config.device_class}`);
    if (config.state_class && !stateClasses.includes(config.state_class))
      say(`state class ${config.state_class} is impossible`);
    if (config.last_reset_value_template && config.state_class !== 'total') say('a last reset without the class total');
  });

/** Home Assistant removes a component that contains only its platform. */
const component = z.union([z.strictObject({ platform: z.literal('sensor') }), sensor]);

/** Home Assistant rejects the whole message because of one unknown member. */
const announcement = z.strictObject({
  device: z.strictObject({
    identifiers: z.array(text).min(1),
    name: text,
    manufacturer: text.optional(),
    model: text.optional(),
    via_device: text.optional(),
    configuration_url: url.optional(),
  }),
  origin: z.strictObject({ name: text, sw_version: text, support_url: url.optional() }),
  availability_topic: topic,
  state_topic: topic,
  qos: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  components: z.record(z.string().regex(/^[a-z0-9_]+$/), component),
});

type HomeAssistantAnnouncement = z.infer<typeof announcement>;

/** Parses an announcement like Home Assistant. Throws if Home Assistant would reject or ignore it. */
export function parseHomeAssistantAnnouncement(
  prefix: string,
  onTopic: string,
  payload: string,
): HomeAssistantAnnouncement {
  if (!/^device\/[a-zA-Z0-9_-]+\/config$/.test(onTopic.replace(`${prefix}/`, '')))
    throw new Error(`ignored: ${onTopic}`);
  return announcement.parse(JSON.parse(payload));
}

/** Returns an announcement's sensors by key, without components that the announcement removes. */
export const listSensors = ({ components }: HomeAssistantAnnouncement) =>
  Object.fromEntries(
    Object.entries(components).filter((entry): entry is [string, z.infer<typeof sensor>] => 'unique_id' in entry[1]),
  );

/** State of a Home Assistant entity after a state message; null if unknown. `lastReset`: ISO 8601. */
interface EntityState {
  value: number | null;
  lastReset: string | null;
}

/** Renders a template that reads one JSON member. Null becomes `None`, which means unknown. */
const render = (of: string, state: Record<string, unknown>): string => {
  const value = state[/value_json\.([a-z0-9_]+)/.exec(of)?.[1] ?? ''];
  if (value === undefined) throw new Error(`${of} renders nothing`);
  return value === null ? 'None' : String(value);
};

/** Returns the state of a sensor after a message. Throws if Home Assistant would log an error. */
export function computeEntityState(of: z.infer<typeof sensor>, payload: string): EntityState {
  const state = JSON.parse(payload) as Record<string, unknown>;
  const rendered = render(of.value_template, state);
  const value = rendered === 'None' ? null : Number(rendered);
  if (Number.isNaN(value) || rendered === '') throw new Error(`${of.unique_id}: ${rendered} is no number`);
  if (of.last_reset_value_template === undefined) return { value, lastReset: null };
  const lastReset = render(of.last_reset_value_template, state);
  if (Number.isNaN(Date.parse(lastReset)) || !/[+Z]|-\d\d:/.test(lastReset)) throw new Error(`${lastReset} is no time`);
  return { value, lastReset };
}

/** Computes the long-term statistics of a sensor of class `total`, like Home Assistant's compile_statistics. */
export class LongTermStatistics {
  sum = 0;
  #lastReset: string | null = null;
  #oldState: number | null = null;
  #newState: number | null = null;

  /** Processes the sensor's next state and returns the sum. Ignores unknown states. */
  take({ value, lastReset }: EntityState): number {
    if (value === null) return this.sum;
    const isReset = (lastReset !== this.#lastReset && lastReset !== null) || this.#oldState === null;
    if (isReset) {
      if (this.#oldState !== null && this.#newState !== null) this.#closed += this.#newState - this.#oldState;
      // The first state is the zero point. After a reset, the register starts again at 0.
      this.#oldState = this.#oldState === null ? value : 0;
      this.#lastReset = lastReset;
    }
    this.#newState = value;
    this.sum = this.#closed + value - (this.#oldState as number);
    return this.sum;
  }
  #closed = 0;
}
