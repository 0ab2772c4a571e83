import type { PoolClient } from '../connect.ts';
import { transactionOn } from '../transaction.ts';
import { copyStretch, copyWhole, differingRuns, fingerprintOf, fingerprintsByDay } from './copy-rows.ts';
import type { Copied } from './relations.ts';

const MONTH_MS = 31 * 86_400_000;
/** Most days copied in one transaction. */
const STRETCH_MS = 7 * 86_400_000;

export interface Ends {
  source: PoolClient;
  target: PoolClient;
}

/** Where a pass is: a relation, and how much of its time has been gone through. */
export type Progress = (relation: string, done: number, total: number) => void;

/** What a pass did with a relation. */
export interface Synchronised {
  relation: string;
  /** Rows that the source had. */
  rows: number;
  /** Rows of it that were copied. */
  copied: number;
  /** Of what is copied by time: the first day that differed. */
  since?: Date;
}

/**
 * Makes the target equal to the source, relation by relation of those named, copying only what differs: a pass that was broken off is
 * taken up where it was, and a second pass costs no more than comparing. `held`: the source's connection is amid a
 * transaction that holds all writers; without it relations that refer to each other are read at one moment, since a row
 * that came between two of them would refer to one that was not there. Where it throws, both connections are to be closed.
 */
export async function synchronise(
  ends: Ends,
  relations: readonly Copied[],
  { held, onProgress }: { held: boolean; onProgress?: Progress },
): Promise<Synchronised[]> {
  const results: Synchronised[] = [];
  const done = (result: Synchronised) => {
    results.push(result);
    onProgress?.(result.relation, 1, 1);
  };
  const copyWholes = async () => {
    for (const { relation, by } of relations) if (by === undefined) done(await wholeRelation(ends, relation));
  };
  if (held) await copyWholes();
  else await transactionOn(ends.source, copyWholes, { mode: 'ISOLATION LEVEL REPEATABLE READ READ ONLY' });
  // What is in slices refers to nothing, and takes hours: no snapshot is held for it.
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

async function wholeRelation({ source, target }: Ends, relation: string): Promise<Synchronised> {
  const [mine, theirs] = await Promise.all([fingerprintOf(source, relation), fingerprintOf(target, relation)]);
  if (mine === theirs) return { relation, rows: countOf(mine), copied: 0 };
  const copied = await copyWhole({ source, target }, relation);
  return { relation, rows: copied, copied };
}

async function slices(ends: Ends, one: Copied, by: string, onProgress?: Progress): Promise<Synchronised> {
  const { relation } = one;
  const seen = one.part?.view ?? relation;
  const result: Synchronised = { relation, rows: 0, copied: 0 };
  const bounds = await Promise.all([timesOf(ends.source, seen, by), timesOf(ends.target, seen, by)]);
  const known = bounds.flatMap((bound) => bound ?? []);
  if (known.length === 0) return result;
  const firstMs = Math.min(...known);
  const lastMs = Math.max(...known) + 1;
  for (let ms = firstMs; ms < lastMs; ms += MONTH_MS) {
    const window = { from: new Date(ms), to: new Date(Math.min(lastMs, ms + MONTH_MS)) };
    const [mine, theirs] = await Promise.all([
      fingerprintsByDay(ends.source, { relation, seen }, by, window),
      fingerprintsByDay(ends.target, { relation, seen }, by, window),
    ]);
    for (const print of mine.values()) result.rows += countOf(print);
    for (const run of differingRuns(mine, theirs)) {
      result.since ??= run.from;
      for (let at = run.from.getTime(); at < run.to.getTime(); at += STRETCH_MS) {
        const stretch = { from: new Date(at), to: new Date(Math.min(run.to.getTime(), at + STRETCH_MS)) };
        result.copied += await copyStretch(ends, one, by, stretch);
      }
    }
    onProgress?.(relation, window.to.getTime() - firstMs, lastMs - firstMs);
  }
  return result;
}

/** Compares what a pass under lock has copied once more; what it has not was equal already. Throws where anything differs. */
export async function compareCopied(
  ends: Ends,
  done: readonly Synchronised[],
  seenOf: (relation: string) => string = (relation) => relation,
): Promise<void> {
  for (const { relation, copied, since } of done) {
    if (copied === 0 && since === undefined) continue;
    const seen = seenOf(relation);
    const prints = await Promise.all([ends.source, ends.target].map((end) => fingerprintOf(end, relation, seen)));
    mustBeEqual(relation, prints[0], prints[1]);
  }
}

/** Start of the first and end of the last UTC day that a relation has rows of, in Unix ms; null where it has none. */
async function timesOf(client: PoolClient, relation: string, by: string): Promise<[number, number] | null> {
  // Raw SQL: relations and columns are named at run time, out of the catalogue.
  const { rows } = await client.query(
    `SELECT date_trunc('day', min(${by}), 'UTC') AS first, date_trunc('day', max(${by}), 'UTC') + interval '24 hours' AS last FROM ${relation}`,
  );
  const [{ first, last }] = rows;
  return first === null ? null : [first.getTime(), last.getTime() - 1];
}
