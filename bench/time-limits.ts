import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';

/** Duration in ms of `probe` on the idle machine on which the benchmarks' time limits were chosen: a machine of 2026 with two cores. */
const REFERENCE_MS = 120;
/**
 * Maximum factor by which time limits are extended. On a machine that is slower still, the figures would be useless, but the benchmark must
 * end.
 */
const MAX_SLOWNESS = 8;
const ROUNDS = 3;

let known: number | undefined;

/**
 * Returns a factor from 1 to 8 by which this machine is slower than the machine on which the time limits were chosen. It is measured once
 * per process.
 */
export function measureMachineSlowness(): number {
  known ??= computeSlownessFactor(medianOf(Array.from({ length: ROUNDS }, probe)));
  return known;
}

/** Returns by which factor a machine is slower than the reference machine, if `probe` took `tookMs` on it. */
export const computeSlownessFactor = (tookMs: number): number =>
  Math.min(MAX_SLOWNESS, Math.max(1, tookMs / REFERENCE_MS));

/**
 * On a slow machine, extends the time limit, in ms, for an event that must occur. A benchmark that gives up on a slow machine would show
 * nothing.
 */
export const scaleTimeLimitMs = (ms: number): number => Math.round(ms * measureMachineSlowness());

/** Describes a wait that timed out, and its duration, for the output of a benchmark. */
export const describeTimeout = (what: string, afterMs: number): string =>
  `gave up after ${Math.round(scaleTimeLimitMs(afterMs) / 1_000)} s: ${what} (limits here are ${measureMachineSlowness().toFixed(1)} × the usual ones)`;

const medianOf = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

function probe(): number {
  const fromMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  const hash = createHash('sha256');
  const block = Buffer.alloc(1 << 20);
  for (let turn = 0; turn < 64; turn++) hash.update(block);
  hash.digest();
  return performance.now() - fromMs;
}
