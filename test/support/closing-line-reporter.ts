import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node';
import type { TestRequirement } from './setup/needs.ts';

/** Vitest reporter that prints a list of the tests that did not run, and one line with the result for other programs. */
export default class ClosingLineReporter implements Reporter {
  readonly #missing: readonly TestRequirement[];
  #projects: Vitest['projects'] = [];
  #levels = new Set<string>();

  constructor({ missing }: { missing: readonly TestRequirement[] }) {
    this.#missing = missing;
  }

  onInit({ projects }: Vitest): void {
    this.#projects = projects;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const projects = specifications.length > 0 ? specifications.map(({ project }) => project) : this.#projects;
    this.#levels = new Set(projects.map(({ name }) => name.split(':')[0] ?? ''));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state !== 'pending') counts[state]++;
      }
      // A file that failed before its tests were collected counts as one failure.
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')) counts.failed++;
    }
    for (const { name, how, files } of this.#missing) {
      // Reports a missing requirement only if tests of this run need it.
      if (!files.some((glob) => this.#levels.has(glob.split('/')[1] ?? ''))) continue;
      console.log(
        `\nNOT RUN: ${name.toUpperCase()} is missing, so these were left out: ${files.join(' ')}. To run them: ${how}.`,
      );
    }
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
