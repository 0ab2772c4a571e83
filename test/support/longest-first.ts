import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that wait long or work long, the longest first. The order of projects is that of their first file here; within
 * a project the others follow.
 */
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
  'test/tiers/law',
  'test/database/delivery/webhooks',
  'test/database/api/export',
  'test/database/move',
  'test/database/api/dashboard-session',
];
/** A process of vitest serves one project: where the next file is another's, it ends, and the next loads the service anew. */
const LEVELS = ['src/', 'ingest/', 'simulators/', 'test/system/', 'test/tiers/', 'test/database/', 'test/contract/'];

/** Takes one project after the other, and of each the longest files first, so that no worker stands idle beside one that has minutes to go. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = `${this.ctx.config.root}/`;
    const nameOf = ({ moduleId }: TestSpecification) => moduleId.replace(root, '');
    const rankIn = (parts: readonly string[], file: TestSpecification) => {
      const found = parts.findIndex((part) => nameOf(file).startsWith(part));
      return found < 0 ? parts.length : found;
    };
    const levelOf = (file: TestSpecification) => (file.project.name === 'unit' ? 0 : rankIn(LEVELS, file));
    // Stable: within a rank as vitest sorts them.
    return (await super.sort(files)).sort(
      (a, b) =>
        levelOf(a) - levelOf(b) ||
        a.project.name.localeCompare(b.project.name) ||
        rankIn(LONGEST, a) - rankIn(LONGEST, b),
    );
  }
}
