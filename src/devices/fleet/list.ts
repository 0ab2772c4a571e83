import { type RawBuilder, sql } from 'kysely';
import { unprocessable } from '#src/core/errors.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { hasUnknownName } from '#src/database/meter.ts';
import { accountsWithin, type Reach, within } from '#src/database/reach.ts';
import { ATTENTION, type Attention, type Device, LAST_SEEN_AT, WANTS } from '../store.ts';
import { type FleetSort, type Place, placeAsText } from './sort.ts';
import { SILENT_AFTER_MS } from './watch.ts';

/** Family of what logs in itself, and speaks the service's own format. */
const NATIVE = 'native';

/** A device among those of many accounts. */
export interface FleetDevice extends Device {
  user_id: string;
  email: string;
  /** Which messages it sends; `native`: those of the service itself. */
  family: string;
  /** The gateway that it comes through; null: it logs in itself. */
  gateway_id: string | null;
  /** When its silence of an hour or more began: last heard, or paired. Null: it is heard. */
  silent_since: Date | null;
  created_at: Date;
  /** Where the list goes on after it. */
  place: string;
}

interface FleetFilters {
  userId?: string | undefined;
  status?: Device['status'] | undefined;
  placement?: Placement | undefined;
  family?: string | undefined;
  attention?: Attention | undefined;
  silentForHours?: number | undefined;
  text?: string | undefined;
}

/** What comes through a gateway. */
const THROUGH_GATEWAY = sql`SELECT FROM discovered_devices x WHERE x.device_id = devices.device_id`;
/** The open silence of a device, unless it was heard since a worker looked. */
const IS_STILL_SILENT = sql<boolean>`coalesce(
  (SELECT seen_at FROM device_heads h WHERE h.device_id = devices.device_id), devices.created_at) <= silent.began_at`;
const asText = (time: RawBuilder<unknown>) =>
  sql<string>`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

function conditionsOf({ userId, status, placement, family, attention }: FleetFilters): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (userId !== undefined) conditions.push(sql`devices.user_id = ${userId}`);
  if (status !== undefined) conditions.push(sql`devices.status = ${status}`);
  if (placement !== undefined) conditions.push(sql`devices.placement = ${placement}`);
  if (family === NATIVE) conditions.push(sql`NOT EXISTS (${THROUGH_GATEWAY})`);
  else if (family !== undefined) conditions.push(sql`EXISTS (${THROUGH_GATEWAY} AND x.family = ${family})`);
  if (attention !== undefined) conditions.push(WANTS[attention]);
  // Few have one, and the planner, which does not know how few, would look at all devices.
  if (attention === 'unknown_quantity')
    conditions.push(sql`devices.device_id = ANY (ARRAY(SELECT s.device_id FROM series s WHERE ${hasUnknownName}))`);
  return conditions;
}

/** A utility with more accounts than these has so large a part of all devices that a walk through them finds a page of its own soon. */
const MOST_ACCOUNTS = 1_000;

/**
 * Condition that a device lies within the reach. Accounts of a small utility are named, so that its devices are found by them; a large
 * one's are looked up while all devices are walked in their order.
 */
async function devicesWithin(db: Database, reach: Reach): Promise<RawBuilder<boolean>> {
  if (!('enrolledBy' in reach)) return within(reach, 'devices.user_id');
  // Raw SQL: the accounts of a large one stay where they are.
  const { rows } = await sql<{ accounts: string[] | null }>`
    SELECT CASE WHEN count(*) <= ${MOST_ACCOUNTS} THEN array_agg(user_id) END AS accounts
    FROM (SELECT users.user_id FROM users WHERE ${accountsWithin(reach)} LIMIT ${MOST_ACCOUNTS + 1}) a`.execute(db);
  const accounts = rows[0]?.accounts;
  // A join, of which the planner knows how much it leaves: of `within`, which is none, it does not.
  if (!accounts)
    return sql`EXISTS (SELECT FROM users WHERE users.user_id = devices.user_id AND ${accountsWithin(reach)})`;
  return sql<boolean>`devices.user_id = ANY (${accounts}::text[])`;
}

/** What an order goes by: of the devices, or of the silences beside them. */
const KEYS = {
  created_at: { key: sql`devices.created_at`, text: asText(sql`devices.created_at`), type: sql`timestamptz` },
  location: {
    key: sql`lower(devices.location) COLLATE "C"`,
    text: sql<string>`lower(devices.location)`,
    type: sql`text`,
  },
  silence: { key: sql`silent.began_at`, text: asText(sql`silent.began_at`), type: sql`timestamptz` },
  id: { key: sql`devices.device_id`, text: sql<string>`''`, type: sql`text` },
} as const;

/** A part of the list that one index has in order: all devices, those that are silent, or those that are heard. */
interface Part {
  by: keyof typeof KEYS;
  of: 'all' | 'silent' | 'heard';
  isDown: boolean;
}

/**
 * The parts of an order, one after the other. When a device was last heard changes with each reading, and an index of that would cost
 * each of them more than all else that ingest does to the row: those that are silent are sorted by it, those that were heard within
 * the hour all count as heard now. Pure.
 */
function partsOf(sort: FleetSort, onlySilent: boolean): Part[] {
  const isDown = sort.startsWith('-');
  const name = sort.replace('-', '') as 'created_at' | 'location' | 'last_seen_at';
  if (name !== 'last_seen_at') return [{ by: name, of: onlySilent ? 'silent' : 'all', isDown }];
  const silent: Part = { by: 'silence', of: 'silent', isDown };
  if (onlySilent) return [silent];
  const heard: Part = { by: 'id', of: 'heard', isDown };
  return isDown ? [heard, silent] : [silent, heard];
}

/**
 * Devices within the reach that pass every filter, in an order, after `after`; at most `limit`. Pages go on from the key of the last row
 * and never count rows: what is paired, renamed or heard meanwhile neither repeats another device nor hides it. `withEmails`: whether
 * the text is looked for in owners' addresses.
 */
export async function listFleet(
  db: Database,
  reach: Reach,
  filters: FleetFilters,
  page: { limit: number; sort: FleetSort; after: Place | null; now: Date; withEmails: boolean },
): Promise<FleetDevice[]> {
  const { sort, after, limit, now } = page;
  const conditions = [await devicesWithin(db, reach), ...conditionsOf(filters)];
  if (filters.text !== undefined) conditions.push(await meantBy(db, reach, filters.text, page));
  const { silentForHours } = filters;
  const silentBefore = silentForHours === undefined ? null : new Date(now.getTime() - silentForHours * HOUR_MS);
  const parts = partsOf(sort, silentBefore !== null);
  const isAmong = (part: Part) => after === null || after.isSilent === (part.of === 'silent');
  // A place among those that are heard is none where only the silent are asked for.
  const begunAt = parts.findIndex(isAmong);
  if (begunAt === -1)
    throw unprocessable({ field: 'cursor', message: 'must be one of a Link of this list, with these filters' });
  const begun = parts.slice(begunAt);
  const rows: FleetDevice[] = [];
  for (const [index, part] of begun.entries()) {
    if (rows.length >= limit) break;
    const from = index === 0 ? after : null;
    rows.push(
      ...(await partOfFleet(db, {
        conditions,
        silentBefore,
        part,
        from,
        sort,
        limit: limit - rows.length,
        now,
      })),
    );
  }
  return rows;
}

/** One part, after `from`. */
async function partOfFleet(
  db: Database,
  asked: {
    conditions: readonly RawBuilder<boolean>[];
    silentBefore: Date | null;
    part: Part;
    from: Place | null;
    sort: FleetSort;
    limit: number;
    now: Date;
  },
): Promise<FleetDevice[]> {
  const { silentBefore, part, from, sort, limit, now } = asked;
  const { key, text, type } = KEYS[part.by];
  // Of the relation that the key is of: a page goes on where its index has both.
  const id = part.by === 'silence' ? sql`silent.device_id` : sql`devices.device_id`;
  const direction = sql.raw(part.isDown ? 'DESC' : 'ASC');
  const conditions = [
    sql`devices.deleted_at IS NULL`,
    ...asked.conditions,
    ...(part.of === 'silent' ? [IS_STILL_SILENT] : []),
    ...(part.of === 'heard'
      ? [
          sql`NOT EXISTS (SELECT FROM device_silences silent
      WHERE silent.device_id = devices.device_id AND silent.ended_at IS NULL AND ${IS_STILL_SILENT})`,
        ]
      : []),
    ...(silentBefore === null ? [] : [sql`silent.began_at <= ${silentBefore}`]),
    ...(from === null
      ? []
      : part.by === 'id'
        ? [sql`${id} ${sql.raw(part.isDown ? '<' : '>')} ${from.deviceId}`]
        : [sql`(${key}, ${id}) ${sql.raw(part.isDown ? '<' : '>')} (${from.key}::${type}, ${from.deviceId})`]),
  ];
  const open = sql`JOIN device_silences silent ON silent.device_id = devices.device_id AND silent.ended_at IS NULL`;
  const order = part.by === 'id' ? sql`` : sql`${key} ${direction},`;
  // Raw SQL: which relations are joined, and by what is sorted, is put together. First which devices, by as little as tells them, so that
  // the planner has few ways to go; then what is shown of those few.
  const { rows } = await sql<Omit<FleetDevice, 'place' | 'silent_since'> & { key: string }>`
    WITH page AS MATERIALIZED (
      SELECT devices.device_id, ${key} AS sorted, ${text} AS key FROM devices ${part.of === 'silent' ? open : sql``}
      WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY ${order} ${id} ${direction} LIMIT ${limit})
    SELECT devices.device_id, devices.type, devices.location, devices.status, devices.placement, devices.upstream_device_id,
      devices.user_id, devices.created_at, users.email, ${LAST_SEEN_AT}, ${ATTENTION}, page.key,
      coalesce((SELECT x.family FROM discovered_devices x WHERE x.device_id = devices.device_id LIMIT 1), ${NATIVE}) AS family,
      (SELECT x.gateway_id FROM discovered_devices x WHERE x.device_id = devices.device_id LIMIT 1) AS gateway_id
    FROM page JOIN devices USING (device_id) JOIN users ON users.user_id = devices.user_id
    ORDER BY page.sorted ${direction}, page.device_id ${direction}`.execute(db);
  return rows.map(({ key, ...row }) => {
    const heardAt = row.last_seen_at ?? row.created_at;
    const isSilent = now.getTime() - heardAt.getTime() >= SILENT_AFTER_MS;
    const place = placeAsText({ sort, isSilent: part.of === 'silent', key, deviceId: row.device_id });
    return { ...row, silent_since: isSilent ? heardAt : null, place };
  });
}

/** With more accounts than these the e-mail is looked at row by row: so many match that a page is full soon. */
const MAX_MATCHING_ACCOUNTS = 200;

/** After every character that an identifier has. */
const LAST = '\u{10FFFF}';

/** Stands between words of a location; the same characters as in the index `devices_location_words`. */
const BETWEEN_WORDS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const BETWEEN = new RegExp(`[\\s${BETWEEN_WORDS.replace(/[\\\]^-]/g, '\\$&')}]+`, 'u');
/** As in the index, word for word: else it would not be used. */
const WORDS = sql.raw(
  `to_tsvector('simple', translate(devices.location, '${BETWEEN_WORDS.replaceAll("'", "''")}', repeat(' ', 32)))`,
);

/** What a person typed as a query for words that begin so, all of them; null where there is no word in it. Pure. */
function wordsQuery(text: string): string | null {
  const words = text.split(BETWEEN).filter((word) => word !== '');
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

/**
 * Condition that a device is meant by a text: words of its location begin with those of the text, or its id or (`withEmails`) the e-mail
 * address of its owner does with all of it; in any case. Each has an index; what stands within a word is not found, which would need one
 * that not every PostgreSQL has.
 */
async function meantBy(
  db: Database,
  reach: Reach,
  text: string,
  { withEmails }: { withEmails: boolean },
): Promise<RawBuilder<boolean>> {
  const query = wordsQuery(text);
  // From here to there, as an index has it: of "starts with" every row that any of these conditions finds would be asked again.
  const id = text.toLowerCase();
  const conditions = [sql<boolean>`devices.device_id >= ${id} AND devices.device_id < ${id + LAST}`];
  if (query !== null) conditions.push(sql<boolean>`${WORDS} @@ to_tsquery('simple', ${query})`);
  // ^@ is "starts with": nothing that is typed is a wildcard.
  const emailBegins = sql<boolean>`(lower(users.email) COLLATE "C") ^@ lower(${text})`;
  if (withEmails) {
    const accounts = await db
      .selectFrom('users')
      .select('user_id')
      .where(accountsWithin(reach))
      .where(emailBegins)
      .limit(MAX_MATCHING_ACCOUNTS + 1)
      .execute();
    const ids = accounts.map(({ user_id }) => user_id);
    if (ids.length > MAX_MATCHING_ACCOUNTS)
      conditions.push(sql`EXISTS (SELECT FROM users WHERE users.user_id = devices.user_id AND ${emailBegins})`);
    else if (ids.length > 0) conditions.push(sql<boolean>`devices.user_id = ANY (${ids}::text[])`);
  }
  return sql<boolean>`(${sql.join(conditions, sql` OR `)})`;
}
