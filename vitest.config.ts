import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { type Capabilities, TIERS, type Tier } from './src/database/capabilities.ts';
import LongestFirst from './test/support/longest-first.ts';
import { missingNeeds } from './test/support/setup/needs.ts';
import { reachTiers } from './test/support/tiers/reach.ts';

// Loading this only looks at files: a unit test of one line must not wait for a server, or for one to be made.
const missing = missingNeeds();
const { reached } = reachTiers();
const cannotRun = missing.filter(({ name }) => !name.startsWith('database tier')).flatMap(({ files }) => files);
const run = `${process.pid} ${Date.now()}`;

/** Folders of test/tiers that are named after what only some tiers can do. */
const FOLDER_OF = {
  continuousAggregates: 'continuous-aggregates',
} satisfies Partial<Record<keyof Capabilities, string>>;
/**
 * Files about statements that read aggregates. Without continuous aggregates these are the same tables and statements on every tier: they run on
 * `plain`. What is stored as hypertables runs on every tier, and so do the answers (`answers`) and the homes once each.
 */
const OF_AGGREGATES = ['begun-months', 'costs', 'green-button', 'groups', 'kept-groups', 'raise'];
const beyond = (tier: Tier) => {
  const { hypertables, continuousAggregates } = TIERS[tier];
  return [
    ...Object.entries(FOLDER_OF)
      .filter(([capability]) => !TIERS[tier][capability as keyof Capabilities])
      .map(([, folder]) => `test/tiers/${folder}/**`),
    ...(hypertables && !continuousAggregates ? OF_AGGREGATES : []).map((name) => `test/tiers/${name}.test.ts`),
  ];
};

/** A level of tests that may ask for databases on this tier's server. */
const level = (name: string, folder: string, tier: Tier, exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${folder}/**/*.test.ts`],
    exclude: [...cannotRun, ...exclude],
    globalSetup: ['test/support/global-setup.ts'],
    provide: { tier, run },
    // What one file imported serves the next: to load the service anew takes a second each time.
    isolate: false,
  },
});

export default defineConfig({
  test: {
    reporters: ['default', ['./test/support/closing-line-reporter.ts', { missing }]],
    // More than cores: many files mostly wait, for a broker that was killed or a page that is drawn.
    maxWorkers: Math.max(3, availableParallelism()),
    pool: 'forks',
    // A machine that is busy with something else is no failure.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      // What is imported once serves all files: they have nothing that one could leave behind for another.
      {
        extends: true,
        test: { name: 'unit', include: ['{src,ingest,simulators,bench,deploy}/**/*.test.ts'], isolate: false },
      },
      level('contract', 'contract', 'plain'),
      level('database', 'database', 'plain'),
      level('system', 'system', 'plain'),
      ...reached.map((tier) => level(`tiers:${tier}`, 'tiers', tier, beyond(tier))),
    ],
  },
});
