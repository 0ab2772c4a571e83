import { z } from 'zod';

/**
 * Layout of a backup target, which is a folder: TARGET/INSTALLATION/base-TIME/{backup.json, base.tar.zst} for each copy, and
 * TARGET/INSTALLATION/wal/SEGMENT.tar.zst if WAL is archived. The name of an encrypted file ends in `.sealed`.
 */
export const MANIFEST_FILE = 'backup.json';
export const BASE_BACKUP_FILE = 'base.tar.zst';
export const ENCRYPTED_SUFFIX = '.sealed';
export const WAL_FOLDER = 'wal';
const FORMAT = 1;

/** Description of a base copy, in `backup.json`. Times are ISO 8601. */
const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** Version of the service that made the copy, and the newest migration of its database schema. */
  service: z.string(),
  schema: z.string(),
  postgres_major: z.number().int(),
  processor: z.string(),
  installation: z.string(),
  started_at: z.iso.datetime(),
  /** The copy contains every transaction that was committed before this time. */
  complete_until: z.iso.datetime(),
  /** Earliest time to which the copy can be restored if archived WAL follows the copy. */
  consistent_from: z.iso.datetime(),
  /** First and last WAL segment that the copy needs and contains. */
  first_segment: z.string().regex(/^[0-9A-F]{24}$/),
  last_segment: z.string().regex(/^[0-9A-F]{24}$/),
  /** Size in bytes of the files in the copy before compression. */
  bytes: z.number().int(),
  is_sealed: z.boolean(),
  has_secret_key: z.boolean(),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

export const createManifest = (facts: Omit<BackupManifest, 'format'>): BackupManifest => ({ format: FORMAT, ...facts });

/** Reads a manifest. Throws an error with the remedy if the text is not a manifest or belongs to a newer version. */
export function parseManifest(text: string, file: string): BackupManifest {
  let parsedManifest: unknown;
  try {
    parsedManifest = JSON.parse(text);
  } catch {
    parsedManifest = null;
  }
  const parsed = manifestSchema.safeParse(parsedManifest);
  if (parsed.success) return parsed.data;
  const { format, service } = (parsedManifest ?? {}) as { format?: unknown; service?: unknown };
  if (typeof format === 'number' && format > FORMAT)
    throw new Error(
      `${file} was made by a newer version (${String(service)}). Restore it with that version or a later one.`,
    );
  throw new Error(`${file} is torn or was changed. Use another copy.`);
}

/** Properties of this machine and this version that determine whether a copy can be restored. */
interface RestoreEnvironment {
  service: string;
  /** Schema migrations that this version of the service contains. */
  schemas: readonly string[];
  postgresMajor: number;
  processor: string;
}

/** Returns the reason why a copy cannot be restored on this machine, with the remedy. Null if it can be restored. */
export function explainRestoreRefusal(copy: BackupManifest, here: RestoreEnvironment): string | null {
  if (!here.schemas.includes(copy.schema))
    return `The copy was made by version ${copy.service}, which is newer than this one (${here.service}). Restore it with that version or a later one.`;
  if (copy.postgres_major > here.postgresMajor)
    return `The copy was made by PostgreSQL ${copy.postgres_major}, and this version contains ${here.postgresMajor}. Restore it with version ${copy.service} or a later one.`;
  if (copy.postgres_major < here.postgresMajor)
    return `The copy was made by PostgreSQL ${copy.postgres_major}, and this version contains ${here.postgresMajor}. Restore it with version ${copy.service}, then update and run "energy upgrade-database".`;
  if (copy.processor !== here.processor)
    return `The copy was made on a machine with another processor (${copy.processor}; this one is ${here.processor}). Restore it on such a machine, then move it: energy migrate --to.`;
  return null;
}

/** A base copy that was found in a target. `folder`: path of the copy. */
export interface BackupCopyInTarget {
  folder: string;
  manifest: BackupManifest;
}

/**
 * Chooses the copy from which a state is restored: the newest copy that was complete at `at` or, by default, the newest copy.
 * Throws, with the earliest possible time, if there is none.
 */
export function chooseBackupCopy(
  copies: readonly BackupCopyInTarget[],
  at: Date | null,
  from: string,
): BackupCopyInTarget {
  const byTime = copies.toSorted((a, b) => (a.manifest.consistent_from < b.manifest.consistent_from ? -1 : 1));
  const [earliest] = byTime;
  if (!earliest) throw new Error(`There is no copy in ${from}.`);
  // Without WAL, a copy can be restored only to the state at its end. The copy is chosen even if `at` is between its `complete_until` and
  // `consistent_from`.
  const chosen = byTime.findLast(({ manifest }) => at === null || new Date(manifest.complete_until) <= at);
  if (!chosen)
    throw new Error(
      `The earliest state in ${from} is of ${earliest.manifest.consistent_from}. Choose that time or a later one (--at).`,
    );
  return chosen;
}

/** Number of WAL segments of 16 MiB in 4 GiB. The middle part of a segment's name counts units of 4 GiB. */
const SEGMENTS_IN_LOG = 256;

/** Returns the name of the following WAL segment on the same timeline. */
export function getNextWalSegment(name: string): string {
  const number = (from: number) => Number.parseInt(name.slice(from, from + 8), 16);
  const next = number(8) * SEGMENTS_IN_LOG + number(16) + 1;
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
  return `${name.slice(0, 8)}${hex(Math.floor(next / SEGMENTS_IN_LOG))}${hex(next % SEGMENTS_IN_LOG)}`;
}

/** Returns the names of the segments from `first` to `last`, both included. */
export function listWalSegmentsBetween(first: string, last: string): string[] {
  const names = [first];
  while ((names.at(-1) as string) < last) names.push(getNextWalSegment(names.at(-1) as string));
  return names;
}

/** Returns the archived WAL segments that follow the copy's last segment (`last`) without a gap. */
export function listWalSegmentsAfter(last: string, archived: ReadonlySet<string>): string[] {
  const names: string[] = [];
  for (let name = getNextWalSegment(last); archived.has(name); name = getNextWalSegment(name)) names.push(name);
  return names;
}

/**
 * Returns the expired backups: all base copies except the newest `kept`, and the archived WAL segments that only expired copies
 * need.
 */
export function listExpiredBackups(
  copies: readonly BackupCopyInTarget[],
  archived: readonly string[],
  kept: number,
): { folders: string[]; segments: string[] } {
  const byAge = copies.toSorted((a, b) => (a.manifest.consistent_from < b.manifest.consistent_from ? 1 : -1));
  const needed = byAge.slice(0, kept).map(({ manifest }) => manifest.last_segment);
  const oldest = needed.toSorted()[0];
  return {
    folders: byAge.slice(kept).map(({ folder }) => folder),
    // Each copy contains its own segments, so archived segments are needed only after the last segment of the oldest copy.
    segments: oldest === undefined ? [] : archived.filter((name) => name <= oldest),
  };
}

/** Whether the newest copy and the archived WAL together contain every state since that copy. */
export function hasCompleteWalSinceCopy(copies: readonly BackupCopyInTarget[], archived: ReadonlySet<string>): boolean {
  const last = copies
    .map(({ manifest }) => manifest.last_segment)
    .toSorted()
    .at(-1);
  if (last === undefined) return false;
  const later = [...archived].filter((name) => name > last).length;
  return listWalSegmentsAfter(last, archived).length === later;
}
