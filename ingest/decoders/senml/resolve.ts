import type { DeviceMessage } from '../family.ts';
import { asObject, type Json, member } from '../read/payload.ts';

/** Newest version that is understood; the default of packs that do not say theirs. */
const VERSION = 10;
/** A base name is before each name: a long one before many would be work without end. */
const MAX_NAME_CHARACTERS = 200;
/** Times below this are relative to now, in seconds. */
const ABSOLUTE_FROM_SECONDS = 2 ** 28;

/** When a pack came; of one that a broker replays nobody knows what its now was. */
type Receipt = Pick<DeviceMessage, 'receivedAtMs' | 'replayed'>;

/** Unix ms of a record's time (RFC 8428, section 4.5.3); null: as old as its receipt. */
function timeOf(seconds: number, { receivedAtMs, replayed = false }: Receipt): number | null {
  if (seconds >= ABSOLUTE_FROM_SECONDS) return seconds * 1_000;
  return seconds === 0 || replayed ? null : receivedAtMs + seconds * 1_000;
}

/** A record with its base fields applied. */
export interface Resolved {
  base: string;
  /** Its own part of the name; the whole name is `base + name`. */
  name: string;
  unit: string | null;
  /** The number; null: it has text, a boolean, data, or only a sum. */
  value: number | null;
  /** The integral over time, in the unit times seconds. */
  sum: number | null;
  text: string | null;
  /** Unix ms; null: now. Not yet checked. */
  atMs: number | null;
}

interface Base {
  bn: string;
  bu: string | null;
  bt: number;
  bv: number;
  bs: number;
}

/** Why a whole pack cannot be read; null where it can. */
export function refusePack(pack: readonly unknown[]): string | null {
  for (const one of pack) {
    const record = asObject(one);
    if (!record) continue;
    const unknown = Object.keys(record).find((label) => label.endsWith('_'));
    if (unknown !== undefined) return `the pack has the label ${unknown.slice(0, 40)}, which must be understood`;
    const version = member(record, 'bver');
    if (version === undefined) continue;
    if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return 'bver is not a version';
    if (version > VERSION) return `the pack has version ${version}, which is above ${VERSION}`;
  }
  return null;
}

/**
 * Resolves the records of a pack (RFC 8428, section 4.6): base fields hold from their record on. A bad record is refused by
 * itself; a bad base field refuses the records from there on, because nobody knows what they are.
 */
export function resolve(pack: readonly unknown[], receipt: Receipt): { records: Resolved[]; refused: string[] } {
  const base: Base = { bn: '', bu: null, bt: 0, bv: 0, bs: 0 };
  const records: Resolved[] = [];
  const refused: string[] = [];
  for (const [index, one] of pack.entries()) {
    const record = asObject(one);
    if (!record) {
      refused.push(`record ${index} is not an object`);
      continue;
    }
    const bad = rebase(base, record);
    if (bad !== null) {
      refused.push(`${bad} of record ${index} cannot be used, so nothing from there on can`);
      break;
    }
    const wrong = wrongField(record);
    if (wrong !== null) refused.push(`${wrong} of record ${index} cannot be used`);
    else records.push(withBase(base, record, receipt));
  }
  return { records, refused };
}

/** Takes over a record's base fields; the name of one that is of a wrong type or too long. */
function rebase(base: Base, record: Json): string | null {
  for (const key of ['bn', 'bu'] as const) {
    const value = member(record, key);
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS) return key;
    base[key] = value;
  }
  for (const key of ['bt', 'bv', 'bs'] as const) {
    const value = member(record, key);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isFinite(value)) return key;
    base[key] = value;
  }
  return null;
}

/** A record's field that is of a wrong type or too long; null is no reading. Numbers are JSON numbers here, never texts. */
function wrongField(record: Json): string | null {
  for (const key of ['n', 'u'] as const) {
    const value = member(record, key);
    if (value !== undefined && (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS)) return key;
  }
  for (const key of ['v', 's', 't'] as const) {
    const value = member(record, key);
    if (value === undefined || (value === null && key !== 't')) continue;
    if (typeof value !== 'number' || !Number.isFinite(value)) return key;
  }
  return null;
}

function withBase(base: Base, record: Json, receipt: Receipt): Resolved {
  const number = (key: string) => {
    const value = member(record, key);
    return typeof value === 'number' ? value : null;
  };
  const value = number('v');
  const sum = number('s');
  const isBaseAlone = member(record, 's') === undefined && member(record, 'bs') !== undefined;
  const seconds = base.bt + (number('t') ?? 0);
  const text = member(record, 'vs');
  return {
    base: base.bn,
    name: String(member(record, 'n') ?? ''),
    unit: (member(record, 'u') as string | undefined) ?? base.bu,
    value: value === null ? null : base.bv + value,
    // A base sum with no sum beside it is the sum of the record that brings it; after it, sums are the records' own. A sum that is null is none.
    sum: sum !== null ? base.bs + sum : isBaseAlone ? base.bs : null,
    text: typeof text === 'string' ? text : null,
    atMs: timeOf(seconds, receipt),
  };
}
