import type { Reporter, TestModule } from 'vitest/node';
import type { MissingTier } from './tiers/reach.ts';

/** Closes the run: what was not run, loudly, and one plain line that other programs can read. */
export default class ClosingLineReporter implements Reporter {
  readonly #missing: readonly MissingTier[];

  constructor({ missing }: { missing: readonly MissingTier[] }) {
    this.#missing = missing;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
      // A file that failed before its tests were known is a failure, too.
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')) counts.failed++;
    }
    for (const { tier, how } of this.#missing) {
      console.log(`\nNOT RUN: DATABASE TIER ${tier.toUpperCase()}. To run it: ${how}.`);
    }
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
