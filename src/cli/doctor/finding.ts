import type { Facts } from './facts.ts';

/** `skipped`: could not be looked at, for a reason that is a finding of its own. */
export type Level = 'ok' | 'warning' | 'problem' | 'skipped';

/** What a check found. */
export interface Finding {
  level: Level;
  /** In a sentence. */
  finding: string;
  /** What to do about it; null where nothing is to be done. */
  todo: string | null;
}

/** A judgement over facts: pure, one file each. */
export interface Check {
  name: string;
  judge(facts: Facts): Finding[];
}

export const ok = (finding: string): Finding => ({ level: 'ok', finding, todo: null });
export const warning = (finding: string, todo: string): Finding => ({ level: 'warning', finding, todo });
export const problem = (finding: string, todo: string): Finding => ({ level: 'problem', finding, todo });
export const skipped = (finding: string): Finding => ({ level: 'skipped', finding, todo: null });
