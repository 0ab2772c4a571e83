import type { PoolClient } from '../connect.ts';
import { copyStretch, copyWhole } from './copy-rows.ts';
import { differingRuns, fingerprintOf, fingerprintsByDay } from './fingerprints.ts';
import { COPIED, type Copied } from './relations.ts';

const MONTH_MS = 31 * 86_400_000;
/** Days that are copied in one transaction at most. */
const STRETCH_MS = 7 * 86_400_000;

export interface Ends {
  source: PoolClient;
  target: PoolClient;
}

/** Where a pass is: a relation, and how much of its time has been gone through. */
export type Progress = (relation: string, done: number, total: number) => void;

/**
 * Makes the target equal to the source, relation by relation, copying only what differs: a pass that was broken off is
 * taken up where it was, and a second pass costs no more than comparing. Returns the number of rows that it copied.
 */
export async function synchronise(ends: Ends, onProgress?: Progress): Promise<number> {
  let copied = 0;
  for (const one of COPIED) {
    copied += one.by === undefined ? await wholeRelation(ends, one) : await slices(ends, one, one.by, onProgress);
    onProgress?.(one.relation, 1, 1);
  }
  return copied;
}

async function wholeRelation({ source, target }: Ends, { relation }: Copied): Promise<number> {
  const [mine, theirs] = await Promise.all([fingerprintOf(source, relation), fingerprintOf(target, relation)]);
  return mine === theirs ? 0 : copyWhole({ source, target }, relation);
}

async function slices(ends: Ends, { relation }: Copied, by: string, onProgress?: Progress): Promise<number> {
  const bounds = await Promise.all([timesOf(ends.source, relation, by), timesOf(ends.target, relation, by)]);
  const known = bounds.flatMap((bound) => bound ?? []);
  if (known.length === 0) return 0;
  const firstMs = Math.min(...known);
  const lastMs = Math.max(...known) + 1;
  let copied = 0;
  for (let ms = firstMs; ms < lastMs; ms += MONTH_MS) {
    const window = { from: new Date(ms), to: new Date(Math.min(lastMs, ms + MONTH_MS)) };
    const [mine, theirs] = await Promise.all([
      fingerprintsByDay(ends.source, relation, by, window),
      fingerprintsByDay(ends.target, relation, by, window),
    ]);
    for (const run of differingRuns(mine, theirs)) {
      for (let at = run.from.getTime(); at < run.to.getTime(); at += STRETCH_MS) {
        const stretch = { from: new Date(at), to: new Date(Math.min(run.to.getTime(), at + STRETCH_MS)) };
        copied += await copyStretch(ends, relation, by, stretch);
      }
    }
    onProgress?.(relation, window.to.getTime() - firstMs, lastMs - firstMs);
  }
  return copied;
}

/** Start of the first and end of the last UTC day that a relation has rows of, in Unix ms; null where it has none. */
async function timesOf(client: PoolClient, relation: string, by: string): Promise<[number, number] | null> {
  const { rows } = await client.query(
    `SELECT date_trunc('day', min(${by}), 'UTC') AS first, date_trunc('day', max(${by}), 'UTC') + interval '24 hours' AS last FROM ${relation}`,
  );
  const [{ first, last }] = rows;
  return first === null ? null : [first.getTime(), last.getTime() - 1];
}

/** Count of every copied relation's rows and the sum over them, on both ends. */
export async function compareEnds({
  source,
  target,
}: Ends): Promise<{ relation: string; rows: number; equal: boolean }[]> {
  const results = [];
  for (const { relation } of COPIED) {
    const [mine, theirs] = await Promise.all([fingerprintOf(source, relation), fingerprintOf(target, relation)]);
    results.push({ relation, rows: Number(mine.split(' ')[0]), equal: mine === theirs });
  }
  return results;
}
