import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { listNumbersWithPaths } from '../names/members.ts';
import { addNamedQuantities } from '../names/quantities.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import {
  cacheUnprefixedBaseTopic,
  canBeUnprefixedTopic,
  isNewUnprefixedBaseTopic,
  isUnprefixedSensorTopic,
  parseUnprefixedTopic,
  type UnprefixedBaseTopics,
} from './bases.ts';
import { readTemperatures, readThermostats } from './climate.ts';
import { readCurrentClamps, readEnergy, readPower, readTeleinfo } from './energy.ts';
import { isMeterBlock, readMeterBlock } from './sml.ts';
import { getSensorObject, type TasmotaMessageSource } from './source.ts';
import { parseTasmotaTopic, type TasmotaTopic } from './topic.ts';

/** Decoder of devices with the Tasmota firmware: registers, power, temperatures, thermostats, availability. */
export const tasmotaFamily: Family<UnprefixedBaseTopics> = {
  name: 'tasmota',
  takes: (topic) => parseTasmotaTopic(topic) !== null || canBeUnprefixedTopic(topic),
  remembers: isUnprefixedSensorTopic,
  newMemory: () => new Set(),
  isNews: isNewUnprefixedBaseTopic,
  learn: cacheUnprefixedBaseTopic,
  decode,
};

function decode(
  { topic, payload, receivedAtMs }: DeviceMessage,
  settings: DecoderSettings,
  bases: UnprefixedBaseTopics,
): FamilyDecodeResult | null {
  const parsed = parseTasmotaTopic(topic) ?? parseUnprefixedTopic(topic, payload, bases);
  // The decoder of names reads the messages of scripts.
  if (!parsed || parsed.about === 'other') return null;
  const { device, about } = parsed;
  if (about === 'nothing') return createEmptyResult();
  if (about === 'availability') return availability(device, payload);
  const whole = parseJsonObject(payload);
  if (!whole) return createRefusedResult('payload is not a JSON object');
  const body = blocksOf(whole, about);
  if (!body) return createRefusedResult('payload has no object StatusSNS');
  const source = { collector: createValueCollector(), device, atMs: toldAtMs(body, settings, receivedAtMs) };
  readElectricity(source, body, settings.tasmota ?? {});
  readTemperatures(source, body, settings.tasmota ?? {});
  readThermostats(source, body);
  readZigbee(source, getMember(body, 'ZbReceived') ?? withoutZigbeeEnvelope(body));
  const { said, refused, seen, blamed } = source.collector;
  const isUnread = [said, refused, seen, blamed].every(({ length }) => length === 0);
  return isUnread && !hasKnownBlock(about === 'energy' ? whole : body)
    ? { ...source.collector, isUnread }
    : source.collector;
}

/** Returns the blocks of a message; null if the reply to a status command contains no block. */
function blocksOf(whole: Json, about: TasmotaTopic['about']): Json | null {
  if (about === 'status') return asObjectOrNull(getMember(whole, 'StatusSNS'));
  return about === 'energy' ? { Time: getMember(whole, 'Time'), ENERGY: whole } : whole;
}

/** Whether a message contains a block that this family decodes. Other values in such a message are omitted on purpose. */
const hasKnownBlock = (body: Json): boolean =>
  ['ENERGY', 'TIC', 'ANALOG', 'ZbReceived'].some((name) => getMember(body, name) !== undefined);

/** Matches the short address of a Zigbee device, as in `"Device": "0xDC9C"`. */
const ZIGBEE_ADDRESS = /^0x[0-9A-F]{4}$/i;

/** Returns the Zigbee devices of a bridge that omits `ZbReceived` (SetOption118): `{"plug": {"Device": "0xDC9C", "ActivePower": 12}}`. */
const withoutZigbeeEnvelope = (body: Json): Json =>
  Object.fromEntries(
    Object.entries(body).filter(([, value]) => ZIGBEE_ADDRESS.test(String(getMember(asObjectOrNull(value), 'Device')))),
  );

/**
 * Decodes the values of Zigbee devices that a Zigbee bridge forwards: `{"0x1067": {"Name": "…", "ActivePower": 12}}`. Each Zigbee device
 * gets its own device id. The values have no units, so the owner is asked about energy and power; temperatures are in °C.
 */
function readZigbee({ collector, device: bridge, atMs }: TasmotaMessageSource, received: unknown): void {
  for (const [address, value] of Object.entries(asObjectOrNull(received) ?? {})) {
    const values = asObjectOrNull(value);
    if (!values) continue;
    const name = getMember(values, 'Name');
    const device = `${bridge}/${typeof name === 'string' && name !== '' ? name : address}`;
    const temperature = getMember(values, 'Temperature');
    collector.add({ device, channel: 'room', kind: 'temperature_c', value: temperature, atMs, name: 'Temperature' });
    addNamedQuantities(collector, listNumbersWithPaths(values), { device, atMs }, { isStrict: true });
  }
}

function availability(device: string, payload: Buffer): FamilyDecodeResult {
  const value = readText(payload);
  if (value === null) return createRefusedResult('LWT is not text');
  const collector = createValueCollector();
  collector.addState({ device, channel: 'device', kind: 'availability', value: value.trim(), name: 'LWT' });
  return collector;
}

function readElectricity(
  source: TasmotaMessageSource,
  body: Json,
  mapping: NonNullable<DecoderSettings['tasmota']>,
): void {
  const energy = getSensorObject(source, getMember(body, 'ENERGY'), 'ENERGY');
  const tic = getSensorObject(source, getMember(body, 'TIC'), 'TIC');
  const analog = getSensorObject(source, getMember(body, 'ANALOG'), 'ANALOG');
  if (tic) readTeleinfo(source, tic);
  // If the message contains the indexes of a French meter (`TIC`), `ENERGY` repeats their energy with less precision and is ignored.
  else if (energy) readEnergy(source, energy);
  if (energy) readPower(source, energy);
  if (analog) readCurrentClamps(source, analog);
  const circuits = new Set<string>();
  for (const [name, value] of Object.entries(body)) {
    const meter = name === 'ENERGY' || name === 'TIC' || name === 'ANALOG' ? null : asObjectOrNull(value);
    if (meter && isMeterBlock(name, meter, mapping))
      readMeterBlock(source, { prefix: name, block: meter, mapping }, circuits);
  }
}

/**
 * Returns the message's own time in Unix ms, if it is plausible; otherwise null. The commands `Time` and `SetOption52` set the format:
 * local time without a zone (default), with an offset, with an additional `Epoch`, or Unix seconds.
 */
function toldAtMs(body: Json, { tz }: DecoderSettings, receivedAtMs: number): number | null {
  const [time, epoch] = [getMember(body, 'Time'), getMember(body, 'Epoch')];
  const unix = [epoch, time].find((one) => typeof one === 'number');
  return parseMessageTime(unix ?? time, unix === undefined ? 'iso' : undefined, { tz, receivedAtMs });
}
