import type { Reporter, TestModule, TestSpecification } from 'vitest/node';
import type { Need } from './setup/needs.ts';

/** Closes the run: what was not run, loudly, and one plain line that other programs can read. */
export default class ClosingLineReporter implements Reporter {
  readonly #missing: readonly Need[];
  #levels = new Set<string>();

  constructor({ missing }: { missing: readonly Need[] }) {
    this.#missing = missing;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#levels = new Set(specifications.map(({ project }) => project.name.split(':')[0] ?? ''));
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
    for (const { name, how, files } of this.#missing) {
      // Who runs unit tests alone is not told of brokers.
      if (!files.some((glob) => this.#levels.has(glob.split('/')[1] ?? ''))) continue;
      console.log(
        `\nNOT RUN: ${name.toUpperCase()} is missing, so these were left out: ${files.join(' ')}. To run them: ${how}.`,
      );
    }
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
