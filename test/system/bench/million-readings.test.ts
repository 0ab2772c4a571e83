import { expect, test } from 'vitest';
import { createTestDatabase } from '#test/support/database.ts';
import { measureReadingsApi } from '../../../bench/readings.ts';

/**
 * Number of readings that are stored and then read in pages of 10,000. With READ_READINGS=1000000, the number is that of `npm run bench --
 * readings`.
 */
const READINGS = Number(process.env.READ_READINGS ?? 400_000);
/** Maximum growth of the API's memory in MiB while the readings are read. Without limits on its heap, it is some 180 MiB. */
const MAX_MIB = 60;

test(`${READINGS.toLocaleString('en')} readings are read as JSON and as CSV in constant memory, and every page takes the same time`, async () => {
  const database = await createTestDatabase();
  try {
    const results = await measureReadingsApi(database, READINGS);
    expect(Object.keys(results)).toEqual(['json', 'csv']);
    for (const [format, { readings, more_mib, last_to_first }] of Object.entries(results)) {
      expect({ format, readings }).toEqual({ format, readings: READINGS });
      expect(more_mib, format).toBeLessThanOrEqual(MAX_MIB);
      expect(last_to_first, format).toBeLessThan(4);
    }
  } finally {
    await database.drop();
  }
});
