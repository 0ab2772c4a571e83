import { QUARTER_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { homeBetween } from '../home/buckets.ts';
import { expectedMs } from '../home/roles.ts';
import { usedOf } from '../home/sums.ts';
import type { Teller } from './teller.ts';

/** What is drawn now, W, as the mean of the last minutes. */
export interface PowerNow {
  watts: number;
  /** So many. */
  minutes: number;
}

/** Of fewer seconds a meter that counts whole Wh tells no power. */
const MIN_KNOWN_MS = 120_000;
const WATT_MS_PER_MILLIWATT_HOUR = 3_600;

/** What a home draws now: of this quarter-hour, or with the one before it where this has just begun; null where neither is known. */
export async function powerNow(db: Database, { home }: Teller, now: Date): Promise<PowerNow | null> {
  const quarterMs = Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS;
  for (const fromMs of [quarterMs, quarterMs - QUARTER_MS]) {
    const span = { fromMs, toMs: quarterMs + QUARTER_MS };
    const channels = expectedMs(home.devices, home.stretches, span) / (span.toMs - span.fromMs);
    if (channels === 0) return null;
    const sums = await homeBetween(db, home, { from: new Date(span.fromMs), to: new Date(span.toMs) });
    const used = usedOf(sums);
    const knownMs = (sums.countedMs ?? 0) / channels;
    if (used === null || knownMs < MIN_KNOWN_MS) continue;
    const watts = Math.round((used * WATT_MS_PER_MILLIWATT_HOUR) / knownMs);
    return { watts, minutes: Math.round(knownMs / 60_000) };
  }
  return null;
}
