import type { Pool } from '#src/database/connect.ts';
import type { SourceAndTargetInstallations } from './installations.ts';

// Raw SQL: the statements run on two databases and join lists of ids.

/** Accounts in the operator's file, by the progress of their move. */
interface Chosen {
  /** Accounts that are in this installation and may move. */
  toMove: string[];
  /** Accounts that an interrupted move has closed in this installation. */
  unfinished: string[];
  /** Accounts that have already moved to the other installation. */
  moved: string[];
  /** Line number in the file, by the account's id. */
  lines: ReadonlyMap<string, number>;
}

interface Departure {
  userId: string;
  to: string;
  isFinished: boolean;
}

/**
 * Finds the accounts that a file names. Throws a single error that lists every invalid line, and every reason why an account cannot move.
 */
export async function findAccountsToMove(
  { source, target }: SourceAndTargetInstallations,
  named: readonly Named[],
  errors: readonly string[],
): Promise<Chosen> {
  const wrong = [...errors];
  const departures = await departuresOf(source.pool);
  const here = await accountsNamed(source.pool, named);
  const gone = await goneByEmail({ source, target }, named);
  const lines = new Map<string, number>();
  const chosen: Chosen = { toMove: [], unfinished: [], moved: [], lines };
  for (const { line, name } of named) {
    const account = here.get(name.toLowerCase());
    const userId = account?.userId ?? gone.get(name.toLowerCase()) ?? name;
    const departure = departures.get(userId);
    const before = lines.get(userId);
    if (!account && !departure) wrong.push(`line ${line}: there is no account ${name}`);
    else if (before !== undefined) wrong.push(`line ${line}: ${name} is the same account as in line ${before}`);
    else if (!account && departure && departure.to !== target.id)
      wrong.push(`line ${line}: ${name} moved into another installation (${departure.to})`);
    else chosen[account ? 'toMove' : departure?.isFinished ? 'moved' : 'unfinished'].push(userId);
    lines.set(userId, before ?? line);
  }
  const forgotten = [...departures.values()].filter(({ userId, isFinished }) => !isFinished && !lines.has(userId));
  if (forgotten.length > 0)
    wrong.push(
      `finish the interrupted move to ${forgotten[0]?.to} first, of ${forgotten.map(({ userId }) => userId).join(', ')}`,
    );
  const candidates = chosen.toMove.flatMap((userId) => [...here.values()].find((one) => one.userId === userId) ?? []);
  const around = await surroundings({ source, target }, candidates, [...lines.keys()]);
  for (const one of candidates)
    for (const reason of listReasonsAgainstMove(one, new Set(lines.keys()), around))
      wrong.push(`line ${lines.get(one.userId)}: ${one.userId} ${reason}`);
  if (wrong.length > 0)
    throw new Error(`Some accounts of --users cannot be moved. Nothing was changed.\n  ${wrong.join('\n  ')}`);
  return chosen;
}

async function departuresOf(pool: Pool): Promise<Map<string, Departure>> {
  // Excludes accounts that have returned to this installation.
  const { rows } = await pool.query<Departure>(
    `SELECT user_id AS "userId", to_installation AS "to", left_at IS NOT NULL AS "isFinished" FROM departures d
     WHERE NOT EXISTS (SELECT FROM users u WHERE u.user_id = d.user_id)`,
  );
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Returns accounts by their name in the operator's file: id, or e-mail address in lower case. */
async function accountsNamed(pool: Pool, named: readonly Named[]): Promise<Map<string, MoveCandidate>> {
  const { rows } = await pool.query<MoveCandidate & { name: string }>(
    `SELECT lower(n.name) AS name, user_id AS "userId", email, role, enrolled_by AS "enrolledBy"
     FROM unnest($1::text[]) n (name) JOIN users u ON u.user_id = n.name OR lower(u.email) = lower(n.name)`,
    [named.map(({ name }) => name)],
  );
  return new Map(rows.map(({ name, ...one }) => [name, one]));
}

/**
 * Returns the ids of accounts that the file names by e-mail address and that are not active here, because they are closed or have moved to
 * the other installation.
 */
async function goneByEmail(
  { source, target }: SourceAndTargetInstallations,
  named: readonly Named[],
): Promise<Map<string, string>> {
  const emails = named.map(({ name }) => name.toLowerCase()).filter((name) => name.includes('@'));
  const { rows: parcelled } = await source.pool.query(
    `SELECT lower(row->>'email') AS email, row->>'user_id' AS id FROM parcels
     WHERE relation = 'users' AND lower(row->>'email') = ANY ($1)`,
    [emails],
  );
  const { rows: arrived } = await target.pool.query(
    `SELECT lower(email) AS email, user_id AS id FROM users JOIN arrivals USING (user_id)
     WHERE from_installation = $2 AND lower(email) = ANY ($1)`,
    [emails, source.id],
  );
  return new Map([...arrived, ...parcelled].map(({ email, id }) => [email, id]));
}

async function surroundings(
  { source, target }: SourceAndTargetInstallations,
  candidates: readonly MoveCandidate[],
  moving: readonly string[],
) {
  const ids = candidates.flatMap(({ userId, enrolledBy }) => (enrolledBy === null ? [userId] : [userId, enrolledBy]));
  const { rows: there } = await target.pool.query('SELECT user_id AS id FROM users WHERE user_id = ANY ($1)', [ids]);
  const { rows: emails } = await target.pool.query(
    'SELECT lower(email) AS email FROM users WHERE lower(email) = ANY ($1)',
    [candidates.map(({ email }) => email.toLowerCase())],
  );
  const { rows: identities } = await source.pool.query(
    'SELECT user_id, issuer, subject FROM identities WHERE user_id = ANY ($1)',
    [candidates.map(({ userId }) => userId)],
  );
  const { rows: linked } = await target.pool.query(
    `SELECT n.user_id AS id, issuer FROM unnest($1::text[], $2::text[], $3::text[]) n (user_id, issuer, subject)
     JOIN identities USING (issuer, subject)`,
    [
      identities.map(({ user_id }) => user_id),
      identities.map(({ issuer }) => issuer),
      identities.map(({ subject }) => subject),
    ],
  );
  return {
    there: new Set<string>(there.map(({ id }) => id)),
    emailsThere: new Set<string>(emails.map(({ email }) => email)),
    issuersThere: new Map<string, string>(linked.map(({ id, issuer }) => [id, issuer])),
    left: await countEnrolledAccountsLeftBehind(source.pool, moving),
  };
}

/** Returns, for each moving utility, the number of its enrolled accounts that do not move with it. */
export async function countEnrolledAccountsLeftBehind(
  pool: Pick<Pool, 'query'>,
  moving: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await pool.query(
    `SELECT enrolled_by AS id, count(*)::int AS accounts FROM users
     WHERE enrolled_by = ANY ($1) AND user_id <> ALL ($1) GROUP BY 1`,
    [moving],
  );
  return new Map(rows.map(({ id, accounts }) => [id, accounts]));
}

/** An account that a file names by id or e-mail address, with its line number. */
interface Named {
  line: number;
  name: string;
}

/** Parses a file of accounts: each line has a `user_id` or an e-mail address, and comments follow a `#`. */
export function parseAccountsFile(text: string): { named: Named[]; errors: string[] } {
  const named: Named[] = [];
  const errors: string[] = [];
  const lines = new Map<string, number>();
  for (const [index, whole] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const name = whole.replace(/#.*$/, '').trim();
    if (name === '') continue;
    const before = lines.get(name.toLowerCase());
    if (!/^(usr_\w+|[^\s@]+@[^\s@]+)$/.test(name))
      errors.push(`line ${line}: ${name} is neither a user_id nor an e-mail address`);
    else if (before !== undefined) errors.push(`line ${line}: ${name} is in line ${before}, too`);
    else {
      lines.set(name.toLowerCase(), line);
      named.push({ line, name });
    }
  }
  if (named.length === 0 && errors.length === 0) errors.push('it contains no account');
  return { named, errors };
}

/** An account in the operator's file, with the facts that decide whether it can move. */
export interface MoveCandidate {
  userId: string;
  email: string;
  role: string;
  enrolledBy: string | null;
}

/** Facts about both installations that decide which accounts can move. */
export interface MoveConstraints {
  /** Ids of accounts that exist in the other installation. */
  there: ReadonlySet<string>;
  /** E-mail addresses of accounts in the other installation, in lower case. */
  emailsThere: ReadonlySet<string>;
  /** By id of a moving account: the identity provider whose user is already linked to an account of the other installation. */
  issuersThere: ReadonlyMap<string, string>;
  /** Number of enrolled homeowners who are missing from the operator's file, by utility. */
  left: ReadonlyMap<string, number>;
}

/** Returns the reasons why an account cannot move; empty if it can. */
export function listReasonsAgainstMove(
  one: MoveCandidate,
  moving: ReadonlySet<string>,
  { there, emailsThere, issuersThere, left }: MoveConstraints,
): string[] {
  const found: string[] = [];
  const { userId, email, role, enrolledBy } = one;
  if (role === 'admin') found.push('is an administrator, who belongs to an installation: create one there');
  if (there.has(userId)) found.push('is already in the other installation');
  else if (emailsThere.has(email.toLowerCase()))
    found.push(`has an e-mail address that another account there has (${email})`);
  const issuer = issuersThere.get(userId);
  if (issuer !== undefined)
    found.push(`signs in at ${issuer} as another account there does: unlink one of them (energy users unlink)`);
  if (enrolledBy !== null && !moving.has(enrolledBy) && !there.has(enrolledBy))
    found.push(`was enrolled by ${enrolledBy}, which is neither in the file nor in the other installation`);
  const stay = left.get(userId) ?? 0;
  if (stay > 0)
    found.push(
      `enrolled ${stay} account${stay === 1 ? '' : 's'} that the file does not have: a utility moves with all of its homeowners`,
    );
  return found;
}
