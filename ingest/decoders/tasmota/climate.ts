import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import { convertToCelsius } from '../read/value-collector.ts';
import { isMeterBlock, type MeterNameSettings } from './sml.ts';
import { getSensorObject, type TasmotaMessageSource } from './source.ts';

/** Matches blocks that are not sensors, or that contain the temperature of a chip. `ESP\d.*` also matches `ESP32C3`. */
const NO_ROOM = /^(ENERGY|TIC|ESP\d.*|Thermostat\d*)$/i;
/**
 * Matches the suffix that distinguishes several sensors of one kind: `DS18B20-1`, `DS18B20_2`, `SHT3X-0x45`. The suffix is a number or an
 * address.
 */
const ONE_OF_SEVERAL = /[-_][0-9A-Za-z]+$/;

interface Sensor {
  /** Name of the sensor, such as `DS18B20-1`; `ANALOG-2` for a numbered analogue input. */
  name: string;
  value: unknown;
}

/**
 * Reads the temperatures of sensors, in the unit that the message states for all of them. A single sensor gets the channel `room`. Several
 * sensors get channels with their names: `room/ds18b20-1`.
 */
export function readTemperatures(
  { collector, device, atMs }: TasmotaMessageSource,
  body: Json,
  mapping: MeterNameSettings,
): void {
  const sensors = findSensors(body, mapping);
  if (sensors.length === 0) return;
  // If the message states no unit, Celsius is used, the firmware's default. Gateways may omit the unit when they forward values.
  const unit = getMember(body, 'TempUnit') ?? 'C';
  if (unit !== 'C' && unit !== 'F') {
    collector.refuse('TempUnit is neither C nor F');
    return;
  }
  const single = sensors.filter(({ name }) => !ONE_OF_SEVERAL.test(name)).length === 1;
  const channels = new Set<string>();
  for (const { name, value } of sensors) {
    const channel = single && !ONE_OF_SEVERAL.test(name) ? 'room' : `room/${normaliseChannelWord(name)}`;
    if (channels.has(channel)) collector.refuse('two sensors have the same name');
    else {
      const label = `${name.slice(0, 40)}.Temperature`;
      collector.add({
        device,
        channel,
        kind: 'temperature_c',
        value: convertToCelsius(value, unit),
        atMs,
        name: label,
      });
    }
    channels.add(channel);
  }
}

function findSensors(body: Json, mapping: MeterNameSettings): Sensor[] {
  const found: Sensor[] = [];
  for (const [name, value] of Object.entries(body)) {
    const sensor = asObjectOrNull(value);
    if (!sensor || NO_ROOM.test(name) || isMeterBlock(name, sensor, mapping)) continue;
    // Next to the block `ENERGY`, `ANALOG` is a thermistor on the board of a relay that measures energy (Shelly). Without `ENERGY`,
    // `ANALOG` is a sensor.
    if (name === 'ANALOG' && getMember(body, 'ENERGY') !== undefined) continue;
    if (getMember(sensor, 'Temperature') !== undefined) found.push({ name, value: getMember(sensor, 'Temperature') });
    if (name === 'ANALOG') found.push(...findNumbered(sensor));
  }
  return found;
}

/** Returns the numbered analogue inputs of an ESP32: `Temperature1`, `Temperature2`. */
const findNumbered = (analog: Json): Sensor[] =>
  Object.entries(analog).flatMap(([key, value]) => {
    const [, number] = /^Temperature(\d{1,2})$/.exec(key) ?? [];
    return number === undefined ? [] : [{ name: `ANALOG-${number}`, value }];
  });

/**
 * Reads the blocks `Thermostat0`, `Thermostat1` …: the set-point, and whether the thermostat heats (duty cycle above 0 %). The set-point is
 * always in °C, whatever `TempUnit` is. The measured temperature is in the block of the sensor.
 */
export function readThermostats(source: TasmotaMessageSource, body: Json): void {
  const { collector, device, atMs } = source;
  for (const [name, value] of Object.entries(body)) {
    const [, index] = /^Thermostat(\d{1,2})$/.exec(name) ?? [];
    const thermostat = index === undefined ? null : getSensorObject(source, value, name);
    if (!thermostat) continue;
    const channel = Number(index) === 0 ? 'room' : `room/thermostat${Number(index)}`;
    const target = getMember(thermostat, 'TempTargetSet');
    collector.add({ device, channel, kind: 'setpoint_c', value: target, atMs, name: `${name}.TempTargetSet` });
    const duty = readNumber(getMember(thermostat, 'CtrDutyCycleRead'));
    const label = `${name}.CtrDutyCycleRead`;
    if (duty === null) continue;
    if (duty === undefined || duty < 0 || duty > 100) collector.refuse(`${label} is not a percentage`);
    else collector.addState({ device, channel, kind: 'heating', value: duty > 0, atMs, name: label });
  }
}
