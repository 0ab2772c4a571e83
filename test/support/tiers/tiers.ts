import type { DatabaseTier } from '#src/database/capabilities.ts';
import { startTimescaleApache } from './apache.ts';
import { startTimescaleCommunity } from './community.ts';
import { startPlainPostgres } from './plain.ts';
import type { TestPostgresServer } from './server.ts';

/** Functions that start a database server, by tier. */
export const TIER_SERVER_STARTERS: Record<DatabaseTier, () => Promise<TestPostgresServer>> = {
  plain: startPlainPostgres,
  apache: startTimescaleApache,
  community: startTimescaleCommunity,
};
