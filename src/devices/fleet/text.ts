import { type RawBuilder, sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { accountsWithin, type Reach } from '#src/database/reach.ts';

/** With more accounts than these the e-mail is looked at row by row: so many match that a page is full soon. */
const MOST_ACCOUNTS = 200;

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
export async function meantBy(
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
      .limit(MOST_ACCOUNTS + 1)
      .execute();
    const ids = accounts.map(({ user_id }) => user_id);
    if (ids.length > MOST_ACCOUNTS)
      conditions.push(sql`EXISTS (SELECT FROM users WHERE users.user_id = devices.user_id AND ${emailBegins})`);
    else if (ids.length > 0) conditions.push(sql<boolean>`devices.user_id = ANY (${ids}::text[])`);
  }
  return sql<boolean>`(${sql.join(conditions, sql` OR `)})`;
}
