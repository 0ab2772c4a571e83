import type { NotCounted } from '../vocabulary/said-of.ts';
import { judge } from './judge.ts';
import { type Described, facetsOf } from './register.ts';

/** What one register or power is where nothing else of its device is known. */
export type Alone = { is: 'counted'; channel: string } | { is: 'not counted'; because: NotCounted } | { is: 'unknown' };

/** Judges a register as the only one of its device, as which each name can be tried. */
export function judgeAlone(described: Described): Alone {
  const { not } = facetsOf(described);
  if (not) return { is: 'not counted', because: not };
  const [channel = ''] = judge([{ described, label: 'it' }]).values();
  if (/(?:^|\/)ignored\//.test(channel)) return { is: 'not counted', because: 'period' };
  return /(?:^|\/)unknown\//.test(channel) ? { is: 'unknown' } : { is: 'counted', channel };
}
