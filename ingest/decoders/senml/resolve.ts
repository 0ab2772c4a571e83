import type { DeviceMessage } from '../family.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';

/** Newest supported SenML version. It also applies to packs that state no version. */
const VERSION = 10;
/**
 * Maximum length of a name. The base name is part of the name of each record, so a long base name in a large pack would take too much time.
 */
const MAX_NAME_CHARACTERS = 200;
/** Times below this number of seconds are relative to the time of receipt (RFC 8428). */
const ABSOLUTE_FROM_SECONDS = 2 ** 28;

/** Receipt of a pack. In a pack that the broker has replayed, relative times have no meaning, because the time of sending is unknown. */
type Receipt = Pick<DeviceMessage, 'receivedAtMs' | 'replayed'>;

/** Converts a record's time to Unix ms (RFC 8428, section 4.5.3); returns null if the time of receipt applies. */
function timeOf(seconds: number, { receivedAtMs, replayed = false }: Receipt): number | null {
  if (seconds >= ABSOLUTE_FROM_SECONDS) return seconds * 1_000;
  return seconds === 0 || replayed ? null : receivedAtMs + seconds * 1_000;
}

/** A record with its base fields applied. */
export interface ResolvedSenmlRecord {
  /** Position of the record in its pack, from 0. */
  index: number;
  base: string;
  /** The record's name without the base name; the complete name is `base + name`. */
  name: string;
  unit: string | null;
  /** Numeric value; null if the record contains a text, a boolean, data, or only a sum. */
  value: number | null;
  /** Integral of the value over time. Its unit is the record's unit times seconds. */
  sum: number | null;
  text: string | null;
  /** Time in Unix ms, not yet checked for plausibility. Null means the time of receipt. */
  atMs: number | null;
}

/** A record that cannot be used, and the reason. */
interface RefusedRecord {
  index: number;
  reason: string;
}

interface Base {
  bn: string;
  bu: string | null;
  bt: number;
  bv: number;
  bs: number;
}

/** Returns the reason why a whole pack is unreadable; null if it is readable. */
export function explainUnreadablePack(pack: readonly unknown[]): string | null {
  for (const one of pack) {
    const record = asObjectOrNull(one);
    if (!record) continue;
    const unknown = Object.keys(record).find((label) => label.endsWith('_'));
    if (unknown !== undefined) return `the pack has the label ${unknown.slice(0, 40)}, which must be understood`;
    const version = getMember(record, 'bver');
    if (version === undefined) continue;
    if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return 'bver is not a version';
    if (version > VERSION) return `the pack has version ${version}, which is above ${VERSION}`;
  }
  return null;
}

/**
 * Resolves the records of a pack (RFC 8428, section 4.6). Base fields apply to their record and to all later ones. An invalid record is
 * refused alone. After an invalid base field, all records are refused, because their meaning is unknown.
 */
export function resolveSenmlPack(
  pack: readonly unknown[],
  receipt: Receipt,
): { records: ResolvedSenmlRecord[]; refused: RefusedRecord[] } {
  const base: Base = { bn: '', bu: null, bt: 0, bv: 0, bs: 0 };
  const records: ResolvedSenmlRecord[] = [];
  const refused: RefusedRecord[] = [];
  for (const [index, one] of pack.entries()) {
    const record = asObjectOrNull(one);
    if (!record) {
      refused.push({ index, reason: `record ${index} is not an object` });
      continue;
    }
    const bad = rebase(base, record);
    if (bad !== null) {
      refused.push({ index, reason: `${bad} of record ${index} cannot be used, so nothing from there on can` });
      break;
    }
    const wrong = wrongField(record);
    if (wrong !== null) refused.push({ index, reason: `${wrong} of record ${index} cannot be used` });
    else records.push({ index, ...withBase(base, record, receipt) });
  }
  return { records, refused };
}

/**
 * Stores the base fields of a record, which also apply to later records. Returns the name of a field with a wrong type or length; null if
 * all fields are valid.
 */
function rebase(base: Base, record: Json): string | null {
  for (const key of ['bn', 'bu'] as const) {
    const value = getMember(record, key);
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS) return key;
    base[key] = value;
  }
  for (const key of ['bt', 'bv', 'bs'] as const) {
    const value = getMember(record, key);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !Number.isFinite(value)) return key;
    base[key] = value;
  }
  return null;
}

/**
 * Returns the name of a record's field with a wrong type or length; null if all fields are valid. A null value is valid and means "no
 * reading". A number must be a JSON number, not a text.
 */
function wrongField(record: Json): string | null {
  for (const key of ['n', 'u'] as const) {
    const value = getMember(record, key);
    if (value !== undefined && (typeof value !== 'string' || value.length > MAX_NAME_CHARACTERS)) return key;
  }
  for (const key of ['v', 's', 't'] as const) {
    const value = getMember(record, key);
    if (value === undefined || (value === null && key !== 't')) continue;
    if (typeof value !== 'number' || !Number.isFinite(value)) return key;
  }
  return null;
}

function withBase(base: Base, record: Json, receipt: Receipt): Omit<ResolvedSenmlRecord, 'index'> {
  const number = (key: string) => {
    const value = getMember(record, key);
    return typeof value === 'number' ? value : null;
  };
  const value = number('v');
  const sum = number('s');
  const isBaseAlone = getMember(record, 's') === undefined && getMember(record, 'bs') !== undefined;
  const seconds = base.bt + (number('t') ?? 0);
  const text = getMember(record, 'vs');
  return {
    base: base.bn,
    name: String(getMember(record, 'n') ?? ''),
    unit: (getMember(record, 'u') as string | undefined) ?? base.bu,
    value: value === null ? null : base.bv + value,
    // If a record contains a base sum but no sum, the base sum is the record's sum. In later records, the base sum is added only if they
    // contain a sum. A sum of null means "no sum".
    sum: sum !== null ? base.bs + sum : isBaseAlone ? base.bs : null,
    text: typeof text === 'string' ? text : null,
    atMs: timeOf(seconds, receipt),
  };
}
