import type { Database } from '#src/database/connect.ts';
import { queryOf } from '#src/database/connect.ts';
import { keysOf } from './keys.ts';
import type { Exported } from './relations.ts';

const PAGE_ROWS = 500;

/** The rows of a person in one relation as a JSON array, some rows at a time: nothing is held between two pages. */
export async function* jsonOf(db: Database, userId: string, exported: Exported): AsyncGenerator<string> {
  let before = '[\n';
  for await (const keys of keysOf(db, userId, exported.by.of)) {
    for await (const rows of pagesOf(db, exported, keys)) {
      yield before + rows.join(',\n');
      before = ',\n';
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/**
 * Rows of some keys, in order of their own, page by page, as JSON texts. The database makes them: numbers are shown with all their digits,
 * which JavaScript has no room for, and times with all of theirs, so that a page begins after the row that the last one ended with.
 */
async function* pagesOf(db: Database, exported: Exported, keys: readonly string[]): AsyncGenerator<string[]> {
  const { relation, by, key, columns, expressions = {}, pageRows = PAGE_ROWS } = exported;
  // Raw SQL: relations and columns are those of a declaration.
  const order = Object.keys(key).map((name) => `r.${name}`);
  const shown = columns.map((name) => `${expressions[name] ?? `r.${name}`} AS ${name}`).join(', ');
  const after = Object.values(key).map((type, index) => `$${index + 2}::text::${type}`);
  const pageKey = `ARRAY[${order.map((name) => `${name}::text`).join(', ')}]`;
  const from = `SELECT (SELECT row_to_json(shown) FROM (SELECT ${shown}) shown)::text AS row, ${pageKey} AS page_key FROM ${relation} r`;
  const end = `ORDER BY ${order.join(', ')} LIMIT ${pageRows}`;
  for (let last: string[] = []; ; ) {
    const further = last.length > 0 ? `AND (${order.join(', ')}) > (${after.join(', ')})` : '';
    const text = `${from} WHERE r.${by.column} = ANY ($1::text[]) ${further} ${end}`;
    const { rows } = await queryOf(db)<{ row: string; page_key: string[] }>(text, [keys, ...last]);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < pageRows) return;
    last = rows.at(-1)?.page_key ?? [];
  }
}
