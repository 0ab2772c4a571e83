import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { type Capabilities, DATABASE_TIERS, type DatabaseTier } from './src/database/capabilities.ts';
import LongestFirst from './test/support/longest-first.ts';
import { BUNDLED_PROGRAM, REPOSITORY_ROOT } from './test/support/program.ts';
import { findMissingRequirements } from './test/support/setup/needs.ts';
import { findAvailableTiers } from './test/support/tiers/available-tiers.ts';

// These calls only look for files, so that no unit test waits until a server is started or installed.
const missing = findMissingRequirements();
const { reached } = findAvailableTiers();
const cannotRun = missing.filter(({ name }) => !name.startsWith('database tier')).flatMap(({ files }) => files);
const run = `${process.pid} ${Date.now()}`;

/**
 * Compile cache of Node.js, in the same folder as in src/cli/main.ts. It is also used by programs of tests that import parts of the
 * service.
 */
process.env.NODE_COMPILE_CACHE ??= join(REPOSITORY_ROOT, 'node_modules/.cache/energy');
// test/support/global-setup.ts creates this program.
if (process.env.FROM_SOURCE !== '1') process.env.TEST_PROGRAM = BUNDLED_PROGRAM;

/** Folder of test/tiers for each capability that only some tiers have. */
const FOLDER_OF = {
  continuousAggregates: 'continuous-aggregates',
} satisfies Partial<Record<keyof Capabilities, string>>;
/**
 * Test files that run on `plain` but not on a tier with hypertables and without continuous aggregates, because their statements are the
 * same there. Both tiers store aggregates in the same tables. For the files about counting rules, edits, homes and owners, other files test
 * the effects of hypertables: `retention` tests late readings and edits, `packing` packed days, `open-hours` and `answers` responses over
 * several months, and `service` concurrent writers. For exports, `move-users` tests reading from hypertables.
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
    // Files share the modules that an earlier file has imported, because loading the service again takes a second each time.
    isolate: false,
  },
});

const CLUSTER = 'test/system/cluster/**';
/**
 * Tests of several processes that take over from one another within seconds. They run last, and at most two at a time: next to a browser
 * and three other services on two cores, elections and takeovers took far longer than the limits of these tests.
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
 * Tests of container images. They run only with `npm run test:images`, because the first run needs minutes to build the images. Files run
 * one after another, because each uses the memory and the ports of a whole machine.
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
    // There are more workers than cores, because many test files mostly wait, for example until a killed broker runs again or a page is loaded.
    maxWorkers: Math.max(3, availableParallelism()),
    pool: 'forks',
    // With a larger young generation, Node collects garbage less often. The tests then need 6 % less processor time.
    execArgv: ['--max-semi-space-size=64'],
    // Node loads the modules itself, as in production. Vite's module runner would compile them again for each process, and would replace
    // each use of an import by the call of a getter. No test replaces modules (`vi.mock`), so no loader is needed either.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // These long limits only end a test that hangs, so that no test fails because the machine is busy. A test that must finish within a
    // certain time checks this itself.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 300_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      // Files share modules that were imported once, because these tests leave no state behind.
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
