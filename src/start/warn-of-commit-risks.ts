import { urlsOfHosts } from '#src/config/database-url.ts';
import type { Logger } from '#src/core/log.ts';
import { commitFacts, commitRisks } from '#src/database/commit-risks.ts';
import { type Pool, queryOn } from '#src/database/connect.ts';

/** Says at the start of a role what of the database's settings could lose an acknowledged commit in a failover. `url`: as it is configured. */
export async function warnOfCommitRisks(pool: Pool, url: string, log: Logger): Promise<void> {
  for (const risk of commitRisks(await commitFacts(queryOn(pool), urlsOfHosts(url).length)))
    log.warn({ risk }, 'database');
}
