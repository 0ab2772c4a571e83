import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createDayRange } from '#src/energy/ranges.ts';
import { createEntryFormatter } from '#src/export/green-button/entry.ts';
import { formatUsagePointEntry, streamGreenButtonXml, streamSubscriptionXml } from '#src/export/green-button/feed.ts';
import {
  createUsagePointId,
  formatApplicationEntry,
  formatAuthorizationEntry,
  formatEntryAsDocument,
  formatServiceStatusXml,
  streamFeedXml,
} from '#src/export/green-button/resources.ts';
import { validateByEspiSchema } from '#test/support/espi-schema.ts';

const EXAMPLE = new URL('../../src/export/green-button/feed.example.xml', import.meta.url);

/** Returns a feed without costs, in a time zone with clock changes, for a period that has not ended yet. */
async function createFeed(): Promise<string> {
  const hour = {
    estimated: 1,
    exported: 3,
    isImportEdited: true,
    isExportEdited: false,
    importCost: null,
    exportEarned: null,
  };
  const startMs = Date.UTC(2026, 3, 4, 15, 30);
  const pieces = streamGreenButtonXml({
    about: 'dev_01k8xq6c1s8f4p9yj2av5g7kmt',
    range: createDayRange('2026-04-05', '2026-04-06', 'Australia/Lord_Howe'),
    now: new Date(startMs + 2_000_000),
    data: {
      unit: 'hour',
      intervals: [{ ...hour, startMs, durationMs: 1_800_000, date: '2026-04-05', imported: 2 ** 46 }],
      bill: null,
      hasExport: true,
    },
    statement: {
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
  expect(await validateByEspiSchema(await createFeed())).toEqual([]);
  // Proves that the schema checks the content of entries, not only Atom.
  const wrong = example.replace('<espi:status>1</espi:status>', '<espi:state>1</espi:state>');
  expect(await validateByEspiSchema(wrong)).toContainEqual(expect.stringContaining('state'));
});

const AT = new Date('2026-11-01T00:00:00.5Z');
const ID = '5b0f3a52-9c1d-4f6e-8a77-0c2d4e6f8a90';
const SERVICE = 'https://energy.example';

async function joinText(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

test('the resources of Green Button Connect My Data are valid by the published schema, too', async () => {
  const app = {
    ...{ id: ID, clientId: 'app_01k8xqe3m5w9c1f7hx0jb4n6rz', name: 'A & B <1>', website: 'https://a.example/?b&c' },
    ...{ redirectUris: ['https://a.example/1', 'https://a.example/2'], createdAt: AT },
  };
  const authorization = { id: ID, scope: null, createdAt: AT, expiresAt: new Date('2027-11-01T00:00:00Z') };
  const about = createUsagePointId(ID, 'usr_01k8xq4v9d7w2m5nehb6t0r3zc');
  const entries = [
    formatApplicationEntry({ ...app, notificationUrl: null }, SERVICE, AT),
    formatApplicationEntry({ ...app, notificationUrl: 'https://a.example/n' }, SERVICE, AT),
    formatAuthorizationEntry(authorization, SERVICE, AT),
    formatAuthorizationEntry(
      { ...authorization, scope: 'FB=4;IntervalDuration=900;BlockDuration=daily;HistoryLength=1', expiresAt: null },
      SERVICE,
      AT,
    ),
    formatUsagePointEntry(about, createEntryFormatter(about, AT.toISOString()), false),
  ];
  for (const entry of entries) expect(await validateByEspiSchema(formatEntryAsDocument(entry))).toEqual([]);
  const self = '/espi/1_1/resource/Authorization';
  expect(
    await validateByEspiSchema(await joinText(streamFeedXml({ self, type: 'Authorization', now: AT }, entries))),
  ).toEqual([]);
  expect(
    await validateByEspiSchema(await joinText(streamFeedXml({ self, type: 'Authorization', now: AT }, []))),
  ).toEqual([]);
  expect(await validateByEspiSchema(formatServiceStatusXml())).toEqual([]);

  const quarter = { durationMs: 900_000, imported: 1, estimated: 0, importCost: null, exportEarned: null };
  const edits = { isImportEdited: false, isExportEdited: true };
  async function* months() {
    yield [{ ...quarter, ...edits, startMs: Date.UTC(2026, 8, 30), date: '2026-09-30', exported: 0 }];
    yield [];
    yield [{ ...quarter, ...edits, startMs: Date.UTC(2026, 9, 1), date: '2026-10-01', exported: 2 }];
  }
  const range = createDayRange('2026-09-30', '2026-10-01', 'UTC');
  const text = await joinText(
    streamSubscriptionXml({ about, self, range, now: AT, unit: 'quarter_hour', months: months() }),
  );
  expect(await validateByEspiSchema(text)).toEqual([]);
  // The feed contains exports only from the first month with exported energy on. Import and export have one reading type each.
  expect(text.match(/<espi:ReadingType>/g)).toHaveLength(2);
  expect(text.match(/<espi:IntervalBlock>/g)).toHaveLength(3);
});
