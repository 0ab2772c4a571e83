/** An account that a file names, by its id or its e-mail address, and in which line. */
export interface Named {
  line: number;
  name: string;
}

/** Reads a file of accounts: one a line, by `user_id` or e-mail address; what follows a `#` is a comment. Pure. */
export function parseAccounts(text: string): { named: Named[]; mistakes: string[] } {
  const named: Named[] = [];
  const mistakes: string[] = [];
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
      mistakes.push(`line ${line}: ${name} is neither a user_id nor an e-mail address`);
    else if (before !== undefined) mistakes.push(`line ${line}: ${name} is in line ${before}, too`);
    else {
      lines.set(name.toLowerCase(), line);
      named.push({ line, name });
    }
  }
  if (named.length === 0 && mistakes.length === 0) mistakes.push('it names no account');
  return { named, mistakes };
}

/** What is known of an account that may move. */
export interface Candidate {
  userId: string;
  email: string;
  role: string;
  enrolledBy: string | null;
}

/** What of the two installations bears on who may move. */
export interface Surroundings {
  /** Accounts that are in the other installation, by id. */
  there: ReadonlySet<string>;
  /** E-mail addresses that accounts of the other installation have, in lower case. */
  emailsThere: ReadonlySet<string>;
  /** Of accounts that sign in by what another account of the other installation signs in by, the provider. */
  issuersThere: ReadonlyMap<string, string>;
  /** Of utilities, how many accounts that they enrolled are not in the file. */
  left: ReadonlyMap<string, number>;
}

/** Why an account cannot move; none where it can. Pure. */
export function hindrances(
  one: Candidate,
  moving: ReadonlySet<string>,
  { there, emailsThere, issuersThere, left }: Surroundings,
): string[] {
  const found: string[] = [];
  const { userId, email, role, enrolledBy } = one;
  if (role === 'admin') found.push('is an administrator, who belongs to an installation: create one there');
  if (there.has(userId)) found.push('is in the other installation already');
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
