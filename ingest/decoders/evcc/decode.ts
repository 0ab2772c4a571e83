import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { readText } from '../read/payload.ts';
import { createValueCollector, emptyResult, negateNumber, refusedResult } from '../read/value-collector.ts';

/** Groups of meters at a site. Each group may have several devices. */
const GROUPS = ['pv', 'battery', 'aux', 'ext', 'consumers'] as const;

type Meter = 'grid' | (typeof GROUPS)[number] | 'loadpoint';

/** Parsed topic of evcc. `device` is the topic of the meter, including the root. */
type EvccTopic =
  | { about: 'value'; root: string; meter: Meter; device: string; value: string; phase: 1 | 2 | 3 | null }
  /** States whether a site has a grid meter. */
  | { about: 'grid configured'; root: string }
  | { about: 'command' };

const COMMAND = /^.+\/(?:site|loadpoints\/\d{1,3})\/[A-Za-z]+\/set$/;
const CONFIGURED = /^(.+)\/site\/gridConfigured$/;
const GRID = /^(.+)\/site\/grid\/([A-Za-z]+)(?:\/([123]))?$/;
/** Topics of the grid meter in versions before `grid` became an object. */
const OLD_GRID = /^(.+)\/site\/grid(Power|Energy)$/;
const OF_GROUP = new RegExp(`^(.+)/site/(${GROUPS.join('|')})/(?:devices/)?([1-9]\\d{0,2})/([A-Za-z]+)(?:/([123]))?$`);
const LOADPOINT = /^(.+)\/loadpoints\/([1-9]\d{0,2})\/([A-Za-z]+)$/;

/** Parses a topic by its end, because the owner chooses the root (`evcc` by default). Returns null if it is no topic of evcc's meters. */
function parseEvccTopic(topic: string): EvccTopic | null {
  if (COMMAND.test(topic)) return { about: 'command' };
  const configured = CONFIGURED.exec(topic)?.[1];
  if (configured) return { about: 'grid configured', root: configured };
  const [, oldRoot, oldValue] = OLD_GRID.exec(topic) ?? [];
  if (oldRoot && oldValue) return meterValue(oldRoot, 'grid', `${oldRoot}/grid`, oldValue.toLowerCase());
  const [, gridRoot, gridValue, gridPhase] = GRID.exec(topic) ?? [];
  if (gridRoot && gridValue) return meterValue(gridRoot, 'grid', `${gridRoot}/grid`, gridValue, gridPhase);
  const [, root, group, number, value, phase] = OF_GROUP.exec(topic) ?? [];
  if (root && group && value) return meterValue(root, group as Meter, `${root}/${group}/${number}`, value, phase);
  const [, ofLoadpoint, loadpoint, charged] = LOADPOINT.exec(topic) ?? [];
  if (!ofLoadpoint || !charged) return null;
  return meterValue(ofLoadpoint, 'loadpoint', `${ofLoadpoint}/loadpoints/${loadpoint}`, charged);
}

const meterValue = (root: string, meter: Meter, device: string, value: string, phase?: string): EvccTopic => ({
  about: 'value',
  root,
  meter,
  device,
  value,
  phase: phase === undefined ? null : (Number(phase) as 1 | 2 | 3),
});

/** Maximum number of stored roots; a household has one. */
const MAX_ROOTS = 50;
/** Meters that report what they generate or discharge as positive, in power and in `energy`. */
const GIVING: ReadonlySet<Meter> = new Set(['pv', 'battery']);
/** Texts that Go writes if a computation has no finite result. */
const NO_NUMBER = new Set(['+Inf', '-Inf', 'NaN']);

/** Decoder of evcc: the meters of a site and its chargers. Its memory holds the roots of sites without a grid meter. */
export const evcc: Family<Set<string>> = {
  name: 'evcc',
  takes: (topic) => parseEvccTopic(topic) !== null,
  remembers: (topic) => parseEvccTopic(topic)?.about === 'grid configured',
  newMemory: () => new Set(),
  learn(memory, { topic, payload }) {
    const parsed = parseEvccTopic(topic);
    if (parsed?.about !== 'grid configured') return;
    if (readText(payload) !== 'false') memory.delete(parsed.root);
    else if (memory.size < MAX_ROOTS) memory.add(parsed.root);
  },
  decode,
};

function decode(
  { topic, payload }: DeviceMessage,
  _settings: DecoderSettings,
  without: Set<string>,
): FamilyDecodeResult | null {
  const parsed = parseEvccTopic(topic);
  if (!parsed) return null;
  if (parsed.about !== 'value') return emptyResult();
  const { device, meter, phase, root } = parsed;
  const quantity = quantityOf(meter, parsed.value, phase);
  // At a site without a grid meter, evcc computes the grid power as charging power minus production. It is not measured, so it is not read.
  if (!quantity || (meter === 'grid' && without.has(root))) return emptyResult();
  const text = readText(payload);
  if (text === null) return refusedResult('payload is not text');
  const collector = createValueCollector();
  if (NO_NUMBER.has(text)) return collector;
  const value = quantity.isTurned ? negateNumber(text) : text;
  const { channel, kind } = quantity;
  collector.add({ device, channel, kind, value, name: phase ? `${parsed.value}/${phase}` : parsed.value });
  return collector;
}

interface Measured {
  channel: string;
  kind: 'power_w' | 'energy_total_kwh';
  isTurned: boolean;
}

function quantityOf(meter: Meter, value: string, phase: number | null): Measured | null {
  if (meter === 'loadpoint') {
    if (value === 'chargePower') return { channel: 'import', kind: 'power_w', isTurned: false };
    return value === 'chargeTotalImport' ? register('import') : null;
  }
  const isGiving = GIVING.has(meter);
  if (value === 'power' && phase === null) return { channel: 'import', kind: 'power_w', isTurned: isGiving };
  if (value === 'powers' && phase !== null) return { channel: `import/l${phase}`, kind: 'power_w', isTurned: isGiving };
  if (phase !== null) return null;
  if (value === 'energy') return register(isGiving ? 'export' : 'import');
  return value === 'returnEnergy' ? register(isGiving ? 'import' : 'export') : null;
}

const register = (channel: string): Measured => ({ channel, kind: 'energy_total_kwh', isTurned: false });
