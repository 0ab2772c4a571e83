import type { Pool, PoolClient } from '../connect.ts';
import { runInTransactionOnConnection } from '../transaction.ts';
import {
  computeFingerprint,
  computeFingerprintsByDay,
  copyTimeRange,
  copyWholeRelation,
  findDifferingDayRanges,
} from './copy-rows.ts';
import type { CopiedRelation } from './relations.ts';

const MONTH_MS = 31 * 86_400_000;
/** Maximum time range per transaction, in ms. */
const STRETCH_MS = 7 * 86_400_000;

export interface CopySourceAndTarget {
  source: PoolClient;
  target: PoolClient;
}

/** Runs a function with a separate connection to each installation, and closes both afterwards. */
export async function runWithSourceAndTarget<T>(
  pools: { source: Pool; target: Pool },
  run: (ends: CopySourceAndTarget) => Promise<T>,
): Promise<T> {
  const source = await pools.source.connect();
  try {
    const target = await pools.target.connect();
    try {
      return await run({ source, target });
    } finally {
      target.release(true);
    }
  } finally {
    source.release(true);
  }
}

/** Reports the progress of a copy: the relation, and the completed part of its time range. */
export type CopyProgressCallback = (relation: string, done: number, total: number) => void;

export interface SynchronisationResult {
  relation: string;
  rows: number;
  copied: number;
  /** Start of the first day with differences, for relations that are copied by time. */
  since?: Date;
}

/**
 * Copies differences from the source until the target's rows are equal. Can be repeated after an interruption. `held`: whether the caller's
 * transaction blocks all writers at the source; if not, relations that refer to each other are read in one snapshot. After an error, both
 * connections must be closed.
 */
export async function synchroniseRelations(
  ends: CopySourceAndTarget,
  relations: readonly CopiedRelation[],
  { held, onProgress }: { held: boolean; onProgress?: CopyProgressCallback },
): Promise<SynchronisationResult[]> {
  const results: SynchronisationResult[] = [];
  const done = (result: SynchronisationResult) => {
    results.push(result);
    onProgress?.(result.relation, 1, 1);
  };
  const copyWholes = async () => {
    for (const { relation, by } of relations) if (by === undefined) done(await wholeRelation(ends, relation));
  };
  if (held) await copyWholes();
  else
    await runInTransactionOnConnection(ends.source, copyWholes, { mode: 'ISOLATION LEVEL REPEATABLE READ READ ONLY' });
  // These relations take hours to copy and refer to no other relation, so they need no snapshot.
  for (const one of relations) if (one.by !== undefined) done(await slices(ends, one, one.by, onProgress));
  return results;
}

const countOf = (print: string): number => Number(print.split(' ')[0]);

function mustBeEqual(relation: string, mine: string | undefined, theirs: string | undefined): void {
  if (mine === theirs) return;
  throw new Error(
    `${relation} differs after copying: does something write to the new database? Run the command again.`,
  );
}

async function wholeRelation(
  { source, target }: CopySourceAndTarget,
  relation: string,
): Promise<SynchronisationResult> {
  const [mine, theirs] = await Promise.all([
    computeFingerprint(source, relation),
    computeFingerprint(target, relation),
  ]);
  if (mine === theirs) return { relation, rows: countOf(mine), copied: 0 };
  const copied = await copyWholeRelation({ source, target }, relation);
  return { relation, rows: copied, copied };
}

async function slices(
  ends: CopySourceAndTarget,
  one: CopiedRelation,
  by: string,
  onProgress?: CopyProgressCallback,
): Promise<SynchronisationResult> {
  const { relation } = one;
  const seen = one.part?.view ?? relation;
  const result: SynchronisationResult = { relation, rows: 0, copied: 0 };
  const bounds = await Promise.all([timesOf(ends.source, seen, by), timesOf(ends.target, seen, by)]);
  const known = bounds.flatMap((bound) => bound ?? []);
  if (known.length === 0) return result;
  const firstMs = Math.min(...known);
  const lastMs = Math.max(...known) + 1;
  for (let ms = firstMs; ms < lastMs; ms += MONTH_MS) {
    const window = { from: new Date(ms), to: new Date(Math.min(lastMs, ms + MONTH_MS)) };
    const [mine, theirs] = await Promise.all([
      computeFingerprintsByDay(ends.source, { relation, seen }, by, window),
      computeFingerprintsByDay(ends.target, { relation, seen }, by, window),
    ]);
    for (const print of mine.values()) result.rows += countOf(print);
    for (const run of findDifferingDayRanges(mine, theirs)) {
      result.since ??= run.from;
      for (let at = run.from.getTime(); at < run.to.getTime(); at += STRETCH_MS) {
        const stretch = { from: new Date(at), to: new Date(Math.min(run.to.getTime(), at + STRETCH_MS)) };
        result.copied += await copyTimeRange(ends, one, by, stretch);
      }
    }
    onProgress?.(relation, window.to.getTime() - firstMs, lastMs - firstMs);
  }
  return result;
}

/** Compares copied relations again while writers are blocked. Throws if one differs. */
export async function assertCopiedRelationsEqual(
  ends: CopySourceAndTarget,
  done: readonly SynchronisationResult[],
  seenOf: (relation: string) => string = (relation) => relation,
): Promise<void> {
  for (const { relation, copied, since } of done) {
    if (copied === 0 && since === undefined) continue;
    const seen = seenOf(relation);
    const prints = await Promise.all([ends.source, ends.target].map((end) => computeFingerprint(end, relation, seen)));
    mustBeEqual(relation, prints[0], prints[1]);
  }
}

/** Returns the bounds of the UTC days on which a relation has rows, in Unix ms. Null if it has no rows. */
async function timesOf(client: PoolClient, relation: string, by: string): Promise<[number, number] | null> {
  // Raw SQL: names of relations and columns are known only at run time.
  const { rows } = await client.query(
    `SELECT date_trunc('day', min(${by}), 'UTC') AS first, date_trunc('day', max(${by}), 'UTC') + interval '24 hours' AS last FROM ${relation}`,
  );
  const [{ first, last }] = rows;
  return first === null ? null : [first.getTime(), last.getTime() - 1];
}
