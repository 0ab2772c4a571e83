import type { DeviceMessage, FamilyDecodeResult } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { decodeInverter, type InverterMemberNames, type InverterSource } from './inverter.ts';

const NAMES: InverterMemberNames = {
  made: ['pvenergytotal', 'eactotal'],
  output: ['pvpowerout'],
  panels: ['epvtotal', 'epvTotal'],
  input: ['pvpowerin'],
  battery: ['eharge1_tot', 'echarge1_tot', 'edischarge1_tot', 'echrtotal', 'edischrtotal', 'ebatDischarTotal'],
  grid: ['etouser_tot', 'etogrid_tot', 'etousertotal', 'etogridtotal'],
};
/** Members of a Growatt meter that is connected by ShineLink, in addition to the inverter. */
const METER = ['pos_act_energy', 'rev_act_energy', 'pos_rev_act_power'] as const;
/**
 * Members of a meter that is connected by RailLog (SDM630, Chint). Unlike the other values, these are texts, not numbers in tenths. Their
 * units are undocumented.
 */
const LOGGED = ['posiActivePower', 'reverActivePower'] as const;
/** Divisor of raw numbers, which are in tenths of a kWh or W. */
const TENTHS = 10;
/**
 * Plausible grid frequencies in hundredths of Hz. If a running inverter reports a frequency outside this range, Grott has split the record
 * at the wrong positions.
 */
const [LOWEST, HIGHEST] = [4_000, 7_000];

export const isGrottRecord = (body: Json): boolean =>
  typeof getMember(body, 'device') === 'string' && getMember(body, 'buffered') !== undefined && isValues(body);
const isValues = (body: Json): boolean => asObjectOrNull(getMember(body, 'values')) !== null;

export function decodeGrottRecord(
  body: Json,
  { receivedAtMs }: DeviceMessage,
  tz: string | undefined,
): FamilyDecodeResult {
  const device = getMember(body, 'device') as string;
  const values = asObjectOrNull(getMember(body, 'values'));
  if (device.trim() === '' || !values) return createRefusedResult('the record has no device, or no values');
  const collector = createValueCollector();
  const atMs = parseMessageTime(getMember(body, 'time'), 'iso', { tz, receivedAtMs });
  if (getMember(body, 'buffered') === 'yes' && atMs === null) {
    collector.refuse('a buffered record has only a local time, which needs a time zone (tz)', device);
    return collector;
  }
  if (isCutWrong(values)) {
    collector.refuse(
      'the record was cut in the wrong places: set invtype in grott.ini to the type of this inverter',
      device,
    );
    return collector;
  }
  const source: InverterSource = { collector, device, atMs, per: TENTHS };
  if (METER.some((name) => Object.hasOwn(values, name))) readMeter(source, values);
  else if (LOGGED.some((name) => Object.hasOwn(values, name))) readLogged(source, values);
  else decodeInverter(source, values, NAMES);
  return collector;
}

/**
 * Whether Grott has used the record layout of another inverter type: the record reports a running inverter with an implausible grid
 * frequency.
 */
function isCutWrong(values: Json): boolean {
  const frequency = readNumber(getMember(values, 'pvfrequentie'));
  const isRunning = readNumber(getMember(values, 'pvstatus')) === 1;
  return isRunning && typeof frequency === 'number' && !(frequency >= LOWEST && frequency <= HIGHEST);
}

function readMeter({ collector, device, atMs, per }: InverterSource, values: Json): void {
  const [imported, exported, power] = METER;
  const said = { device, atMs, per };
  const energy = { ...said, kind: 'energy_total_kwh' } as const;
  collector.add({ ...energy, channel: 'meter/import', value: getMember(values, imported), name: imported });
  collector.add({ ...energy, channel: 'meter/export', value: getMember(values, exported), name: exported });
  collector.add({ ...said, kind: 'power_w', channel: 'meter/import', value: getMember(values, power), name: power });
}

function readLogged({ collector, device, atMs }: InverterSource, values: Json): void {
  for (const name of LOGGED) {
    const channel = `meter/unknown/${name.toLowerCase()}`;
    const said = { device, channel, kind: 'energy_total_kwh', value: getMember(values, name), atMs, name } as const;
    collector.add({ ...said, asks: { unit: null } });
  }
}
