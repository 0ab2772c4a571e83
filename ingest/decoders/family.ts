import { readDecoderConfig } from '#src/devices/decoder-config.ts';
import type { MappingEntry } from '#src/devices/mapping.ts';
import type { RegisterDescription } from './registers-of-a-device/register.ts';

/** A message as a device publishes it to its own broker, without the prefix `gw/{gateway_id}/` in the topic. */
export interface DeviceMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /**
   * Whether the broker delivered the message as a retained one when the service subscribed. The message's age is then unknown, so times
   * relative to now are ignored.
   */
  replayed?: boolean;
}

/** The owner's settings for the devices behind a gateway (`decoder_config`). Unknown members are ignored. */
export interface DecoderSettings {
  /** IANA time zone of devices that send local time without a zone. If it is not set, the time of receipt applies. */
  tz?: string;
  /** MQTT topic filters that match the topics of SenML packs. */
  senml?: { topics: string[] };
  /** Unit and multiplier of a meter's counts, by the id of the meter. Used if the message does not state them. */
  meter?: Record<string, { unit?: string; multiplier?: number }>;
  /** Number of pulses per kWh, by the name of the pulse counter (`node/name`). */
  emon?: Record<string, { pulses_per_kwh?: number }>;
  /**
   * Meaning of a value that a Tasmota meter script reads, by the meter's prefix and the value's name (`prefix.name`) or by the name alone.
   */
  tasmota?: Record<string, { counts_as: string; unit?: 'Wh' | 'kWh' | 'MWh' | 'W' | 'kW' | 'm3' | 'l' }>;
  /** Output format of Zigbee2MQTT. With the format `attribute`, the names of the devices are needed, because names may contain slashes. */
  zigbee2mqtt?: { output?: 'json' | 'attribute' | 'attribute_and_json'; devices?: string[] };
  /** Temperature scale of Z-Wave JS UI; used if a message states none. */
  zwavejs?: { temperature_unit?: 'C' | 'F' };
  /** Numbers on topics that the owner has mapped, with their meanings. */
  mapping?: MappingEntry[];
}

/** Kind of a value; its name ends with the unit. `heating` and `availability` are booleans. */
export type ValueKind =
  | 'energy_total_kwh'
  | 'energy_interval_kwh'
  | 'volume_total_m3'
  | 'power_w'
  | 'temperature_c'
  | 'setpoint_c'
  | 'heating'
  | 'availability';

export interface DecodedValue {
  /** The device's native id: topic segment, serial number or MAC. */
  device: string;
  /**
   * Channel of the value: words of a-z, 0-9, _ and -, joined by slashes, such as `import`, `export/t1`, `switch0/import`, `import/l2`,
   * `room`. The channel of a volume names the commodity: `mbus1/gas/m3`.
   */
  channel: string;
  kind: ValueKind;
  value: number | boolean;
  /** The message's own time in Unix ms if it is plausible; null means that the time of receipt applies. */
  atMs: number | null;
  /** Length of an interval in ms; only for `energy_interval_kwh`. */
  intervalMs?: number;
  /** Name that the device uses for the value. */
  native: string;
  /**
   * Question to the owner, if the meaning of the value is unknown. The value contributes to no total until the owner has answered. Its
   * channel contains the word `unknown`.
   */
  asks?: OwnerQuestion;
  /** Permanent key of the value within its device, which stays the same if the classification changes. Default: the native name. */
  key?: string;
  /**
   * Description of a register. The meaning of the register (import, export, production …) is decided together with the other registers of
   * its device, so the value's `channel` is only a provisional name.
   */
  described?: RegisterDescription;
}

/** Question to the owner about a quantity with unknown meaning. */
export interface OwnerQuestion {
  /** Unit of the value; null if the message does not state one. */
  unit: string | null;
}

/** Channel of a quantity, with the question, the key and the description that belong to the quantity. */
export type ChannelAssignment = Pick<DecodedValue, 'channel' | 'asks' | 'key' | 'described'>;

export interface FamilyDecodeResult {
  said: DecodedValue[];
  /** Reasons why the message or an element of it cannot be used, one sentence each. A refused element does not affect the others. */
  refused: string[];
  /** Native ids of devices whose message contains no usable value yet, for example a count whose unit is not set. */
  seen?: string[];
  /**
   * True if the family recognises the topic but nothing in the payload. A later family may then read the message. Never true if the family
   * omits a value on purpose: a later family would count the value twice.
   */
  isUnread?: boolean;
  /** Native ids of devices with a refused value. */
  blamed?: string[];
  /** Device that the message announces, if the topics of the device's values can be listed. */
  announced?: AnnouncedDevice;
}

export interface AnnouncedDevice {
  device: string;
  topics: readonly [string, ...string[]];
}

/**
 * A family of devices, which recognises and decodes their messages. The functions change nothing except the family's memory, and never
 * throw, whatever the payload is.
 */
export interface Family<Memory = unknown> {
  /** Name of the family's folder. */
  name: string;
  /**
   * Returns whether messages on this topic may belong to this family. The result depends only on the topic, so that the function is called
   * once per topic. Without this function, the family examines each message.
   */
  takes?(topic: string): boolean;
  /**
   * Returns whether a payload may belong to this family although `takes` rejects the topic. For families whose topics the owner chooses.
   * Called for nearly every message of other families, so it only compares bytes. Without this function, the topic alone decides.
   */
  knows?(payload: Buffer): boolean;
  /**
   * Returns whether messages on this topic are needed to decode later messages (discovery, births, units). The last message of each such
   * topic is stored. A worker that takes over a gateway passes the stored messages to `learn` in order of receipt.
   */
  remembers(topic: string): boolean;
  newMemory(): Memory;
  /**
   * Returns whether a message contains anything new; called for messages on topics that `remembers` accepts. Messages without news are not
   * stored. Without this function, a message is new if its payload differs from the previous one on its topic.
   */
  isNews?(memory: Memory, message: DeviceMessage): boolean;
  learn(memory: Memory, message: DeviceMessage): void;
  /**
   * Returns the native ids of the devices that have announced a value on this topic. Without this function, the family announces no
   * devices.
   */
  announcedOn?(memory: Memory, topic: string): readonly string[];
  /** Decodes a message. Returns null for a message of another family, and an empty result for the family's commands and their echoes. */
  decode(message: DeviceMessage, settings: DecoderSettings, memory: Memory): FamilyDecodeResult | null;
}

/** Creates a family without memory, which decodes each message independently of earlier ones. */
export const createStatelessFamily = (
  family: Pick<Family<null>, 'name' | 'takes' | 'knows' | 'decode'>,
): Family<null> => ({
  ...family,
  remembers: () => false,
  newMemory: () => null,
  learn: () => {},
});

/**
 * Returns the values whose time is known. If the broker has replayed the message, its age is unknown, so only values with a time of their
 * own are returned.
 */
export const selectCurrentValues = ({ said }: FamilyDecodeResult, replayed: boolean): DecodedValue[] =>
  replayed ? said.filter(({ atMs }) => atMs !== null) : said;

/** Parses the owner's `decoder_config`; members that cannot be parsed are omitted. */
export const parseDecoderSettings = (config: unknown): DecoderSettings => readDecoderConfig(config) as DecoderSettings;
