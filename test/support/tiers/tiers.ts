import type { Tier } from '#src/database/capabilities.ts';
import { apacheIsMissing, startApache } from './apache.ts';
import { communityIsMissing, startCommunity } from './community.ts';
import { startPlain } from './plain.ts';
import type { TestServer } from './server.ts';

/** How to start a server of each tier. */
export const START: Record<Tier, () => Promise<TestServer>> = {
  plain: startPlain,
  apache: startApache,
  community: startCommunity,
};

/** A tier that this machine cannot run, and how to get it. */
export interface MissingTier {
  tier: Tier;
  how: string;
}

/** Which tiers this machine can run. The embedded PostgreSQL is always there. */
export async function reachTiers(): Promise<{ reached: Tier[]; missing: MissingTier[] }> {
  const answers: [Tier, string | null][] = [
    ['plain', null],
    ['apache', apacheIsMissing()],
    ['community', await communityIsMissing()],
  ];
  return {
    reached: answers.filter(([, how]) => how === null).map(([tier]) => tier),
    missing: answers.flatMap(([tier, how]) => (how === null ? [] : [{ tier, how }])),
  };
}
