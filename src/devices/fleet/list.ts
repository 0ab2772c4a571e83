import { type RawBuilder, sql } from 'kysely';
import { createUnprocessableError } from '#src/core/errors.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { hasUnknownChannelNameSql } from '#src/database/meter.ts';
import { type AccessibleAccounts, accessibleAccountsSql, isAccountAccessibleSql } from '#src/database/reach.ts';
import {
  ATTENTION_COLUMN,
  ATTENTION_CONDITIONS,
  type AttentionKind,
  type Device,
  LAST_SEEN_AT_SQL,
  STATUS_COLUMN,
  STATUS_CONDITIONS,
} from '../store.ts';
import { MIN_SILENCE_MS } from './record-silences.ts';
import { encodeFleetListPosition, type FleetListPosition, type FleetSortOrder } from './sort.ts';

/** Family of devices that log in themselves and send the service's own message format. */
const NATIVE = 'native';

/** A device in a list that covers many accounts. */
export interface FleetDevice extends Device {
  user_id: string;
  email: string;
  /** Device family of the device's message format. `native`: the service's own format. */
  family: string;
  /** Gateway through which the messages of the device arrive. Null if the device logs in itself. */
  gateway_id: string | null;
  /** Time since which the device has been silent, if this is at least an hour ago; otherwise null. */
  silent_since: Date | null;
  created_at: Date;
  /** Position of the device in the list, from which the next page continues. */
  place: string;
}

interface FleetFilters {
  userId?: string | undefined;
  status?: Device['status'] | undefined;
  placement?: Placement | undefined;
  family?: string | undefined;
  attention?: AttentionKind | undefined;
  silentForHours?: number | undefined;
  text?: string | undefined;
}

/** SQL subquery: whether the messages of a device arrive through a gateway. */
const THROUGH_GATEWAY = sql`SELECT FROM discovered_devices x WHERE x.device_id = devices.device_id`;
/**
 * SQL condition: a recorded silence of a device still lasts. Compares with the time of the device's last reading, because this reading may
 * be later than the last check for silences.
 */
const IS_STILL_SILENT = sql<boolean>`coalesce(
  (SELECT seen_at FROM device_heads h WHERE h.device_id = devices.device_id), devices.created_at) <= silent.began_at`;
const asText = (time: RawBuilder<unknown>) =>
  sql<string>`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

function conditionsOf({ userId, status, placement, family, attention }: FleetFilters): RawBuilder<boolean>[] {
  const conditions: RawBuilder<boolean>[] = [];
  if (userId !== undefined) conditions.push(sql`devices.user_id = ${userId}`);
  if (status !== undefined) conditions.push(STATUS_CONDITIONS[status]);
  if (placement !== undefined) conditions.push(sql`devices.placement = ${placement}`);
  if (family === NATIVE) conditions.push(sql`NOT EXISTS (${THROUGH_GATEWAY})`);
  else if (family !== undefined) conditions.push(sql`EXISTS (${THROUGH_GATEWAY} AND x.family = ${family})`);
  if (attention !== undefined) conditions.push(ATTENTION_CONDITIONS[attention]);
  // Few devices have an unknown quantity. Without this condition, the planner would check all devices.
  if (attention === 'unknown_quantity')
    conditions.push(
      sql`devices.device_id = ANY (ARRAY(SELECT s.device_id FROM series s WHERE ${hasUnknownChannelNameSql}))`,
    );
  return conditions;
}

/**
 * A utility with at most this number of accounts is small: its devices are found by account, because a scan of all devices would be slow.
 */
const MAX_ACCOUNTS = 1_000;

/**
 * Returns the SQL condition that the caller can access a device. For a small utility, it lists the accounts, so that an index is used.
 * Otherwise all devices are scanned in order.
 */
async function devicesWithin(db: Database, reach: AccessibleAccounts): Promise<RawBuilder<boolean>> {
  if (!('enrolledBy' in reach)) return isAccountAccessibleSql(reach, 'devices.user_id');
  // Raw SQL: the list of accounts is returned only if it is short.
  const { rows } = await sql<{ accounts: string[] | null }>`
    SELECT CASE WHEN count(*) <= ${MAX_ACCOUNTS} THEN array_agg(user_id) END AS accounts
    FROM (SELECT users.user_id FROM users WHERE ${accessibleAccountsSql(reach)} LIMIT ${MAX_ACCOUNTS + 1}) a`.execute(
    db,
  );
  const accounts = rows[0]?.accounts;
  // The planner treats this condition like a join, so that it can estimate the number of rows.
  if (!accounts)
    return sql`EXISTS (SELECT FROM users WHERE users.user_id = devices.user_id AND ${accessibleAccountsSql(reach)})`;
  return sql<boolean>`devices.user_id = ANY (${accounts}::text[])`;
}

/** SQL expressions for the sort key of each order. */
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

/** A section of the list of devices that one index returns in order: all devices, silent ones, or reporting ones. */
interface Part {
  by: keyof typeof KEYS;
  of: 'all' | 'silent' | 'heard';
  isDown: boolean;
}

/**
 * Returns the sections of the list for a sort order. Only silent devices are sorted by their last reading. An index on it for all devices
 * would be too expensive, because it changes with each reading.
 */
function partsOf(sort: FleetSortOrder, onlySilent: boolean): Part[] {
  const isDown = sort.startsWith('-');
  const name = sort.replace('-', '') as 'created_at' | 'location' | 'last_seen_at';
  if (name !== 'last_seen_at') return [{ by: name, of: onlySilent ? 'silent' : 'all', isDown }];
  const silent: Part = { by: 'silence', of: 'silent', isDown };
  if (onlySilent) return [silent];
  const reporting: Part = { by: 'id', of: 'heard', isDown };
  return isDown ? [reporting, silent] : [silent, reporting];
}

/**
 * Lists at most `limit` devices that the caller can access and that match all filters, in a sort order, after the position `after`. No
 * device is repeated or missing if other devices change between two pages. `withEmails`: whether the search text is also compared with
 * e-mail addresses.
 */
export async function listFleet(
  db: Database,
  reach: AccessibleAccounts,
  filters: FleetFilters,
  page: { limit: number; sort: FleetSortOrder; after: FleetListPosition | null; now: Date; withEmails: boolean },
): Promise<FleetDevice[]> {
  const { sort, after, limit, now } = page;
  const conditions = [await devicesWithin(db, reach), ...conditionsOf(filters)];
  if (filters.text !== undefined) conditions.push(await meantBy(db, reach, filters.text, page));
  const { silentForHours } = filters;
  const silentBefore = silentForHours === undefined ? null : new Date(now.getTime() - silentForHours * HOUR_MS);
  const parts = partsOf(sort, silentBefore !== null);
  const isAmong = (part: Part) => after === null || after.isSilent === (part.of === 'silent');
  // In a list of only silent devices, a position among reporting devices is invalid.
  const begunAt = parts.findIndex(isAmong);
  if (begunAt === -1)
    throw createUnprocessableError({
      field: 'cursor',
      message: 'must come from a Link of this list with the same filters',
    });
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

/** Lists the devices of one section of the list that come after the position `from`. */
async function partOfFleet(
  db: Database,
  asked: {
    conditions: readonly RawBuilder<boolean>[];
    silentBefore: Date | null;
    part: Part;
    from: FleetListPosition | null;
    sort: FleetSortOrder;
    limit: number;
    now: Date;
  },
): Promise<FleetDevice[]> {
  const { silentBefore, part, from, sort, limit, now } = asked;
  const { key, text, type } = KEYS[part.by];
  // The device id and the sort key come from the same table, so that one index contains both.
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
  // Raw SQL: the joined tables and the sort key vary. The inner query selects the devices of the page; the outer query adds their other
  // columns.
  const { rows } = await sql<Omit<FleetDevice, 'place' | 'silent_since'> & { key: string }>`
    WITH page AS MATERIALIZED (
      SELECT devices.device_id, ${key} AS sorted, ${text} AS key FROM devices ${part.of === 'silent' ? open : sql``}
      WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY ${order} ${id} ${direction} LIMIT ${limit})
    SELECT devices.device_id, devices.type, devices.location, ${STATUS_COLUMN}, devices.placement, devices.upstream_device_id,
      devices.user_id, devices.created_at, users.email, ${LAST_SEEN_AT_SQL}, ${ATTENTION_COLUMN}, page.key,
      coalesce((SELECT x.family FROM discovered_devices x WHERE x.device_id = devices.device_id LIMIT 1), ${NATIVE}) AS family,
      (SELECT x.gateway_id FROM discovered_devices x WHERE x.device_id = devices.device_id LIMIT 1) AS gateway_id
    FROM page JOIN devices USING (device_id) JOIN users ON users.user_id = devices.user_id
    ORDER BY page.sorted ${direction}, page.device_id ${direction}`.execute(db);
  return rows.map(({ key, ...row }) => {
    const heardAt = row.last_seen_at ?? row.created_at;
    const isSilent = now.getTime() - heardAt.getTime() >= MIN_SILENCE_MS;
    const place = encodeFleetListPosition({ sort, isSilent: part.of === 'silent', key, deviceId: row.device_id });
    return { ...row, silent_since: isSilent ? heardAt : null, place };
  });
}

/** Maximum number of accounts whose e-mail address matches the search text. If there are more, the addresses are compared row by row. */
const MAX_MATCHING_ACCOUNTS = 200;

/** A character that is later in the sort order than every character of an id. */
const LAST = '\u{10FFFF}';

/** Characters that separate the words of a location. The index `devices_location_words` uses the same characters. */
const BETWEEN_WORDS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const BETWEEN = new RegExp(`[\\s${BETWEEN_WORDS.replace(/[\\\]^-]/g, '\\$&')}]+`, 'u');
/** SQL expression of the index `devices_location_words`. PostgreSQL uses the index only if the expression is identical. */
const WORDS = sql.raw(
  `to_tsvector('simple', translate(devices.location, '${BETWEEN_WORDS.replaceAll("'", "''")}', repeat(' ', 32)))`,
);

/** Converts a search text into a full-text query, in which each word is the beginning of a word. Null if the text contains no word. */
function wordsQuery(text: string): string | null {
  const words = text.split(BETWEEN).filter((word) => word !== '');
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

/**
 * Returns the SQL condition that a device matches a search text, ignoring case: words of its location begin with the words of the text, or
 * its id begins with the text. With `withEmails`, its owner's e-mail address is compared, too. Every comparison uses an index.
 */
async function meantBy(
  db: Database,
  reach: AccessibleAccounts,
  text: string,
  { withEmails }: { withEmails: boolean },
): Promise<RawBuilder<boolean>> {
  const query = wordsQuery(text);
  // A comparison with two bounds can use an index, "starts with" cannot.
  const id = text.toLowerCase();
  const conditions = [sql<boolean>`devices.device_id >= ${id} AND devices.device_id < ${id + LAST}`];
  if (query !== null) conditions.push(sql<boolean>`${WORDS} @@ to_tsquery('simple', ${query})`);
  // The operator ^@ means "starts with" and has no wildcards.
  const emailBegins = sql<boolean>`(lower(users.email) COLLATE "C") ^@ lower(${text})`;
  if (withEmails) {
    const accounts = await db
      .selectFrom('users')
      .select('user_id')
      .where(accessibleAccountsSql(reach))
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
