import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait long or work long, the longest first; then the others of each level, and unit tests at the end. */
const LONGEST = [
  'test/system/start/bad-days',
  'test/system/start/supervisor',
  'test/tiers/move',
  'test/system/alerts/firings-under-kills',
  'test/tiers/retention',
  'test/tiers/law',
  'test/system/ingest/pipeline',
  'ingest/write/plan',
  'ingest/decoders/families.fuzz',
];
const LEVELS = ['test/system/', 'test/tiers/', 'test/database/', 'test/contract/'];

/** Begins with the longest files, so that at the end no worker stands idle beside one that has minutes to go. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = [...LONGEST, ...LEVELS];
    const rank = ({ moduleId }: TestSpecification) => {
      const found = ranks.findIndex((part) => moduleId.includes(part));
      return found < 0 ? ranks.length : found;
    };
    // Stable: within a rank as vitest sorts them.
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
