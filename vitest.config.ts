import { defineConfig } from 'vitest/config';
import { reachTiers } from './test/support/tiers/tiers.ts';

const run = `${process.pid} ${Date.now()}`;
const { reached, missing } = await reachTiers();

/** Folders whose tests run on every tier. One with a tier's name runs there alone; the others need no database. */
const EVERY_TIER = ['alerts', 'api', 'database', 'ingest', 'pipeline', 'property', 'rollups'];

export default defineConfig({
  test: {
    reporters: ['default', ['./test/support/closing-line-reporter.ts', { missing }]],
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'house',
          include: ['test/**/*.test.ts'],
          exclude: [...EVERY_TIER, 'community', 'plain'].map((folder) => `test/${folder}/**`),
          pool: 'forks',
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      ...reached.map((tier) => ({
        extends: true as const,
        test: {
          name: tier,
          include: [...EVERY_TIER, tier].map((folder) => `test/${folder}/**/*.test.ts`),
          globalSetup: ['test/support/global-setup.ts'],
          provide: { tier, run: run },
          pool: 'forks' as const,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      })),
    ],
  },
});
