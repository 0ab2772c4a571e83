import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { volumeChannel } from '../read/volume.ts';

/** Where a field goes. The sketch multiplies what stands in the telegram by 1,000: Wh, W and litres, as whole numbers. */
interface Field {
  channel: string;
  kind: SaidKind;
  /** To the unit of the kind. */
  per: number;
  /** Spelt as nobody else spells it (`tarif`, `returndelivery`). */
  isDistinct: boolean;
}

const register = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', per: 1_000, isDistinct: true });
const power = (channel: string, isDistinct = true): Field => ({ channel, kind: 'power_w', per: 1, isDistinct });

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['consumption_low_tarif', register('import/t1')],
  ['consumption_high_tarif', register('import/t2')],
  ['returndelivery_low_tarif', register('export/t1')],
  ['returndelivery_high_tarif', register('export/t2')],
  ['actual_consumption', power('import', false)],
  ['actual_returndelivery', power('export')],
  // 1-0:21.7.0, the first phase's.
  ['instant_power_usage', power('import/l1', false)],
  ['l1_instant_power_usage', power('import/l1')],
  ['l2_instant_power_usage', power('import/l2')],
  ['l3_instant_power_usage', power('import/l3')],
  ['gas_meter_m3', { channel: volumeChannel('gas'), kind: 'volume_total_m3', per: 1_000, isDistinct: false }],
]);

/** A root that names a P1 meter: `sensors/power/p1meter`, `house/p1`. */
const NAMES_P1 = /(^|[^a-z0-9])p1([^a-z0-9]|meter|$)/i;

interface P1MeterTopic {
  /** What stands before the field: the sketch has no other name. */
  device: string;
  field: string;
}

/**
 * Reads `{root}/{field}`. The root is a constant of the sketch, which people change: fields that are spelt as nobody else does are known
 * below any root, the others below one that names a P1 meter. Null for every other topic.
 */
function parseTopic(topic: string): P1MeterTopic | null {
  const at = topic.lastIndexOf('/');
  const device = topic.slice(0, Math.max(at, 0));
  const field = topic.slice(at + 1);
  const found = device === '' ? undefined : FIELDS.get(field);
  return found && (found.isDistinct || NAMES_P1.test(device.slice(device.lastIndexOf('/') + 1)))
    ? { device, field }
    : null;
}

/** The sketch prints a C `long`: a decimal is a fork's, in a unit that nobody knows. */
const WHOLE = /^\s*-?\d{1,10}\s*$/;

/** Sketches for an ESP8266 at a P1 port (esp8266_p1meter and its forks): a topic for each field. */
export const p1meter = withoutMemory({ name: 'p1meter', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  const found = parsed && FIELDS.get(parsed.field);
  if (!parsed || !found) return null;
  const text = readText(payload);
  if (text === null) return refusal(`${parsed.field} is not text`);
  const heard = hearing();
  const { channel, kind, per } = found;
  if (text.trim() !== '' && !WHOLE.test(text)) heard.refuse(`${parsed.field} is not a whole number`, parsed.device);
  else heard.add({ device: parsed.device, channel, kind, value: text, per, name: parsed.field });
  return heard;
}
