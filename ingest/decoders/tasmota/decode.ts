import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readObject, readText } from '../read/payload.ts';
import { fromIso, fromUnix, trusted } from '../read/time.ts';
import { type Bases, isBare, isNewBase, learnBase, mayBeBare, parseBareTopic } from './bases.ts';
import { readTemperatures, readThermostats } from './climate.ts';
import { readClamps, readEnergy, readPower, readTeleinfo } from './energy.ts';
import { isMeter, readMeter } from './sml.ts';
import { block, type Source } from './source.ts';
import { parseTasmotaTopic } from './topic.ts';

/** Decoder of devices with the Tasmota firmware: registers, power, temperatures, thermostats, availability. */
export const tasmota: Family<Bases> = {
  name: 'tasmota',
  takes: (topic) => parseTasmotaTopic(topic) !== null || mayBeBare(topic),
  remembers: isBare,
  newMemory: () => new Set(),
  isNews: isNewBase,
  learn: learnBase,
  decode,
};

function decode(
  { topic, payload, receivedAtMs }: DeviceMessage,
  settings: DecoderSettings,
  bases: Bases,
): Heard | null {
  const parsed = parseTasmotaTopic(topic) ?? parseBareTopic(topic, payload, bases);
  if (!parsed) return null;
  const { device, about } = parsed;
  if (about === 'nothing') return nothing();
  if (about === 'availability') return availability(device, payload);
  const whole = readObject(payload);
  if (!whole) return refusal('payload is not a JSON object');
  const body = about === 'status' ? asObject(member(whole, 'StatusSNS')) : whole;
  if (!body) return refusal('payload has no object StatusSNS');
  const source = { heard: hearing(), device, atMs: toldAtMs(body, settings, receivedAtMs) };
  readElectricity(source, body, settings.tasmota ?? {});
  readTemperatures(source, body, settings.tasmota ?? {});
  readThermostats(source, body);
  return source.heard;
}

function availability(device: string, payload: Buffer): Heard {
  const value = readText(payload);
  if (value === null) return refusal('LWT is not text');
  const heard = hearing();
  heard.addState({ device, channel: 'device', kind: 'availability', value: value.trim(), name: 'LWT' });
  return heard;
}

function readElectricity(source: Source, body: Json, mapping: NonNullable<DecoderSettings['tasmota']>): void {
  const energy = block(source, member(body, 'ENERGY'), 'ENERGY');
  const tic = block(source, member(body, 'TIC'), 'TIC');
  const analog = block(source, member(body, 'ANALOG'), 'ANALOG');
  if (tic) readTeleinfo(source, tic);
  // Next to the meter's own indexes, ENERGY repeats the same energy with less precision.
  else if (energy) readEnergy(source, energy);
  if (energy) readPower(source, energy);
  if (analog) readClamps(source, analog);
  const circuits = new Set<string>();
  for (const [name, value] of Object.entries(body)) {
    const meter = name === 'ENERGY' || name === 'TIC' || name === 'ANALOG' ? null : asObject(value);
    if (meter && isMeter(name, meter, mapping)) readMeter(source, { prefix: name, block: meter, mapping }, circuits);
  }
}

/**
 * Returns the message's own time if it is plausible. The commands `Time` and `SetOption52` set its format: local time without a zone
 * (default), with an offset, with an additional `Epoch`, or Unix seconds.
 */
function toldAtMs(body: Json, { tz }: DecoderSettings, receivedAtMs: number): number | null {
  const [time, epoch] = [member(body, 'Time'), member(body, 'Epoch')];
  const unix = [epoch, time].find((one) => typeof one === 'number');
  if (typeof unix === 'number') return trusted(fromUnix(unix), receivedAtMs);
  return trusted(fromIso(time, { tz, receivedAtMs }), receivedAtMs);
}
