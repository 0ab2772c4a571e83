import { mentions } from '../read/payload.ts';
import { field } from './fields.ts';

export interface DsmrReaderTopic {
  /** What stands before `json` or `reading/…`; an installation has no other name. */
  device: string;
  /** `reading`: one field as text. `json`: all of them. `left`: day totals, statistics, gas once more, and the like. */
  kind: 'json' | 'reading' | 'left';
  /** Name of the field, for `reading`. */
  name: string;
}

/** What DSMR-reader publishes beside readings; day and month totals start again by themselves. */
const LEFT = new Set([
  'consumption',
  'day-consumption',
  'current-month',
  'current-year',
  'meter-stats',
  'period-totals',
]);
/** Words before the field of a reading. */
const READING = new Set(['reading', 'telegram']);

/** Whether the body is the JSON of a reading; it is looked at only where the topic says nothing, as that can be changed. */
export const isReading = (payload: Buffer): boolean =>
  mentions(payload, '"electricity_delivered_1":', '"electricity_currently_delivered":');

/**
 * Reads `dsmr/json`, `dsmr/reading/{field}` and what else is beneath `dsmr/`, whatever stands before `dsmr`; null for every
 * other topic, dsmr2mqtt's `dsmr/el` and the raw telegrams of `dsmr/raw` among them.
 */
export function parseTopic(topic: string): DsmrReaderTopic | null {
  // Every message of others comes by here, too.
  if (!topic.includes('dsmr') && !field(topic.slice(topic.lastIndexOf('/') + 1))) return null;
  const words = topic.split('/');
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const root = (drop: number) => words.slice(0, -drop).join('/');
  const within = READING.has(before) && words.length > 2;
  // The path of a field can be chosen freely, its name is seldom changed, and nobody else's.
  if (words.length > 1 && (field(last) || (within && words.at(-3) === 'dsmr'))) {
    return { device: root(within ? 2 : 1), kind: 'reading', name: last };
  }
  if (last === 'json' && before === 'dsmr') return { device: root(1), kind: 'json', name: last };
  const at = words.indexOf('dsmr');
  return at >= 0 && LEFT.has(words[at + 1] ?? '')
    ? { device: words.slice(0, at + 1).join('/'), kind: 'left', name: last }
    : null;
}
