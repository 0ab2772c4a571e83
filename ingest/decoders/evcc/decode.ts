import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal, turned } from '../read/heard.ts';
import { readText } from '../read/payload.ts';

/** Groups of meters of a site, each of several devices but the grid. */
const GROUPS = ['pv', 'battery', 'aux', 'ext', 'consumers'] as const;

type Meter = 'grid' | (typeof GROUPS)[number] | 'loadpoint';

/** What is on a topic of evcc. `device`: the topic of the meter, the root among it. */
type EvccTopic =
  | { about: 'value'; root: string; meter: Meter; device: string; value: string; phase: 1 | 2 | 3 | null }
  /** Whether a site has a meter at the grid at all. */
  | { about: 'grid configured'; root: string }
  | { about: 'command' };

const COMMAND = /^.+\/(?:site|loadpoints\/\d{1,3})\/[A-Za-z]+\/set$/;
const CONFIGURED = /^(.+)\/site\/gridConfigured$/;
const GRID = /^(.+)\/site\/grid\/([A-Za-z]+)(?:\/([123]))?$/;
/** Of versions before `grid` was an object. */
const OLD_GRID = /^(.+)\/site\/grid(Power|Energy)$/;
const OF_GROUP = new RegExp(`^(.+)/site/(${GROUPS.join('|')})/(?:devices/)?([1-9]\\d{0,2})/([A-Za-z]+)(?:/([123]))?$`);
const LOADPOINT = /^(.+)\/loadpoints\/([1-9]\d{0,2})\/([A-Za-z]+)$/;

/** Reads a topic by its end, as the root is its owner's (`evcc` by default); null: not one of evcc's meters. */
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

/** Most roots that are remembered; a household has one. */
const MAX_ROOTS = 50;
/** Meters that count as positive what they give, in power and in `energy`. */
const GIVING: ReadonlySet<Meter> = new Set(['pv', 'battery']);
/** What Go writes where a sum went wrong. */
const NO_NUMBER = new Set(['+Inf', '-Inf', 'NaN']);

/** evcc: the meters of a site and its chargers. Remembers the sites without a meter at the grid, by their roots. */
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

function decode({ topic, payload }: DeviceMessage, _settings: DecoderSettings, without: Set<string>): Heard | null {
  const parsed = parseEvccTopic(topic);
  if (!parsed) return null;
  if (parsed.about !== 'value') return nothing();
  const { device, meter, phase, root } = parsed;
  const quantity = quantityOf(meter, parsed.value, phase);
  // Without a meter at the grid its power is what chargers take less what the roof makes: computed, and not measured.
  if (!quantity || (meter === 'grid' && without.has(root))) return nothing();
  const text = readText(payload);
  if (text === null) return refusal('payload is not text');
  const heard = hearing();
  if (NO_NUMBER.has(text)) return heard;
  const value = quantity.isTurned ? turned(text) : text;
  const { channel, kind } = quantity;
  heard.add({ device, channel, kind, value, name: phase ? `${parsed.value}/${phase}` : parsed.value });
  return heard;
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
