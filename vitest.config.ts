import { defineConfig } from 'vitest/config';
import { type Capabilities, TIERS, type Tier } from './src/database/capabilities.ts';
import { reachTiers } from './test/support/tiers/reach.ts';

const run = `${process.pid} ${Date.now()}`;
const { reached, missing } = reachTiers();

/** What the tests of a folder run on: a database server of this tier, made when the first of them is asked for. */
const on = (tier: Tier) => ({
  globalSetup: ['test/support/global-setup.ts'],
  provide: { tier, run },
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
});

/** Folders of test/tiers that are named after what only some tiers can do. */
const FOLDER_OF = { continuousAggregates: 'continuous-aggregates' } satisfies Partial<
  Record<keyof Capabilities, string>
>;
const cannot = (tier: Tier) =>
  Object.entries(FOLDER_OF)
    .filter(([capability]) => !TIERS[tier][capability as keyof Capabilities])
    .map(([, folder]) => `test/tiers/${folder}/**`);

export default defineConfig({
  test: {
    reporters: ['default', ['./test/support/closing-line-reporter.ts', { missing }]],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['{src,ingest,simulators}/**/*.test.ts'], testTimeout: 60_000 },
      },
      ...['contract', 'database', 'system'].map((level) => ({
        extends: true as const,
        test: { name: level, include: [`test/${level}/**/*.test.ts`], ...on('plain') },
      })),
      ...reached.map((tier) => ({
        extends: true as const,
        test: { name: `tiers:${tier}`, include: ['test/tiers/**/*.test.ts'], exclude: cannot(tier), ...on(tier) },
      })),
    ],
  },
});
