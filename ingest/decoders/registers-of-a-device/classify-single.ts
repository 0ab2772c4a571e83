import type { TotalsExclusionReason } from '../vocabulary/name-facts.ts';
import { classifyRegisters } from './classify.ts';
import { getRegisterProperties, type RegisterDescription } from './register.ts';

/**
 * Classification of one register or power, independent of the other registers of its device. `counted`: the register contributes to the
 * totals of `channel`.
 */
export type SingleRegisterClassification =
  | { is: 'counted'; channel: string }
  | { is: 'not counted'; because: TotalsExclusionReason }
  | { is: 'unknown' };

/** Classifies a register as if its device had no other register. Used to try out a single name. */
export function classifySingleRegister(described: RegisterDescription): SingleRegisterClassification {
  const { not } = getRegisterProperties(described);
  if (not) return { is: 'not counted', because: not };
  const [channel = ''] = classifyRegisters([{ described, label: 'it' }]).values();
  if (/(?:^|\/)ignored\//.test(channel)) return { is: 'not counted', because: 'period' };
  return /(?:^|\/)unknown\//.test(channel) ? { is: 'unknown' } : { is: 'counted', channel };
}
