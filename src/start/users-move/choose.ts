import type { Pool } from '#src/database/connect.ts';
import type { SourceAndTargetInstallations } from './installations.ts';

// Raw SQL: the statements run on two databases and join lists of ids.

/** Ids of the accounts that an operator named, by the progress of their move. */
interface Chosen {
  /** Accounts that are in this installation and may move. */
  toMove: string[];
  /** Accounts that an interrupted move has closed in this installation. */
  unfinished: string[];
  /** Accounts that have already moved to the other installation. */
  moved: string[];
}

interface Departure {
  userId: string;
  to: string;
  isFinished: boolean;
}

/** Finds accounts by id or e-mail address. Throws a single error that lists every reason why an account cannot move. */
export async function findAccountsToMove(
  { source, target }: SourceAndTargetInstallations,
  names: readonly string[],
): Promise<Chosen> {
  const wrong: string[] = [];
  const departures = await departuresOf(source.pool);
  const here = await accountsNamed(source.pool, names);
  const gone = await goneByEmail({ source, target }, names);
  const moving = new Set<string>();
  const candidates: MoveCandidate[] = [];
  const chosen: Chosen = { toMove: [], unfinished: [], moved: [] };
  for (const name of names) {
    const account = here.get(name.toLowerCase());
    const userId = account?.userId ?? gone.get(name.toLowerCase()) ?? name;
    const departure = departures.get(userId);
    if (moving.has(userId)) continue;
    moving.add(userId);
    if (account) candidates.push(account);
    else if (!departure) wrong.push(`there is no account ${name}`);
    else if (departure.to !== target.id) wrong.push(`${name} moved into another installation (${departure.to})`);
    else chosen[departure.isFinished ? 'moved' : 'unfinished'].push(userId);
  }
  chosen.toMove = candidates.map(({ userId }) => userId);
  const forgotten = [...departures.values()].filter(({ userId, isFinished }) => !isFinished && !moving.has(userId));
  if (forgotten.length > 0)
    wrong.push(
      `finish the interrupted move to ${forgotten[0]?.to} first, of ${forgotten.map(({ userId }) => userId).join(', ')}`,
    );
  const around = await surroundings({ source, target }, candidates, [...moving]);
  for (const one of candidates)
    for (const reason of listReasonsAgainstMove(one, moving, around)) wrong.push(`${one.userId} ${reason}`);
  if (wrong.length > 0)
    throw new Error(`These accounts cannot be moved, and were not changed:\n  ${wrong.join('\n  ')}`);
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

/** Returns accounts by name: the id, or the e-mail address in lower case. */
async function accountsNamed(pool: Pool, names: readonly string[]): Promise<Map<string, MoveCandidate>> {
  const { rows } = await pool.query<MoveCandidate & { name: string }>(
    `SELECT lower(n.name) AS name, user_id AS "userId", email, role, enrolled_by AS "enrolledBy"
     FROM unnest($1::text[]) n (name) JOIN users u ON u.user_id = n.name OR lower(u.email) = lower(n.name)`,
    [names],
  );
  return new Map(rows.map(({ name, ...one }) => [name, one]));
}

/**
 * Returns the ids of accounts that are named by e-mail address and that are not active here, because they are closed or have moved to the
 * other installation.
 */
async function goneByEmail(
  { source, target }: SourceAndTargetInstallations,
  names: readonly string[],
): Promise<Map<string, string>> {
  const emails = names.map((name) => name.toLowerCase()).filter((name) => name.includes('@'));
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

/** An account that an operator wants to move, with the facts that decide whether it can move. */
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
  /** Number of enrolled homeowners who do not move, by utility. */
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
    found.push(`was enrolled by ${enrolledBy}, which neither moves as well nor is in the other installation`);
  const stay = left.get(userId) ?? 0;
  if (stay > 0)
    found.push(
      `enrolled ${stay} account${stay === 1 ? '' : 's'} that ${stay === 1 ? 'does' : 'do'} not move: a utility moves with all of its homeowners`,
    );
  return found;
}
