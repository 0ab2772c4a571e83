import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';

/** What `probe` takes on the machine that the limits of benches were measured on, while nothing else ran there: two cores of 2026. */
const REFERENCE_MS = 120;
/** A machine that is slower than this by far gives figures of no use; a bench ends on it all the same. */
const MAX_SLOWNESS = 8;
const ROUNDS = 3;

let known: number | undefined;

/**
 * How many times as long this machine takes for the same work as the one that limits were measured on; 1 at least, 8 at most. Measured once a
 * process: the start of a program and some hashing, the median of three rounds, next to whatever else the machine does now.
 */
export function slowness(): number {
  known ??= slownessOf(medianOf(Array.from({ length: ROUNDS }, probe)));
  return known;
}

/** The factor for a probe that took so long, ms. Pure. */
export const slownessOf = (tookMs: number): number => Math.min(MAX_SLOWNESS, Math.max(1, tookMs / REFERENCE_MS));

/** A limit in ms of a wait for something that must come, on this machine. A bench that gives up on a slow machine shows nothing. */
export const patience = (ms: number): number => Math.round(ms * slowness());

/** What was waited for in vain, and how long: for the line that a bench prints. */
export const givenUp = (what: string, afterMs: number): string =>
  `gave up after ${Math.round(patience(afterMs) / 1_000)} s: ${what} (limits here are ${slowness().toFixed(1)} × the usual ones)`;

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
