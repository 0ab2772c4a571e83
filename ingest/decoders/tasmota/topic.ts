/**
 * Parsed topic of a Tasmota device. `about` is `nothing` for commands and their echoes, states of relays, and versions. `about` is `other`
 * for messages with a name that the firmware does not use: a script of the owner chose it (`tele/meter/DSMR5`).
 */
export interface TasmotaTopic {
  /** Name of the device, as in the placeholder `%topic%` of the firmware. */
  device: string;
  about: 'sensors' | 'energy' | 'status' | 'availability' | 'nothing' | 'other';
}

type Prefix = 'cmnd' | 'stat' | 'tele';
/** Matches the names of messages that devices send. They are in capitals: `SENSOR`, `INFO1`, `HASS_STATE`. */
const SENT = /^[A-Z][A-Z0-9_]*$/;

const isPrefix = (word: string | undefined): word is Prefix => word === 'cmnd' || word === 'stat' || word === 'tele';

/**
 * Parses a topic; returns null if the topic does not have the form of Tasmota. The owner arranges the levels of topics (`FullTopic`). The
 * prefix may precede the device (`tele/plug/SENSOR`, `home/tele/plug/SENSOR`, `tele/home/plug/SENSOR`) or follow it
 * (`tasmota/plug/tele/SENSOR`). If other levels separate prefix and device (`home/tele/floor/plug/SENSOR`), the prefix precedes the device.
 */
export function parseTasmotaTopic(topic: string): TasmotaTopic | null {
  const words = topic.split('/');
  const name = words.at(-1);
  const found = findPrefix(words);
  if (!name || !found?.device) return null;
  const { prefix, device } = found;
  if (prefix === 'cmnd') return { device, about: 'nothing' };
  return SENT.test(name) ? { device, about: prefix === 'tele' ? toldBy(name) : answeredBy(name) } : null;
}

function findPrefix(words: readonly string[]): { prefix: Prefix; device: string | undefined } | null {
  const [beforeDevice, last] = [words.at(-3), words.at(-2)];
  if (words.length < 3) return null;
  if (isPrefix(last)) return { prefix: last, device: beforeDevice };
  const prefix = words.slice(0, -2).findLast(isPrefix);
  return prefix ? { prefix, device: last } : null;
}

/** Firmware of early 2018 and before sends the members of the block `ENERGY` on a topic of their own. */
const TOLD: Readonly<Record<string, TasmotaTopic['about']>> = {
  SENSOR: 'sensors',
  ENERGY: 'energy',
  LWT: 'availability',
};
/** Matches the names of the firmware's other messages: states, versions, results of commands, limits. */
const WITHOUT_READINGS = /STATE|STATUS|INFO|RESULT|RECEIVED|^(?:UPTIME|WAKEUP|MARGINS|EVENT|LOGGING|TIMERS|POWER)\d*$/;
const toldBy = (name: string): TasmotaTopic['about'] =>
  TOLD[name] ?? (WITHOUT_READINGS.test(name) ? 'nothing' : 'other');

/** The replies to the commands `Status 8` and `Status 10` contain the same data as `SENSOR`. */
const answeredBy = (name: string): TasmotaTopic['about'] =>
  name === 'STATUS8' || name === 'STATUS10' ? 'status' : 'nothing';
