import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { type Capabilities, DATABASE_TIERS, type DatabaseTier } from './src/database/capabilities.ts';
import LongestFirst from './test/support/longest-first.ts';
import { BUNDLED_PROGRAM, REPOSITORY_ROOT } from './test/support/program.ts';
import { findMissingRequirements } from './test/support/setup/needs.ts';
import { findAvailableTiers } from './test/support/tiers/available-tiers.ts';

// Loading this only checks for files: a unit test must not wait until a server is started or installed.
const missing = findMissingRequirements();
const { reached } = findAvailableTiers();
const cannotRun = missing.filter(({ name }) => !name.startsWith('database tier')).flatMap(({ files }) => files);
const run = `${process.pid} ${Date.now()}`;

/** The same folder as that of src/cli/main.ts, for the programs of tests, too, that import parts of the service. */
process.env.NODE_COMPILE_CACHE ??= join(REPOSITORY_ROOT, 'node_modules/.cache/energy');
// test/support/global-setup.ts writes it.
if (process.env.FROM_SOURCE !== '1') process.env.TEST_PROGRAM = BUNDLED_PROGRAM;

/** Folders of test/tiers that are named after capabilities of some tiers only. */
const FOLDER_OF = {
  continuousAggregates: 'continuous-aggregates',
} satisfies Partial<Record<keyof Capabilities, string>>;
/**
 * Test files whose statements are the same with hypertables, so these run on `plain` only. Those about aggregates, because tiers without
 * continuous aggregates have the same tables; those about the counting rules, edits, owners' settings and homes, because what hypertables
 * can change of them has stronger tests: late readings and edits in random histories (`retention`), the packed past (`packing`), answers
 * over several months (`open-hours`, `answers`), and concurrent writers of a role (`service`). Exports read the same relations by the same
 * statements; moves read them out of hypertables, too (`move-users`).
 */
const SAME_WITH_HYPERTABLES = [
  ...['alerts', 'costs', 'current-month-sums', 'green-button', 'groups', 'stored-group-sums'],
  ...['counting-rules', 'edits', 'export', 'homes', 'owners'],
];
const beyond = (tier: DatabaseTier) => {
  const { hypertables, continuousAggregates } = DATABASE_TIERS[tier];
  return [
    ...Object.entries(FOLDER_OF)
      .filter(([capability]) => !DATABASE_TIERS[tier][capability as keyof Capabilities])
      .map(([, folder]) => `test/tiers/${folder}/**`),
    ...(hypertables && !continuousAggregates ? SAME_WITH_HYPERTABLES : []).map((name) => `test/tiers/${name}.test.ts`),
  ];
};

/** Project for a level of tests that use databases on this tier's server. */
const level = (name: string, folder: string, tier: DatabaseTier, exclude: string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${folder}/**/*.test.ts`],
    exclude: [...cannotRun, ...exclude],
    globalSetup: ['test/support/global-setup.ts'],
    provide: { tier, run },
    // Modules that one file has imported serve the next: loading the service again takes a second each time.
    isolate: false,
  },
});

const CLUSTER = 'test/system/cluster/**';
/**
 * Tests of several processes that take over from one another within seconds. They run last and two at a time, because a browser and three
 * other services on two cores delayed elections and takeovers beyond every useful bound.
 */
const cluster = {
  extends: true as const,
  test: {
    ...level('cluster', 'system/cluster', 'plain').test,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst, groupOrder: 1 },
  },
};

/**
 * Containers, by `npm run test:images` only: the first run makes images for minutes. One file after the other, because each has the memory
 * and the ports of a whole machine.
 */
const images = {
  extends: true as const,
  test: {
    name: 'images',
    include: ['test/images/**/*.test.ts'],
    exclude: cannotRun,
    globalSetup: ['test/support/images/build.ts'],
    fileParallelism: false,
  },
};

export default defineConfig({
  test: {
    reporters: ['default', ['./test/support/closing-line-reporter.ts', { missing }]],
    // More workers than cores, because many files mostly wait, for a killed broker or for a page.
    maxWorkers: Math.max(3, availableParallelism()),
    pool: 'forks',
    // With a larger young generation, Node collects garbage less often. The tests then need 6 % less processor time.
    execArgv: ['--max-semi-space-size=64'],
    // Node loads the modules itself, as in production: Vite's module runner compiles them again for each process, and turns each use of an
    // import into a call of a getter. No test replaces modules (`vi.mock`), so no loader is needed either.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A test must not fail because the machine is busy: these limits only end a test that hangs. A test that claims a time states it
    // itself.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 300_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      // Modules that were imported once serve all files, because these tests leave no state behind.
      {
        extends: true,
        test: { name: 'unit', include: ['{src,ingest,simulators,bench,deploy}/**/*.test.ts'], isolate: false },
      },
      level('contract', 'contract', 'plain'),
      level('database', 'database', 'plain'),
      level('system', 'system', 'plain', [CLUSTER]),
      cluster,
      ...(process.env.IMAGES ? [images] : []),
      ...reached.map((tier) => level(`tiers:${tier}`, 'tiers', tier, beyond(tier))),
    ],
  },
});
