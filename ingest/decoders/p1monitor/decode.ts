import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { volumeChannel } from '../read/volume.ts';

interface Field {
  channel: string;
  kind: SaidKind;
  times: number;
  /** A device of its own beside the meter: `powerproduction`. */
  part: string;
}

const field = (channel: string, kind: SaidKind, times = 1, part = ''): Field => ({ channel, kind, times, part });
const phases = ['l1', 'l2', 'l3'].flatMap((phase): [string, Field][] => [
  [`phase/consumption_${phase}_w`, field(`import/${phase}`, 'power_w')],
  [`phase/production_${phase}_w`, field(`export/${phase}`, 'power_w')],
]);
const PRODUCTION = 'powerproduction';

/** What is read. Low is 1-0:1.8.1 (`import/t1`), high 1-0:1.8.2, as `apiconst.py` says. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['smartmeter/consumption_kwh_low', field('import/t1', 'energy_total_kwh')],
  ['smartmeter/consumption_kwh_high', field('import/t2', 'energy_total_kwh')],
  ['smartmeter/production_kwh_low', field('export/t1', 'energy_total_kwh')],
  ['smartmeter/production_kwh_high', field('export/t2', 'energy_total_kwh')],
  ['smartmeter/consumption_kw', field('import', 'power_w', 1_000)],
  ['smartmeter/production_kw', field('export', 'power_w', 1_000)],
  ['smartmeter/consumption_gas_m3', field(volumeChannel('gas'), 'volume_total_m3')],
  ...phases,
  ['powerproduction/minute/production_kwh_low_total', field('export/t1', 'energy_total_kwh', 1, PRODUCTION)],
  ['powerproduction/minute/production_kwh_high_total', field('export/t2', 'energy_total_kwh', 1, PRODUCTION)],
  ['powerproduction/minute/production_kwh_total', field('export', 'energy_total_kwh', 1, PRODUCTION)],
  ['watermeter/minute/watermeter_consumption_total_m3', field(volumeChannel('water'), 'volume_total_m3')],
  [
    'watermeterdigital/minute/watermeter_consumption_total_m3',
    field(volumeChannel('water', 'digital'), 'volume_total_m3'),
  ],
]);

/** What P1 Monitor publishes beneath its prefix that is nobody else's, and says nothing that is read. */
const OURS =
  /^(.+)\/(smartmeter|phase|powerproduction\/minute|watermeter(?:digital)?\/(?:minute|day)|powergas\/day|financial\/day|miscellaneous|weather|indoor\/temperature)\/([a-z0-9_]+)$/;
const DEFAULT_PREFIX = 'p1monitor';

interface P1MonitorTopic {
  /** The prefix. */
  prefix: string;
  /** `smartmeter/consumption_kw`. */
  path: string;
}

/**
 * Reads `{prefix}/{group}/{field}`. Below `p1monitor` all of it is P1 Monitor's; below another prefix only fields that are read, of
 * which the names are its own. Null for every other topic.
 */
function parseTopic(topic: string): P1MonitorTopic | null {
  const [, prefix = '', group, field] = OURS.exec(topic) ?? [];
  if (group === undefined) return null;
  const path = `${group}/${field}`;
  return prefix === DEFAULT_PREFIX || FIELDS.has(path) ? { prefix, path } : null;
}

/** P1 Monitor (ztatz.nl): a Dutch smart meter, its gas and water, and an S0 meter of solar panels. */
export const p1monitor = withoutMemory({ name: 'p1monitor', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const found = FIELDS.get(parsed.path);
  if (!found) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${parsed.path} is not text`);
  const heard = hearing();
  const { channel, kind, times, part } = found;
  const device = part === '' ? parsed.prefix : `${parsed.prefix}/${part}`;
  heard.add({ device, channel, kind, value: text, times, name: parsed.path });
  return heard;
}
