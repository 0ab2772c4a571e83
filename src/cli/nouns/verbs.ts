import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { z } from 'zod';
import type { AnyOperation } from '#src/api/operation.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import type { Database } from '#src/database/connect.ts';
import { findUserId } from '../named-user.ts';
import { runOnServiceDatabase } from '../running-service.ts';
import { callOperation, type OperatorRequest, type OperatorResponse } from './as-operator.ts';
import { formatObject, formatTable, getOptionFlag, listRequestOptions, parseOptionValues } from './members.ts';

/** A kind of object in the HTTP API that commands list, print, create, change or delete. */
export interface ApiNoun {
  /** Name of this kind of object, such as `device`. */
  name: string;
  /** Name of the member that contains the object's id, such as `device_id`, and of the command's argument. */
  id: string;
  /** Columns of a list on a terminal. `app.name` stands for the member `name` of the member `app`. */
  columns: readonly string[];
}

type Options = Record<string, string | boolean | undefined>;

/**
 * Adds the command `list`, which prints one page or all pages. `userIdField`: name of the member with the user, if the command requires
 * one.
 */
export function addListCommand(
  group: Command,
  noun: ApiNoun,
  definition: AnyOperation,
  { ofUser }: { ofUser: boolean },
): void {
  const command = group.command('list').description(plain(definition.summary));
  if (ofUser) command.requiredOption('--user <user>', 'owner: a user_id or an e-mail address');
  const query = definition.query as z.ZodObject;
  for (const { flag, description } of listRequestOptions(query.shape, ['user_id', 'limit', 'cursor']))
    command.option(`${flag} <value>`, description);
  command
    .option('--limit <n>', 'maximum number of rows, up to 200', '50')
    .option('--cursor <cursor>', 'cursor of the page, printed at the end of the previous page')
    .option('--all', 'all pages')
    .option('--json', 'print one JSON object per line')
    .action((options: Options) => list(noun, definition, options));
}

async function list(noun: ApiNoun, definition: AnyOperation, options: Options): Promise<void> {
  const { user, all, json, ...typed } = options;
  await runOnServiceDatabase(async (db, config) => {
    const userId = typeof user === 'string' ? await findUserId(db, user) : undefined;
    const hasUserId = 'user_id' in (definition.query as z.ZodObject).shape;
    const query: Record<string, string> = {
      ...members(typed),
      ...(userId !== undefined && hasUserId ? { user_id: userId } : {}),
    };
    if (all) query.limit = '200';
    let page: OperatorResponse = { answer: [], cursor: query.cursor ?? null };
    let isFirst = true;
    do {
      const asked: OperatorRequest = { query: { ...query, ...(page.cursor === null ? {} : { cursor: page.cursor }) } };
      if (userId !== undefined) asked.userId = userId;
      page = await callOperation(definition, asked, { db, config, what: noun.name });
      printRows(page.answer as Record<string, unknown>[], noun, { isJson: json === true, isFirst });
      isFirst = false;
    } while (all && page.cursor !== null);
    if (page.cursor !== null) console.error(`There are more rows: --cursor ${page.cursor}, or --all`);
  });
}

function printRows(
  rows: readonly Record<string, unknown>[],
  noun: ApiNoun,
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
  console.log(formatTable(rows, noun.columns, process.stdout.isTTY ? process.stdout.columns : null));
}

/** Adds the command `get`, which prints all members of one object. */
export function addGetCommand(group: Command, noun: ApiNoun, definition: AnyOperation): void {
  group
    .command(`get <${argumentOf(noun)}>`)
    .description(plain(definition.summary))
    .option('--json', 'print one JSON object')
    .action((name: string, { json }: Options) => one(noun, definition, name, { json }));
}

/** Adds the command `update`, with an option for each member that can be changed. */
export function addUpdateCommand(group: Command, noun: ApiNoun, definition: AnyOperation): void {
  const command = group.command(`update <${argumentOf(noun)}>`).description(plain(definition.summary));
  const body = definition.body as z.ZodObject;
  for (const { flag, description } of listRequestOptions(body.shape)) command.option(`${flag} <value>`, description);
  command.option('--json', 'print one JSON object').action(async (name: string, { json, ...typed }: Options) => {
    const texts = members(typed);
    if (Object.keys(texts).length === 0)
      throw new Error(
        `Nothing to change: name at least one of ${Object.keys(body.shape).map(getOptionFlag).join(', ')}`,
      );
    await one(noun, definition, name, { json, body: parseOptionValues(body, await readSecretFromStdin(texts)) });
  });
}

/**
 * Adds the command `create`, with an option for each member of the request. The object belongs to the user in the command. `checkOwner`
 * throws if this user cannot have such an object.
 */
export function addCreateCommand(
  group: Command,
  noun: ApiNoun,
  definition: AnyOperation,
  checkOwner?: (db: Database, userId: string) => Promise<void>,
): void {
  const command = group
    .command('create')
    .description(plain(definition.summary))
    .requiredOption('--user <user>', 'owner: a user_id or an e-mail address');
  const body = definition.body as z.ZodObject;
  for (const { flag, description } of listRequestOptions(body.shape, ['user_id']))
    command.option(`${flag} <value>`, description);
  command.option('--json', 'print one JSON object').action(({ json, user, ...typed }: Options) =>
    runOnServiceDatabase(async (db, config) => {
      const userId = await findUserId(db, String(user));
      await checkOwner?.(db, userId);
      const values = { ...members(typed), ...('user_id' in body.shape ? { user_id: userId } : {}) };
      const asked: OperatorRequest = { userId, body: parseOptionValues(body, await readSecretFromStdin(values)) };
      const { answer } = await callOperation(definition, asked, { db, config, what: noun.name });
      printResponse(answer, json);
    }),
  );
}

/** Adds the command `delete`, which asks for confirmation on a terminal. */
export function addDeleteCommand(group: Command, noun: ApiNoun, definition: AnyOperation, loses: string): void {
  group
    .command(`delete <${argumentOf(noun)}>`)
    .description(plain(definition.summary))
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON object')
    .action(async (name: string, { json, yes }: Options) => {
      await confirm(`Delete ${noun.name} ${name} (${loses})`, yes === true);
      await one(noun, definition, name, { json });
    });
}

/**
 * Adds another command that acts on one object. `more`: further arguments, named after the path's parameters. `whyNothing`: returns the
 * text for a response without rows.
 */
export function addActionCommand(
  group: Command,
  verb: string,
  noun: ApiNoun,
  definition: AnyOperation,
  { more = [], whyNothing }: { more?: readonly string[]; whyNothing?: WhyNothing } = {},
): void {
  const command = group
    .command([verb, `<${argumentOf(noun)}>`, ...more.map((name) => `<${name}>`)].join(' '))
    .description(plain(definition.summary));
  const query = definition.query as z.ZodObject | undefined;
  for (const { flag, description } of query ? listRequestOptions(query.shape, ['user_id']) : [])
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

/** Runs an operation on one object and prints the response. */
async function one(noun: ApiNoun, definition: AnyOperation, name: string, given: Given): Promise<void> {
  const { json, body, params, query = {}, whyNothing } = given;
  await runOnServiceDatabase(async (db, config) => {
    const id = noun.id === 'user_id' ? await findUserId(db, name) : name;
    const isInPath = definition.path.includes(`{${noun.id}}`);
    const asked: OperatorRequest = {
      params: { ...params, ...(isInPath ? { [noun.id]: id } : {}) },
      query: isInPath ? query : { ...query, [noun.id]: id },
      ...(body === undefined ? {} : { body }),
      ...(noun.id === 'user_id' ? { userId: id } : {}),
    };
    const { answer, cursor } = await callOperation(definition, asked, { db, config, what: `${noun.name} ${name}` });
    if (whyNothing && json !== true && rowsOf(answer)?.length === 0) console.log(await whyNothing(db, id));
    else printResponse(answer, json);
    if (cursor !== null) console.error(`There are more rows: --cursor ${cursor}`);
  });
}

/** Returns the rows of a response, or null for a single object. */
function rowsOf(answer: unknown): Record<string, unknown>[] | null {
  const rows = Array.isArray(answer) ? answer : (answer as { data?: unknown }).data;
  return Array.isArray(rows) ? rows : null;
}

/** Prints a response: one object, a list of rows, or an object whose member `data` contains rows. */
export function printResponse(answer: unknown, json: string | boolean | undefined): void {
  if (json === true) {
    for (const row of Array.isArray(answer) ? answer : [answer]) console.log(JSON.stringify(row));
    return;
  }
  const rows = rowsOf(answer);
  if (rows === null) {
    const thing = answer as Record<string, unknown>;
    const lines = typeof thing.message === 'string' ? thing.message : formatObject(thing);
    console.log(escapeForTerminal(lines));
    return;
  }
  if (rows.length === 0) {
    console.log('No rows.');
    return;
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  console.log(formatTable(rows, columns, process.stdout.isTTY ? process.stdout.columns : null));
}

const argumentOf = ({ id }: ApiNoun): string => (id === 'user_id' ? 'user' : id);

/** Converts a summary in the API reference (Markdown) to plain text for a terminal. */
const plain = (summary: string): string => {
  const text = summary.replaceAll('`', '');
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`;
};

/** Returns the values of the options by the name of the request's member: commander stores `--limit-kw` as `limitKw`, for the member `limit_kw`. */
const members = (typed: Options): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typed)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([name, value]) => [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );

/**
 * Replaces an option value of `-` with the secret from standard input. On the command line, the secret would be visible in the list of
 * processes.
 */
export async function readSecretFromStdin(values: Record<string, string>): Promise<Record<string, string>> {
  if (values.auth_token !== '-') return values;
  const { text } = await import('node:stream/consumers');
  return { ...values, auth_token: (await text(process.stdin)).replace(/\r?\n$/, '') };
}

/** Asks for confirmation on a terminal. Throws if the person declines, or if there is no terminal and no option --yes (`isSaid`). */
async function confirm(question: string, isSaid: boolean | undefined): Promise<void> {
  if (isSaid) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(`${question}? Nothing was changed: add --yes to confirm.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D counts as "no".
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question}? [y/N] `).catch(() => ''), closed]);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
}
