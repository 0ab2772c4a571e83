import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dayRange } from '#src/energy/ranges.ts';
import { greenButtonXml } from '#src/export/green-button/feed.ts';
import { validateByEspiSchema } from '#test/support/espi-schema.ts';

const EXAMPLE = new URL('../../src/export/green-button/feed.example.xml', import.meta.url);

/** Returns a feed of a time zone with its own rules, for a period that is not over, without costs. */
async function running(): Promise<string> {
  const hour = {
    estimated: 1,
    exported: 3,
    isImportEdited: true,
    isExportEdited: false,
    importCost: null,
    exportEarned: null,
  };
  const startMs = Date.UTC(2026, 3, 4, 15, 30);
  const pieces = greenButtonXml({
    about: 'dev_01k8xq6c1s8f4p9yj2av5g7kmt',
    range: dayRange('2026-04-05', '2026-04-06', 'Australia/Lord_Howe'),
    now: new Date(startMs + 2_000_000),
    data: {
      unit: 'hour',
      intervals: [{ ...hour, startMs, durationMs: 1_800_000, date: '2026-04-05', imported: 2 ** 46 }],
      bill: null,
      hasExport: true,
    },
    told: {
      subtitle: 'Bill period bil_1, SHA-256 00, of <A & B>',
      registers: [
        {
          channel: 'import/t1',
          direction: 'import',
          readings: [
            { atMs: startMs, milliwattHours: 2 ** 46, is: 'edited' },
            { atMs: startMs + 1_234, milliwattHours: 2 ** 46 + 1, is: 'interpolated' },
          ],
        },
      ],
    },
  });
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

test('a Green Button feed is valid by the published schema of ESPI', async () => {
  const example = await readFile(EXAMPLE, 'utf8');
  expect(await validateByEspiSchema(example)).toEqual([]);
  expect(await validateByEspiSchema(await running())).toEqual([]);
  // The schema checks the contents of entries, not only Atom.
  const wrong = example.replace('<espi:status>1</espi:status>', '<espi:state>1</espi:state>');
  expect(await validateByEspiSchema(wrong)).toContainEqual(expect.stringContaining('state'));
});
