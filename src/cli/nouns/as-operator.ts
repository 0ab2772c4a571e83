import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { AnyOperation, OperationCall } from '#src/api/operation.ts';
import { runAndAudit } from '#src/api/operation.ts';
import { fetchListPage, type ItemIdentifier, type ListPageRequest } from '#src/api/pages.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import type { Config } from '#src/config/load.ts';
import { systemClock } from '#src/core/clock.ts';
import { AppError } from '#src/core/errors.ts';
import { createSecretEncrypter, type SecretEncrypter } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { loadSecretKey } from '#src/start/secret-key.ts';
import { COMMAND_LINE_ACTOR } from '#src/users/audit.ts';
import { findUserId } from '../named-user.ts';
import { formatOptionError, parseOptionValues } from './members.ts';

/** A request from the command line. Parameters are text; the body comes from `parseOptionValues`. */
export interface OperatorRequest {
  /** The account whose data the operation uses instead of the caller's own. */
  userId?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

/** The response of an operation. `cursor`: position of the next page; null on the last page. */
export interface OperatorResponse {
  answer: unknown;
  cursor: string | null;
}

/**
 * Calls an operation of the HTTP API as an operator at the command line: with an administrator's access, in one transaction, and with an
 * audit entry. Error messages name options instead of request members. `what`: kind of the object, for error messages.
 */
export async function callOperation(
  definition: AnyOperation,
  asked: OperatorRequest,
  { db, config, what }: { db: Database; config: Config; what: string },
): Promise<OperatorResponse> {
  const { params = {}, body } = asked;
  const query = definition.query?.parse(parseOptionValues(definition.query, asked.query ?? {}));
  const path = definition.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  let cursor: string | null = null;
  const reply = {
    header(name: string, value: string) {
      if (name === 'Link')
        cursor = new URL(value.slice(1, value.indexOf('>')), 'https://localhost').searchParams.get('cursor');
      return reply;
    },
  };
  const box =
    body !== undefined && 'auth_token' in body ? createSecretEncrypter(await loadSecretKey(config, db)) : NO_BOX;
  const work = (trx: Database) => {
    const caller = operator(asked.userId ?? '');
    const call = {
      db: trx,
      reach: ALL_ACCOUNTS,
      page: <Item extends object>(id: ItemIdentifier<Item>, find: (page: ListPageRequest) => Promise<Item[]>) =>
        fetchListPage(reply, path, query, id, find),
      context: {
        db: trx,
        readDb: trx,
        clock: systemClock,
        box,
        environment: config.environment,
        dataDir: config.dataDir,
      },
      caller,
      params,
      query,
      body: body && definition.body?.parse(body),
      rowName: String,
      reply,
      format: 'json',
      whileAllowed: (piece: (one: Caller) => Promise<unknown>) => piece(caller),
      stillAllowed: async () => caller,
    } as unknown as OperationCall<unknown, unknown, unknown>;
    return runAndAudit(definition, trx, call, { actor: null, address: COMMAND_LINE_ACTOR });
  };
  try {
    const answer = await (definition.method === 'GET' ? work(db) : joinOrBeginTransaction(db, work));
    return { answer: answer instanceof Readable ? JSON.parse(await text(answer)) : answer, cursor };
  } catch (error) {
    throw error instanceof AppError ? new Error(inWords(error, what), { cause: error }) : error;
  }
}

/** Calls an operation that creates an object for a user, who is given by id or e-mail address. */
export async function createObjectForUser(
  definition: AnyOperation,
  { user, ...typed }: { user: string } & Record<string, string>,
  on: { db: Database; config: Config; what: string },
): Promise<object> {
  const userId = await findUserId(on.db, user);
  const body = parseOptionValues(definition.body as z.ZodObject, { user_id: userId, ...typed });
  return (await callOperation(definition, { userId, body }, on)).answer as object;
}

/** Returns the caller for an operator, who can access all accounts. Operations on the caller's own data use the account `userId`. */
const operator = (userId: string): Caller => ({
  by: 'key',
  keyId: COMMAND_LINE_ACTOR,
  accountId: userId,
  userId,
  role: 'admin',
  scopes: new Set(SCOPES),
  groupId: null,
});

const refuse = (): never => {
  throw new Error('internal error: this operation encrypts a secret, but was started without a key');
};
const NO_BOX: SecretEncrypter = { seal: refuse, open: refuse };

function inWords(error: AppError, what: string): string {
  if (error.is === 'notFound') return `There is no ${what}`;
  if (error.details)
    return error.details.map(({ field, message }) => formatOptionError(field.split('.'), message)).join('\n');
  return error.message;
}
