import type { Tier } from '#src/database/capabilities.ts';
import { startApache } from './apache.ts';
import { startCommunity } from './community.ts';
import { startPlain } from './plain.ts';
import type { TestServer } from './server.ts';

/** Functions that start a server, by tier. */
export const TIER_SERVER_STARTERS: Record<Tier, () => Promise<TestServer>> = {
  plain: startPlain,
  apache: startApache,
  community: startCommunity,
};
