import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutZeros } from '#ingest/normalise/buckets.ts';
import { comparePoints, type LawSettings, type Point } from '#ingest/normalise/law.ts';
import { pointKey, replay } from '#ingest/normalise/replay.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { consumption, quarter, setOf } from '#test/reference/consumption.ts';
import { type History, history, settings } from '#test/reference/histories.ts';
import { ofDevice } from '#test/support/law.ts';
import { type MemoryWriter, memoryWriter } from '#test/support/memory-writer.ts';

/** Random histories that every property runs; LAW_HISTORIES for more. */
const HISTORIES = Number(process.env.LAW_HISTORIES ?? 1_000);

const delivery = fc.record({
  /** Rank of each reading; near to their time where they are not shuffled. */
  order: fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 }),
  shuffled: fc.boolean(),
  /** Which come again at the end. */
  again: fc.array(fc.nat(), { maxLength: 20 }),
  batchSizes: fc.array(fc.constantFrom(1, 2, 7, 40, 300), { minLength: 1, maxLength: 6 }),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;

/** The batches in which readings come: disordered, and some of them twice. */
function batches(all: History['readings'], { order, shuffled, again, batchSizes }: Delivery) {
  const rank = (index: number) => (shuffled ? 0 : index * 100) + (order[index % order.length] as number);
  const byTime = all.toSorted((a, b) => a.readAtMs - b.readAtMs);
  const ranked = byTime.map((one, index) => ({ one, rank: rank(index) })).sort((a, b) => a.rank - b.rank);
  const queue = ofDevice(ranked.map(({ one }) => one));
  queue.push(...again.map((index) => queue[index % all.length] as (typeof queue)[number]));
  const cut: (typeof queue)[] = [];
  for (let turn = 0; queue.length > 0; turn++)
    cut.push(queue.splice(0, batchSizes[turn % batchSizes.length] as number));
  return cut;
}

/** What is stored is what the whole set of readings gives at once, by the reference and by the law itself. */
function expectWhole({ series, profile }: MemoryWriter, all: History['readings'], device: LawSettings) {
  const readings = ofDevice(all);
  const line = (at: number | bigint, values: (number | bigint)[]) => `${new Date(Number(at)).toISOString()} ${values}`;
  const stored = [...withoutZeros(profile)].map(([at, d]) =>
    line(at, [d.energyMwh, d.estimatedMwh, d.exportMwh, d.readingCount, d.coveredMs, d.exportCoveredMs]),
  );
  const wanted = [...consumption(readings, device, quarter)].map(([at, row]) =>
    line(at, [row.energy, row.estimated, row.exported, row.readings, row.covered, row.exportCovered]),
  );
  expect(stored.sort()).toEqual(wanted.sort());
  for (const { channel, kind, roles, points, verdicts, tail } of series) {
    const whole = setOf(readings.filter((one) => one.channel === channel && one.kind === kind));
    const told = (point: Point) => `${pointKey(point)} ${point.value}`;
    expect([...points.values()].sort(comparePoints).map(told)).toEqual(whole.map(told));
    const law = lawOfSeries(channel, kind, roles, device);
    if (!law) continue;
    const run = replay(law, law.initial, whole);
    expect(Object.fromEntries(verdicts)).toEqual(
      Object.fromEntries([...run.verdicts].map(([key, { verdict }]) => [key, verdict])),
    );
    expect(JSON.parse(tail ?? 'null')).toEqual(run.state);
  }
}

test(`${HISTORIES} random histories, in whatever order and batches they come, are worked in as the replay of the whole`, async () => {
  await fc.assert(
    fc.asyncProperty(history, delivery, async ({ readings, ...device }, how) => {
      const writer = memoryWriter(device);
      for (const batch of batches(readings, how)) await writer.write(batch);
      expectWhole(writer, readings, device);
    }),
    { numRuns: HISTORIES },
  );
});

test('settings that change midway hold for the past, too', async () => {
  await fc.assert(
    fc.asyncProperty(history, settings, delivery, fc.nat(), async ({ readings, ...device }, next, how, when) => {
      const writer = memoryWriter(device);
      const all = batches(readings, how);
      for (const [index, batch] of all.entries()) {
        if (index === when % all.length) writer.set(next);
        await writer.write(batch);
      }
      // Of series that nothing came for the past was computed anew, too.
      expectWhole(writer, readings, next);
    }),
    { numRuns: Math.ceil(HISTORIES / 10) },
  );
});
