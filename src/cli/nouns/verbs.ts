import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { z } from 'zod';
import type { AnyOperation } from '#src/api/operation.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { linesForTerminal } from '#src/core/output.ts';
import type { Database } from '#src/database/connect.ts';
import { withDatabase } from '../beside.ts';
import { userNamed } from '../named-user.ts';
import { type Answered, type Asked, runAsOperator } from './as-operator.ts';
import { flagOf, linesOf, optionsOf, tableOf, valuesOf } from './members.ts';

/** A thing of the interface, as commands name it. */
export interface Noun {
  /** `device`. */
  name: string;
  /** The member that has its id, and the name of the argument: `device_id`; of users an e-mail address will do, too. */
  id: string;
  /** What a list shows of it on a terminal. */
  columns: readonly string[];
}

type Options = Record<string, string | boolean | undefined>;

/** `list`: page by page, or all of it. `ofUser`: of one user, who is named. */
export function addList(group: Command, noun: Noun, definition: AnyOperation, { ofUser }: { ofUser: boolean }): void {
  const command = group.command('list').description(plain(definition.summary));
  if (ofUser) command.requiredOption('--user <user>', 'whose: a user_id or an e-mail address');
  const query = definition.query as z.ZodObject;
  for (const { flag, description } of optionsOf(query.shape, ['user_id', 'limit', 'cursor']))
    command.option(`${flag} <value>`, description);
  command
    .option('--limit <n>', 'most rows, up to 200', '50')
    .option('--cursor <cursor>', 'where the page starts: named at the end of the page before')
    .option('--all', 'all pages, one after the other')
    .option('--json', 'print one JSON object a line')
    .action((options: Options) => list(noun, definition, options));
}

async function list(noun: Noun, definition: AnyOperation, options: Options): Promise<void> {
  const { user, all, json, ...typed } = options;
  await withDatabase(async (db, config) => {
    const userId = typeof user === 'string' ? await userNamed(db, user) : undefined;
    const hasUserId = 'user_id' in (definition.query as z.ZodObject).shape;
    const query: Record<string, string> = {
      ...members(typed),
      ...(userId !== undefined && hasUserId ? { user_id: userId } : {}),
    };
    if (all) query.limit = '200';
    let page: Answered = { answer: [], cursor: query.cursor ?? null };
    let isFirst = true;
    do {
      const asked: Asked = { query: { ...query, ...(page.cursor === null ? {} : { cursor: page.cursor }) } };
      if (userId !== undefined) asked.userId = userId;
      page = await runAsOperator(definition, asked, { db, config, what: noun.name });
      printRows(page.answer as Record<string, unknown>[], noun, { isJson: json === true, isFirst });
      isFirst = false;
    } while (all && page.cursor !== null);
    if (page.cursor !== null) console.error(`There are more: --cursor ${page.cursor}, or --all`);
  });
}

function printRows(
  rows: readonly Record<string, unknown>[],
  noun: Noun,
  { isJson, isFirst }: { isJson: boolean; isFirst: boolean },
): void {
  if (isJson) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
  if (rows.length === 0) {
    if (isFirst) console.log(`There are no ${noun.name}s.`);
    return;
  }
  console.log(tableOf(rows, noun.columns, process.stdout.isTTY ? process.stdout.columns : null));
}

/** `get`: one, with everything that is known of it. */
export function addGet(group: Command, noun: Noun, definition: AnyOperation): void {
  group
    .command(`get <${argumentOf(noun)}>`)
    .description(plain(definition.summary))
    .option('--json', 'print one JSON object')
    .action((name: string, { json }: Options) => one(noun, definition, name, { json }));
}

/** `update`: an option for each member that can be changed. */
export function addUpdate(group: Command, noun: Noun, definition: AnyOperation): void {
  const command = group.command(`update <${argumentOf(noun)}>`).description(plain(definition.summary));
  const body = definition.body as z.ZodObject;
  for (const { flag, description } of optionsOf(body.shape)) command.option(`${flag} <value>`, description);
  command.option('--json', 'print one JSON object').action(async (name: string, { json, ...typed }: Options) => {
    const texts = members(typed);
    if (Object.keys(texts).length === 0)
      throw new Error(`Nothing to change: give at least one of ${Object.keys(body.shape).map(flagOf).join(', ')}`);
    await one(noun, definition, name, { json, body: valuesOf(body, await withoutDash(texts)) });
  });
}

/** `create`: an option for each member, for the user that is named. */
export function addCreate(group: Command, noun: Noun, definition: AnyOperation): void {
  const command = group
    .command('create')
    .description(plain(definition.summary))
    .requiredOption('--user <user>', 'whose: a user_id or an e-mail address');
  const body = definition.body as z.ZodObject;
  for (const { flag, description } of optionsOf(body.shape, ['user_id']))
    command.option(`${flag} <value>`, description);
  command.option('--json', 'print one JSON object').action(({ json, user, ...typed }: Options) =>
    withDatabase(async (db, config) => {
      const userId = await userNamed(db, String(user));
      const values = { ...members(typed), ...('user_id' in body.shape ? { user_id: userId } : {}) };
      const asked: Asked = { userId, body: valuesOf(body, await withoutDash(values)) };
      const { answer } = await runAsOperator(definition, asked, { db, config, what: noun.name });
      print(answer, json);
    }),
  );
}

/** `delete`: asked for once more on a terminal. */
export function addDelete(group: Command, noun: Noun, definition: AnyOperation, loses: string): void {
  group
    .command(`delete <${argumentOf(noun)}>`)
    .description(plain(definition.summary))
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .action(async (name: string, { json, yes }: Options) => {
      await confirm(`Delete ${noun.name} ${name} (${loses})`, yes === true);
      await one(noun, definition, name, { json });
    });
}

/**
 * What else is done with one thing, or asked of it. `more`: arguments behind its id, by the members of the path; `whyNothing`: what is said on a
 * terminal where the answer has no rows.
 */
export function addVerb(
  group: Command,
  verb: string,
  noun: Noun,
  definition: AnyOperation,
  { more = [], whyNothing }: { more?: readonly string[]; whyNothing?: WhyNothing } = {},
): void {
  const command = group
    .command([verb, `<${argumentOf(noun)}>`, ...more.map((name) => `<${name}>`)].join(' '))
    .description(plain(definition.summary));
  const query = definition.query as z.ZodObject | undefined;
  for (const { flag, description } of query ? optionsOf(query.shape, ['user_id']) : [])
    command.option(`${flag} <value>`, description);
  command.option('--json', 'print one JSON object').action((name: string, ...rest: unknown[]) => {
    const { json, ...typed } = rest[more.length] as Options;
    const params = Object.fromEntries(more.map((member, index) => [member, String(rest[index])]));
    return one(noun, definition, name, { json, params, query: members(typed), ...omitUndefined({ whyNothing }) });
  });
}

type WhyNothing = (db: Database, id: string) => Promise<string>;

interface Given {
  json: string | boolean | undefined;
  body?: Record<string, unknown>;
  params?: Record<string, string>;
  query?: Record<string, string>;
  whyNothing?: WhyNothing;
}

/** An operation on one thing; what it answers is printed. */
async function one(noun: Noun, definition: AnyOperation, name: string, given: Given): Promise<void> {
  const { json, body, params, query = {}, whyNothing } = given;
  await withDatabase(async (db, config) => {
    const id = noun.id === 'user_id' ? await userNamed(db, name) : name;
    const isInPath = definition.path.includes(`{${noun.id}}`);
    const asked: Asked = {
      params: { ...params, ...(isInPath ? { [noun.id]: id } : {}) },
      query: isInPath ? query : { ...query, [noun.id]: id },
      ...(body === undefined ? {} : { body }),
      ...(noun.id === 'user_id' ? { userId: id } : {}),
    };
    const { answer, cursor } = await runAsOperator(definition, asked, { db, config, what: `${noun.name} ${name}` });
    if (whyNothing && json !== true && rowsOf(answer)?.length === 0) console.log(await whyNothing(db, id));
    else print(answer, json);
    if (cursor !== null) console.error(`There are more: --cursor ${cursor}`);
  });
}

/** The rows of an answer; null where it is one thing. */
function rowsOf(answer: unknown): Record<string, unknown>[] | null {
  const rows = Array.isArray(answer) ? answer : (answer as { data?: unknown }).data;
  return Array.isArray(rows) ? rows : null;
}

/** An answer: one thing, rows, or a thing with rows in its `data`. */
export function print(answer: unknown, json: string | boolean | undefined): void {
  if (json === true) {
    for (const row of Array.isArray(answer) ? answer : [answer]) console.log(JSON.stringify(row));
    return;
  }
  const rows = rowsOf(answer);
  if (rows === null) {
    const thing = answer as Record<string, unknown>;
    const said = typeof thing.message === 'string' ? thing.message : linesOf(thing);
    console.log(linesForTerminal(said));
    return;
  }
  if (rows.length === 0) {
    console.log('There is nothing.');
    return;
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  console.log(tableOf(rows, columns, process.stdout.isTTY ? process.stdout.columns : null));
}

const argumentOf = ({ id }: Noun): string => (id === 'user_id' ? 'user' : id);

/** A summary of the reference, for a terminal. */
const plain = (summary: string): string => {
  const text = summary.replaceAll('`', '');
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
};

/** What was typed, by the names of members: commander has `limitKw` for `--limit-kw`. */
const members = (typed: Options): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typed)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([name, value]) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );

/** A secret in place of a `-`: read from standard input, so that no list of processes shows it. */
async function withoutDash(values: Record<string, string>): Promise<Record<string, string>> {
  if (values.auth_token !== '-') return values;
  const { text } = await import('node:stream/consumers');
  return { ...values, auth_token: (await text(process.stdin)).replace(/\r?\n$/, '') };
}

/**
 * Asks on a terminal before something is gone for good. Throws where the answer is no; and where nobody can be asked, unless `isSaid`
 * (--yes).
 */
async function confirm(question: string, isSaid: boolean | undefined): Promise<void> {
  if (isSaid) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(`${question}? Nothing was changed: add --yes to say so.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D is no answer, and no is the answer to that.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question}? [y/N] `).catch(() => ''), closed]);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
}
