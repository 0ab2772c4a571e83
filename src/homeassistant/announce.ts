import { ID_PATTERN } from '#src/core/cell.ts';
import { HOME_ASSISTANT_ORIGIN_NAME, HOME_ASSISTANT_TOPIC_ROOT, VERSION } from '#src/core/version.ts';
import { getHomeUsageTopic } from '#src/devices/topics.ts';

/** Settings that are the same in all messages of an installation to Home Assistant. */
export interface AnnouncementSettings {
  /** First level of the topics of announcements, by default `homeassistant`. */
  prefix: string;
  /** Name of this installation on a shared broker: `[a-z0-9]+`. */
  installation: string;
  /** Public URL of the installation; null if none is configured. */
  publicUrl: string | null;
}

/** Returns the topic of the installation's availability: `online` or `offline`. */
export const getAvailabilityTopic = ({ installation }: AnnouncementSettings): string =>
  `${HOME_ASSISTANT_TOPIC_ROOT}/${installation}/status`;

const stateTopic = ({ installation }: AnnouncementSettings, id: string): string =>
  `${HOME_ASSISTANT_TOPIC_ROOT}/${installation}/${id}/state`;

/** Returns the topic filter that matches all announcements of devices, from any publisher. */
export const getAnnouncementFilter = ({ prefix }: AnnouncementSettings): string => `${prefix}/device/+/config`;

/** Returns the topic on which Home Assistant publishes that it has started. */
export const getBirthTopic = ({ prefix }: AnnouncementSettings): string => `${prefix}/status`;

const identifierOf = (id: string): string => `energy_usage_${id}`;

/**
 * Returns the retained messages for Home Assistant, by topic: an announcement and a state of each home and device (device-based format of
 * Home Assistant 2024.12 and later).
 */
export function buildAnnouncementMessages(
  announcer: AnnouncementSettings,
  homes: readonly HomeReport[],
): Map<string, string> {
  const messages = new Map<string, string>();
  const add = (id: string, device: object, sensors: readonly AnnouncedSensor[], state: object) => {
    messages.set(`${announcer.prefix}/device/${identifierOf(id)}/config`, announcement(announcer, id, device, sensors));
    messages.set(stateTopic(announcer, id), JSON.stringify(state));
  };
  const url = announcer.publicUrl === null ? {} : { configuration_url: `${announcer.publicUrl}/dashboard` };
  for (const home of homes) {
    const since = { month_since: home.since.month, day_since: home.since.day };
    const name = home.owner === null ? 'Home energy' : `Home energy ${home.owner}`;
    const device = { name, manufacturer: HOME_ASSISTANT_ORIGIN_NAME, model: 'Home', ...url };
    add(home.userId, device, announcedSensors(HOME_SENSORS, home.values, home.currency), { ...home.values, ...since });
    for (const one of home.devices) {
      const behind = { name: one.name, model: one.type, via_device: identifierOf(home.userId), ...url };
      add(one.deviceId, behind, announcedSensors(DEVICE_SENSORS, one.values, null), { ...one.values, ...since });
    }
  }
  return messages;
}

/** A sensor in an announcement, with its unit. `exists` is false if the home or device lacks it. */
interface AnnouncedSensor {
  key: string;
  sensor: Sensor;
  unit: string | null;
  exists: boolean;
}

const announcedSensors = (
  sensors: Record<string, Sensor>,
  values: object,
  currency: string | null,
): AnnouncedSensor[] =>
  Object.entries(sensors).map(([key, sensor]) => {
    const unit = sensor.unit ?? currency;
    return { key, sensor, unit, exists: key in values && unit !== null };
  });

function announcement(
  announcer: AnnouncementSettings,
  id: string,
  device: object,
  sensors: readonly AnnouncedSensor[],
): string {
  const components = Object.fromEntries(
    sensors.map(({ key, sensor, unit, exists }) => [
      key,
      // A component with only a platform makes Home Assistant delete the sensor.
      exists ? { platform: 'sensor', ...sensorOf(id, key, sensor), unit_of_measurement: unit } : { platform: 'sensor' },
    ]),
  );
  const { publicUrl } = announcer;
  return JSON.stringify({
    device: { identifiers: [identifierOf(id)], ...device },
    origin: {
      name: HOME_ASSISTANT_ORIGIN_NAME,
      sw_version: VERSION,
      ...(publicUrl === null ? {} : { support_url: `${publicUrl}/docs` }),
    },
    availability_topic: getAvailabilityTopic(announcer),
    state_topic: stateTopic(announcer, id),
    qos: 1,
    components,
  });
}

const sensorOf = (id: string, key: string, { name, deviceClass, stateClass, decimals, part }: Sensor) => ({
  unique_id: `${identifierOf(id)}_${key}`,
  name,
  device_class: deviceClass,
  ...(stateClass && { state_class: stateClass }),
  suggested_display_precision: decimals,
  // Jinja (Home Assistant's template language) renders null as `None`, which means unknown.
  value_template: `{{ value_json.${key} }}`,
  ...(part && { last_reset_value_template: `{{ value_json.${part}_since }}` }),
});

/**
 * Parses an announcement from the broker. Returns its topic and the topics of its states if this installation published it; otherwise null.
 */
export function findOwnAnnouncedTopics(
  announcer: AnnouncementSettings,
  topic: string,
  payload: Buffer,
): string[] | null {
  if (payload.length === 0 || payload.length > MAX_ANNOUNCEMENT_BYTES) return null;
  let discovered: { origin?: { name?: unknown }; availability_topic?: unknown; state_topic?: unknown } | null;
  try {
    discovered = JSON.parse(payload.toString());
  } catch {
    return null;
  }
  if (
    discovered?.origin?.name !== HOME_ASSISTANT_ORIGIN_NAME ||
    discovered.availability_topic !== getAvailabilityTopic(announcer)
  )
    return null;
  const { state_topic: state } = discovered;
  const isOwn =
    typeof state === 'string' && state.startsWith(`${HOME_ASSISTANT_TOPIC_ROOT}/${announcer.installation}/`);
  if (!isOwn || /[+#\0]/.test(state)) return [topic];
  // If the state is that of a home, the separate topic with the home's usage must be cleared, too.
  const userId = USAGE_STATE.exec(state)?.[1];
  return [topic, state, ...(userId === undefined ? [] : [getHomeUsageTopic(userId)])];
}

const USAGE_STATE = new RegExp(`/(usr_${ID_PATTERN})/state$`);

/** Maximum size in bytes of an announcement that is parsed. This service's announcements have about 6 KiB. */
const MAX_ANNOUNCEMENT_BYTES = 65_536;

/** Properties of a sensor in Home Assistant. `part`: the period at whose start the sensor's sum returns to 0. */
interface Sensor {
  /** English name of the sensor, from which Home Assistant derives the entity's id. */
  name: string;
  deviceClass: 'energy' | 'power' | 'monetary' | 'gas' | 'water';
  /** Kind of statistics that Home Assistant records; null if it records none. */
  stateClass: 'total' | 'measurement' | null;
  /** Unit of the sensor. Null for money, whose unit is the currency of the tariff (ISO 4217). */
  unit: 'kWh' | 'W' | 'm³' | null;
  /** Number of displayed decimals; the state contains all decimals. */
  decimals: number;
  part?: 'month' | 'day';
}

const energy = { deviceClass: 'energy', stateClass: 'total', unit: 'kWh', decimals: 2, part: 'month' } as const;
const volume = { stateClass: 'total', unit: 'm³', decimals: 2, part: 'month' } as const;
const money = { deviceClass: 'monetary', stateClass: 'total', unit: null, decimals: 2 } as const;

/**
 * Sensors of a home, in the order of the announcement. Each sum covers the current month and then restarts from 0. A sum without restarts
 * could jump when the history changes, and Home Assistant would count the jump as consumption.
 */
export const HOME_SENSORS = {
  power: { deviceClass: 'power', stateClass: 'measurement', unit: 'W', decimals: 0, name: 'Power' },
  used: { ...energy, name: 'Used this month' },
  grid_import: { ...energy, name: 'Grid import this month' },
  grid_export: { ...energy, name: 'Grid export this month' },
  production: { ...energy, name: 'Production this month' },
  charged: { ...energy, name: 'Battery charged this month' },
  discharged: { ...energy, name: 'Battery discharged this month' },
  gas: { ...energy, name: 'Gas this month' },
  gas_m3: { ...volume, deviceClass: 'gas', name: 'Gas volume this month' },
  water_m3: { ...volume, deviceClass: 'water', name: 'Water this month' },
  heat: { ...energy, name: 'Heat this month' },
  cost: { ...money, part: 'month', name: 'Cost this month' },
  used_today: { ...energy, part: 'day', name: 'Used today' },
  cost_today: { ...money, part: 'day', name: 'Cost today' },
  // Without a state class, Home Assistant's Energy page does not count forecasts as consumption.
  forecast: { deviceClass: 'energy', stateClass: null, unit: 'kWh', decimals: 0, name: 'Forecast of this month' },
  forecast_cost: { ...money, stateClass: null, decimals: 0, name: 'Forecast of this month’s cost' },
} as const satisfies Record<string, Sensor>;

export const DEVICE_SENSORS = {
  import: { ...energy, name: 'Import this month' },
  export: { ...energy, name: 'Export this month' },
  power: { deviceClass: 'power', stateClass: 'measurement', unit: 'W', decimals: 0, name: 'Power' },
} as const satisfies Record<string, Sensor>;

/** Values of sensors, by the sensor's name. Null means unknown; a sensor without a value here does not exist. Money is text. */
type Values<Sensors> = { [Name in keyof Sensors]?: number | string | null };

/** Values of a home's sensors at one time. */
export interface HomeReport {
  userId: string;
  /** E-mail address of the owner; null if only one home is published. */
  owner: string | null;
  /** Currency of the costs (ISO 4217); null if no tariff applies. */
  currency: string | null;
  /** Start of the month and of the day that the sums cover, ISO 8601 with the UTC offset of the home's time zone. */
  since: { month: string; day: string };
  values: Values<typeof HOME_SENSORS>;
  devices: DeviceReport[];
}

export interface DeviceReport {
  deviceId: string;
  name: string;
  type: string;
  values: Values<typeof DEVICE_SENSORS>;
}
