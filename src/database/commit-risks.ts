import type { Query } from './connect.ts';

/** What a database is asked about before it is relied on to fail over. */
export interface CommitFacts {
  /** Hosts that its URL names. */
  hosts: number;
  /** Servers that copy from it now. */
  standbys: number;
  synchronousCommit: string;
  synchronousStandbyNames: string;
}

/** Reads them in one statement. `hosts`: those of the URL. */
export async function commitFacts(query: Query, hosts: number): Promise<CommitFacts> {
  // Raw SQL: settings and statistics of the server. A role without rights sees that a standby is there, and nothing else of it.
  const { rows } = await query<CommitFacts>(
    `SELECT $1::int AS "hosts", (SELECT count(*) FROM pg_stat_replication)::int AS "standbys",
       current_setting('synchronous_commit') AS "synchronousCommit",
       current_setting('synchronous_standby_names') AS "synchronousStandbyNames"`,
    [hosts],
  );
  return rows[0] as CommitFacts;
}

/**
 * Why something that was acknowledged could be lost when the database fails over, and what to do, for a person; nothing of a
 * database that is alone. Pure.
 */
export function commitRisks({ hosts, standbys, synchronousCommit, synchronousStandbyNames }: CommitFacts): string[] {
  if (hosts < 2 && standbys === 0) return [];
  if (['off', 'local'].includes(synchronousCommit)) {
    return [
      `synchronous_commit is ${synchronousCommit} for this role: a commit is told before a standby has it, and what was ` +
        "acknowledged last is lost in a failover. Set it to 'on' (Patroni: patronictl edit-config; a role's own: ALTER ROLE … " +
        'RESET synchronous_commit).',
    ];
  }
  if (synchronousStandbyNames.trim() !== '') return [];
  const why = standbys === 0 ? 'no standby is connected' : 'synchronous_standby_names is empty';
  return [
    `${why}: no commit waits for a standby, and what was acknowledged last is lost if this server is. With Patroni set ` +
      'synchronous_mode: true, and start the standby: without one the primary goes on alone. synchronous_mode_strict: true ' +
      'would refuse writes instead (devices keep and repeat their messages meanwhile). Without Patroni set synchronous_standby_names.',
  ];
}
