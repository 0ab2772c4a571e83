import type { NotCountedReason } from '../vocabulary/name-facts.ts';
import { classifyRegisters } from './judge.ts';
import { getRegisterFacts, type RegisterDescription } from './register.ts';

/** Classification of one register or power without the other registers of its device. */
export type SingleRegisterVerdict =
  | { is: 'counted'; channel: string }
  | { is: 'not counted'; because: NotCountedReason }
  | { is: 'unknown' };

/** Classifies a register as if its device had no other register. Used to try out single names. */
export function classifySingleRegister(described: RegisterDescription): SingleRegisterVerdict {
  const { not } = getRegisterFacts(described);
  if (not) return { is: 'not counted', because: not };
  const [channel = ''] = classifyRegisters([{ described, label: 'it' }]).values();
  if (/(?:^|\/)ignored\//.test(channel)) return { is: 'not counted', because: 'period' };
  return /(?:^|\/)unknown\//.test(channel) ? { is: 'unknown' } : { is: 'counted', channel };
}
