import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal, turned } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { type Meter, parseEvccTopic } from './topic.ts';

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
