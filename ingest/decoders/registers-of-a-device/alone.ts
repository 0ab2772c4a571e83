import type { NotCounted } from '../vocabulary/said-of.ts';
import { judge } from './judge.ts';
import { type Described, facetsOf } from './register.ts';

/** Classification of one register or power without the other registers of its device. */
export type Alone = { is: 'counted'; channel: string } | { is: 'not counted'; because: NotCounted } | { is: 'unknown' };

/** Classifies a register as if it were the only one of its device, so that each name can be tried. */
export function judgeAlone(described: Described): Alone {
  const { not } = facetsOf(described);
  if (not) return { is: 'not counted', because: not };
  const [channel = ''] = judge([{ described, label: 'it' }]).values();
  if (/(?:^|\/)ignored\//.test(channel)) return { is: 'not counted', because: 'period' };
  return /(?:^|\/)unknown\//.test(channel) ? { is: 'unknown' } : { is: 'counted', channel };
}
