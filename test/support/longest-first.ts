import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest test files, slowest first. vitest projects run in the order of their first file in this list. */
const LONGEST = [
  'ingest/write/plan',
  'ingest/decoders/families.fuzz',
  'test/system/start/bad-days',
  'test/system/cluster/',
  'test/system/alerts/firings-under-kills',
  'test/system/dashboard/',
  'test/system/start/supervisor',
  'test/system/ingest/pipeline',
  'test/tiers/move',
  'test/tiers/retention',
  'test/tiers/packing',
  'test/tiers/homes',
  'test/tiers/counting-rules',
  'test/database/delivery/webhook',
  'test/database/api/export',
  'test/database/move',
  'test/database/api/dashboard-session',
];
/** Order of the vitest projects. Each change of project starts a new process. */
const LEVELS = ['src/', 'ingest/', 'simulators/', 'test/system/', 'test/tiers/', 'test/database/', 'test/contract/'];

/** Runs the vitest projects one after another, and the slowest files of each first, so that no worker idles at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = `${this.ctx.config.root}/`;
    const nameOf = ({ moduleId }: TestSpecification) => moduleId.replace(root, '');
    const rankIn = (parts: readonly string[], file: TestSpecification) => {
      const found = parts.findIndex((part) => nameOf(file).startsWith(part));
      return found < 0 ? parts.length : found;
    };
    const levelOf = (file: TestSpecification) => (file.project.name === 'unit' ? 0 : rankIn(LEVELS, file));
    // The sort is stable: files with the same rank remain in vitest's order.
    return (await super.sort(files)).sort(
      (a, b) =>
        levelOf(a) - levelOf(b) ||
        a.project.name.localeCompare(b.project.name) ||
        rankIn(LONGEST, a) - rankIn(LONGEST, b),
    );
  }
}
