import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { readText } from '../read/payload.ts';

/** Beneath its base topic, which people change: groups and names as nobody else has them. */
const TOPIC = /^(.+)\/(main|extra|s0|opentherm\/(?:write|read))\/([A-Za-z0-9_]+)(?:\/([12]))?$/;
/** Its default, and the ones of those who have two heat pumps. Only there is `LWT` known to be its own. */
const DEFAULT_BASE = /(?:^|\/)panasonic_heat_pump[^/]*$/;

const isDefaultBase = (base: string): boolean => DEFAULT_BASE.test(base);

interface HeishaMonTopic {
  base: string;
  /** `main/Z1_Temp`, `s0/Watt`, `LWT`. */
  path: string;
  /** Of an S0 port. */
  port: string;
}

/** Reads the topic of a value; null for every other one. */
function parseTopic(topic: string): HeishaMonTopic | null {
  if (topic.endsWith('/LWT')) {
    const base = topic.slice(0, -'/LWT'.length);
    return isDefaultBase(base) ? { base, path: 'LWT', port: '' } : null;
  }
  const [, root, group = '', name = '', port = ''] = TOPIC.exec(topic) ?? [];
  return root === undefined || (group === 's0') !== (port !== '')
    ? null
    : { base: root, path: `${group}/${name}`, port };
}

interface Field {
  channel: string;
  kind: SaidKind;
  per: number;
  /** Below this it is no reading: a sensor that is not there, a power that this heat pump tells elsewhere. */
  least: number;
}

/** A byte less 128: what has no sensor is at the lower end of it. */
const NO_SENSOR = -70;
/** K and L series tell -200 W here, and the power among the extra topics (issue 370). */
const power = (channel: string): Field => ({ channel, kind: 'power_w', per: 1, least: 0 });
const climate = (kind: 'temperature_c' | 'setpoint_c', channel = 'room'): Field => ({
  channel,
  kind,
  per: 1,
  least: NO_SENSOR,
});

/** One of heating, cooling and hot water runs at a time; each has the electric power that it takes, and what it gives as heat. */
const MODES: readonly [string, string][] = [
  ['Heat', 'rooms'],
  ['Cool', 'chill'],
  ['DHW', 'dhw'],
];
const powers = MODES.flatMap(([mode, circuit]): [string, Field][] => [
  [`main/${mode}_Power_Consumption`, power(`${circuit}/import`)],
  [`extra/${mode}_Power_Consumption_Extra`, power(`${circuit}/import`)],
  // Cold that is made is no heat that was used.
  ...(mode === 'Cool'
    ? []
    : ([
        [`main/${mode}_Power_Production`, power(`${circuit}/heat/import`)],
        [`extra/${mode}_Power_Production_Extra`, power(`${circuit}/heat/import`)],
      ] as [string, Field][])),
]);

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ...powers,
  ['main/Room_Thermostat_Temp', climate('temperature_c')],
  ['main/Second_Room_Thermostat_Temp', climate('temperature_c', 'second/room')],
  ['opentherm/write/roomTemp', climate('temperature_c', 'opentherm/room')],
  ['opentherm/write/roomTempSet', climate('setpoint_c', 'opentherm/room')],
  ['s0/WatthourTotal', { channel: 'import', kind: 'energy_total_kwh', per: 1_000, least: 0 }],
  ['s0/Watt', power('import')],
]);

/** HeishaMon: Panasonic heat pumps, and two S0 meters at it. */
export const heishamon = withoutMemory({ name: 'heishamon', takes: isTaken, decode });

/** Beneath its default base all is its own, elsewhere what is read. */
function isTaken(topic: string): boolean {
  const parsed = parseTopic(topic);
  return parsed !== null && (FIELDS.has(parsed.path) || isDefaultBase(parsed.base));
}

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed || !isTaken(topic)) return null;
  const { base, path, port } = parsed;
  const found = FIELDS.get(path);
  if (path !== 'LWT' && !found) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${path} is not text`);
  const heard = hearing();
  if (!found) {
    heard.addState({ device: base, channel: 'device', kind: 'availability', value: text, name: 'LWT' });
    return heard;
  }
  const { least, ...field } = found;
  const number = readNumber(text);
  if (field.kind !== 'energy_total_kwh' && typeof number === 'number' && number < least) return heard;
  // Each S0 port has a meter of its own: nobody knows whether it is of the heat pump.
  heard.add({ device: port === '' ? base : `${base}/s0/${port}`, value: text, name: path, ...field });
  return heard;
}
