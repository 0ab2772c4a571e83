import { expect, test } from 'vitest';
import { testDatabase } from '#test/support/database.ts';
import { measureReadings } from '../../../bench/readings.ts';

/** Resident memory that the API may take in addition, in MiB. Without its heap flags it takes some 180 for JSON. */
const MOST_MIB = 60;

test('a million readings are read as JSON and as CSV in constant memory, in the same time at each place', async () => {
  const database = await testDatabase();
  try {
    const results = await measureReadings(database);
    expect(Object.keys(results)).toEqual(['json', 'csv']);
    for (const [format, { readings, more_mib, last_to_first }] of Object.entries(results)) {
      expect({ format, readings }).toEqual({ format, readings: 1_000_000 });
      expect(more_mib, format).toBeLessThanOrEqual(MOST_MIB);
      expect(last_to_first, format).toBeLessThan(4);
    }
  } finally {
    await database.drop();
  }
}, 300_000);
