import { ORIGIN, ORIGIN_TOPICS, VERSION } from '#src/core/version.ts';
import { homeUsageTopic } from '#src/devices/topics.ts';
import { DEVICE_SENSORS, HOME_SENSORS, type HomeReport, type Sensor } from './sensors.ts';

/** What all announcements of an installation have in common. */
export interface Announcer {
  /** First part of the topics of announcements: `homeassistant`, unless Home Assistant was told otherwise. */
  prefix: string;
  /** Tells this installation from others on the same broker: `[a-z0-9]+`. */
  installation: string;
  /** Where people find it; null: nobody said by which address. */
  publicUrl: string | null;
}

/** Where an installation says whether it is there: `online`, or `offline`, which the broker says in its place when it is gone. */
export const availabilityTopic = ({ installation }: Announcer): string => `${ORIGIN_TOPICS}/${installation}/status`;

const stateTopic = ({ installation }: Announcer, id: string): string => `${ORIGIN_TOPICS}/${installation}/${id}/state`;

/** Of every whole device that somebody announces. */
export const announcementFilter = ({ prefix }: Announcer): string => `${prefix}/device/+/config`;

/** Where Home Assistant says that it has started. */
export const birthTopic = ({ prefix }: Announcer): string => `${prefix}/status`;

const identifierOf = (id: string): string => `energy_usage_${id}`;

/**
 * The messages that tell Home Assistant of some homes, topic by topic: an announcement and a state of each home, and of each of its devices. Pure.
 * Their form is that of whole devices (`components`), of Home Assistant 2024.12 and later.
 */
export function messagesOf(announcer: Announcer, homes: readonly HomeReport[]): Map<string, string> {
  const messages = new Map<string, string>();
  const add = (id: string, device: object, sensors: readonly Told[], state: object) => {
    messages.set(`${announcer.prefix}/device/${identifierOf(id)}/config`, announcement(announcer, id, device, sensors));
    messages.set(stateTopic(announcer, id), JSON.stringify(state));
  };
  const url = announcer.publicUrl === null ? {} : { configuration_url: `${announcer.publicUrl}/dashboard` };
  for (const home of homes) {
    const since = { month_since: home.since.month, day_since: home.since.day };
    const name = home.owner === null ? 'Home energy' : `Home energy ${home.owner}`;
    const device = { name, manufacturer: ORIGIN, model: 'Home', ...url };
    add(home.userId, device, toldOf(HOME_SENSORS, home.values, home.currency), { ...home.values, ...since });
    for (const one of home.devices) {
      const behind = { name: one.name, model: one.type, via_device: identifierOf(home.userId), ...url };
      add(one.deviceId, behind, toldOf(DEVICE_SENSORS, one.values, null), { ...one.values, ...since });
    }
  }
  return messages;
}

/** A sensor of a device, with its unit; `isThere` false: it is not, or no more. */
interface Told {
  key: string;
  sensor: Sensor;
  unit: string | null;
  isThere: boolean;
}

const toldOf = (sensors: Record<string, Sensor>, values: object, currency: string | null): Told[] =>
  Object.entries(sensors).map(([key, sensor]) => {
    const unit = sensor.unit ?? currency;
    return { key, sensor, unit, isThere: key in values && unit !== null };
  });

function announcement(announcer: Announcer, id: string, device: object, sensors: readonly Told[]): string {
  const components = Object.fromEntries(
    sensors.map(({ key, sensor, unit, isThere }) => [
      key,
      // With nothing but its platform a component is taken away, where it ever was.
      isThere
        ? { platform: 'sensor', ...sensorOf(id, key, sensor), unit_of_measurement: unit }
        : { platform: 'sensor' },
    ]),
  );
  const { publicUrl } = announcer;
  return JSON.stringify({
    device: { identifiers: [identifierOf(id)], ...device },
    origin: { name: ORIGIN, sw_version: VERSION, ...(publicUrl === null ? {} : { support_url: `${publicUrl}/docs` }) },
    availability_topic: availabilityTopic(announcer),
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
  // A null is rendered as None, which Home Assistant takes for unknown.
  value_template: `{{ value_json.${key} }}`,
  ...(part && { last_reset_value_template: `{{ value_json.${part}_since }}` }),
});

/** Topics of what was announced by this installation, of an announcement on the broker; null where it is somebody else's. Pure. */
export function ownTopics(announcer: Announcer, topic: string, payload: Buffer): string[] | null {
  if (payload.length === 0 || payload.length > MAX_ANNOUNCEMENT_BYTES) return null;
  let said: { origin?: { name?: unknown }; availability_topic?: unknown; state_topic?: unknown } | null;
  try {
    said = JSON.parse(payload.toString());
  } catch {
    return null;
  }
  if (said?.origin?.name !== ORIGIN || said.availability_topic !== availabilityTopic(announcer)) return null;
  const { state_topic: state } = said;
  const isOwn = typeof state === 'string' && state.startsWith(`${ORIGIN_TOPICS}/${announcer.installation}/`);
  if (!isOwn || /[+#\0]/.test(state)) return [topic];
  // Beside the state of a home is what it uses, in plain words.
  const userId = /\/(usr_[0-9a-z]{26})\/state$/.exec(state)?.[1];
  return [topic, state, ...(userId === undefined ? [] : [homeUsageTopic(userId)])];
}

/** Ours have some 6 KiB. */
const MAX_ANNOUNCEMENT_BYTES = 65_536;
