import { readDecoderConfig } from '#src/devices/decoder-config.ts';
import type { Mapped } from '#src/devices/mapping.ts';
import type { Described } from './registers-of-a-device/register.ts';

/** A message as the device's own broker has it: its topic without any `gw/{gateway_id}/` before it. */
export interface DeviceMessage {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Delivered at subscription with the retain flag: of unknown age, so that times relative to now are none. */
  replayed?: boolean;
}

/** What the owner has set for the devices behind a gateway (`decoder_config`); whatever is not known is left alone. */
export interface DecoderSettings {
  /** IANA zone of devices that tell local time without one; unknown means the time of receipt. */
  tz?: string;
  /** Topic filters on which SenML packs come. */
  senml?: { topics: string[] };
  /** By a meter's id: what its counts are, where the message does not say. */
  meter?: Record<string, { unit?: string; multiplier?: number }>;
  /** By `node/name`: how many pulses a kWh has. */
  emon?: Record<string, { pulses_per_kwh?: number }>;
  /** By `prefix.name` of a meter that a script of Tasmota reads, or by the name alone. */
  tasmota?: Record<string, { counts_as: string; unit?: 'Wh' | 'kWh' | 'MWh' | 'W' | 'kW' | 'm3' | 'l' }>;
  /** How Zigbee2MQTT publishes; with `attribute` the names of its devices, which may hold slashes. */
  zigbee2mqtt?: { output?: 'json' | 'attribute' | 'attribute_and_json'; devices?: string[] };
  /** In which scale Z-Wave JS UI publishes temperatures, where a message does not say. */
  zwavejs?: { temperature_unit?: 'C' | 'F' };
  /** Numbers on topics that he names, and what they are. */
  mapping?: Mapped[];
}

/** What a number is of, and its unit. Booleans: `heating`, `availability`. */
export type SaidKind =
  | 'energy_total_kwh'
  | 'energy_interval_kwh'
  | 'volume_total_m3'
  | 'power_w'
  | 'temperature_c'
  | 'setpoint_c'
  | 'heating'
  | 'availability';

/** One thing that a message says. */
export interface Said {
  /** The device's native id: topic segment, serial number or MAC. */
  device: string;
  /**
   * Words of a-z, 0-9, _ and - between slashes: `import`, `export/t1`, `switch0/import`, `import/l2`, `room`; a volume's say
   * of what: `mbus1/gas/m3`.
   */
  channel: string;
  kind: SaidKind;
  value: number | boolean;
  /** The message's own time in Unix ms, where it has one that can be trusted; null: it is as old as its receipt. */
  atMs: number | null;
  /** Length of an interval in ms, for `energy_interval_kwh`. */
  intervalMs?: number;
  /** How the device calls it. */
  native: string;
  /** Where nobody can tell what it is: it counts for nothing until its owner says. Its channel holds the word `unknown`. */
  asks?: Asks;
  /** What tells it from all others of its device for good, however it is judged; left out: its native name does. */
  key?: string;
  /** How it is described where it is judged with the other registers of its device: not by its channel then, which only names it. */
  described?: Described;
}

/** What is asked of a quantity's owner. */
export interface Asks {
  /** The unit of its value; null: the message does not say. */
  unit: string | null;
}

/** Where a quantity is put. */
export type Place = Pick<Said, 'channel' | 'asks' | 'key' | 'described'>;

/** What a family reads out of one message of its own. */
export interface Heard {
  said: Said[];
  /** Why the message, or a part of it, cannot be used: a sentence each. One bad part never drops its neighbours. */
  refused: string[];
  /** Native ids of devices that were heard, and of which nothing can be said yet (a count without a unit). */
  seen?: string[];
  /** Native ids of devices of which something was refused. */
  blamed?: string[];
  /** The device that the message announces, if it has values that can be listed. */
  announced?: AnnouncedDevice;
}

/** An announced device, and the topics on which its values come. */
export interface AnnouncedDevice {
  device: string;
  topics: readonly [string, ...string[]];
}

/**
 * A family of devices: what is on their topics. Both functions are pure but for the memory, and never throw, whatever the
 * payload is.
 */
export interface Family<Memory = unknown> {
  /** Name of its folder. */
  name: string;
  /**
   * Whether a message on this topic can be this family's, whatever it says, is set or was learnt: the shape of the topic alone. It is asked
   * once a topic, so that families cost nothing on the topics of others. Left out: each message is its own to look at.
   */
  takes?(topic: string): boolean;
  /**
   * Where owners choose the topic themselves: whether a body on one that `takes` denies can be this family's all the same. It is asked of
   * nearly every message of others, so it looks at bytes, and parses nothing. Left out: never.
   */
  knows?(payload: Buffer): boolean;
  /**
   * Whether later messages cannot be read without this one (discovery, births, units). Such messages are kept, the last of
   * each topic, and given to `learn` again in order of receipt when another worker goes on.
   */
  remembers(topic: string): boolean;
  newMemory(): Memory;
  /**
   * Whether such a message says what is not known yet; what does not need not be kept. Left out: it does where its payload is
   * another one than the last on its topic.
   */
  isNews?(memory: Memory, message: DeviceMessage): boolean;
  learn(memory: Memory, message: DeviceMessage): void;
  /** Native ids of the devices that announced a value on this topic. Left out: no device is announced. */
  announcedOn?(memory: Memory, topic: string): readonly string[];
  /** Null: somebody else's message. Commands and echoes of a family's own are `{said: [], refused: []}`. */
  decode(message: DeviceMessage, settings: DecoderSettings, memory: Memory): Heard | null;
}

/** A family whose messages each say everything themselves. */
export const withoutMemory = (family: Pick<Family<null>, 'name' | 'takes' | 'knows' | 'decode'>): Family<null> => ({
  ...family,
  remembers: () => false,
  newMemory: () => null,
  learn: () => {},
});

/** The part of a message that counts: all of it, or, if the broker replayed it, only what has a time of its own. */
export const current = ({ said }: Heard, replayed: boolean): Said[] =>
  replayed ? said.filter(({ atMs }) => atMs !== null) : said;

/** A `decoder_config` as its owner wrote it, as far as it can be understood; a member that cannot is left out. */
export const readSettings = (config: unknown): DecoderSettings => readDecoderConfig(config) as DecoderSettings;
