import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { withoutZeros } from '#ingest/normalise/buckets.ts';
import { editsOfSeries, openFromMs } from '#ingest/normalise/edits.ts';
import { comparePoints, type LawSettings, type Point, type Verdict } from '#ingest/normalise/law.ts';
import { lawByTime } from '#ingest/normalise/law-by-time.ts';
import { pointKey, replay } from '#ingest/normalise/replay.ts';
import { countsUntilMs, hasRole, rolesAt } from '#ingest/normalise/roles-by-time.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { computedOtherwise } from '#ingest/normalise/settings.ts';
import { HOUR_MS, kwhToMilliwattHours } from '#src/core/units.ts';
import { COMMODITIES, isPlaced, METERS } from '#src/database/meter.ts';
import { nativeNameOf, parseChannel } from '#src/devices/channel-name.ts';
import { consumption, quarter, setOf } from '#test/reference/consumption.ts';
import { drawnEdit, editOf, type ReferenceEdit } from '#test/reference/edits.ts';
import { type History, history, settings, tariffHistory } from '#test/reference/histories.ts';
import { firstEditionOfRegisters } from '#test/support/first-edition.ts';
import { ofDevice } from '#test/support/law.ts';
import { MEMORIES, memoryOf } from '#test/support/memories.ts';
import { type MemoryStore, memoryStore, type StoredDevice, wholeProfile } from '#test/support/memory-store.ts';
import { collect } from './collect.ts';
import { count } from './device-deltas.ts';
import type { HeadMemory } from './head-memory.ts';
import { type DevicePlan, planDevice } from './plan.ts';
import { isPastEdits, type StandingDevice, seriesName } from './standing.ts';
import type { Stretch } from './stretch.ts';
import { rolesOpen } from './target-roles.ts';

/** Random histories that are compared; PLANNED_HISTORIES for more. */
const HISTORIES = Number(process.env.PLANNED_HISTORIES ?? 40);
/** Devices of a run, whose readings share batches. */
const DEVICES = 4;
const NOTHING = Buffer.alloc(0);

const pieceMs = fc.oneof(
  fc.constantFrom(1, Number.POSITIVE_INFINITY),
  fc.integer({ min: 1, max: 90 * 60_000 }),
  fc.integer({ min: 1, max: 48 * HOUR_MS }),
);

const delivery = fc.record({
  /** Rank of each reading; near to their time where they are not shuffled. */
  order: fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 }),
  shuffled: fc.boolean(),
  /** Which come again at the end. */
  again: fc.array(fc.nat(), { maxLength: 20 }),
  batchSizes: fc.array(fc.constantFrom(1, 5, 20, 80, 300), { minLength: 2, maxLength: 6 }),
  /** Which of the writers goes on, step by step: one of them mostly plans on what another has changed meanwhile. */
  turns: fc.array(fc.nat(2), { minLength: 1, maxLength: 30 }),
  /** What each of the writers remembers. */
  memories: fc.array(fc.constantFrom(...MEMORIES), { minLength: 3, maxLength: 3 }),
  /** Owners who change settings, and before which step. */
  changes: fc.array(fc.record({ step: fc.nat(200), device: fc.nat(DEVICES - 1), settings }), { maxLength: 3 }),
  /** What is edited by hand, or (the edit of this number) revoked, and before which step. */
  edits: fc.array(
    fc.record({
      step: fc.nat(200),
      device: fc.nat(DEVICES - 1),
      edit: drawnEdit,
      revoked: fc.option(fc.nat(5), { nil: null, freq: 2 }),
    }),
    { maxLength: 8 },
  ),
  /** When a worker takes a device whose edits are not worked in, and how far it gets with them. */
  pieces: fc.array(fc.record({ step: fc.nat(200), device: fc.nat(DEVICES - 1), lengthMs: pieceMs }), { maxLength: 12 }),
  /** How far it gets at a time once all has come. */
  lastPieceMs: fc.constantFrom(7 * HOUR_MS, 50 * HOUR_MS, Number.POSITIVE_INFINITY),
});
type Delivery = typeof delivery extends fc.Arbitrary<infer T> ? T : never;

/** The batches in which readings come: disordered, and some of them twice. */
function batches(all: readonly DecodedReading[], { order, shuffled, again, batchSizes }: Delivery) {
  const rank = (index: number) => (shuffled ? 0 : index * 100) + (order[index % order.length] as number);
  const byTime = all.toSorted((a, b) => a.readAtMs - b.readAtMs);
  const ranked = byTime.map((one, index) => ({ one, rank: rank(index) })).sort((a, b) => a.rank - b.rank);
  const queue = ranked.map(({ one }) => one);
  queue.push(...again.map((index) => queue[index % all.length] as DecodedReading));
  const cut: DecodedReading[][] = [];
  for (let turn = 0; queue.length > 0; turn++)
    cut.push(queue.splice(0, batchSizes[turn % batchSizes.length] as number));
  return cut;
}

/**
 * Writes a batch: remember or load, plan, load what that needs, plan again, commit, remember. Others may come in between,
 * wherever it yields.
 */
function* writing(store: MemoryStore, memory: HeadMemory, batch: readonly DecodedReading[]): Generator<void, void> {
  const message = { topic: '', payload: NOTHING, receivedAtMs: Number.MAX_SAFE_INTEGER };
  const messages = batch.map((one) => ({
    ...message,
    decoded: { deviceId: one.deviceId, readings: [one], rejections: [] },
  }));
  const collected = collect(messages, Number.NEGATIVE_INFINITY);
  for (;;) {
    const plans: { plan: DevicePlan; version: number }[] = [];
    for (const [deviceId, arrived] of collected.series) {
      const head = isFollowing(store, deviceId, arrived) ? memory.get(deviceId) : null;
      const { device, version } = head ? { device: head, version: head.version } : store.load(deviceId);
      const stretches = new Map<number, Stretch[]>();
      for (;;) {
        yield;
        const planned = planDevice(device, arrived, stretches);
        if ('series' in planned) {
          plans.push({ plan: planned, version });
          break;
        }
        for (const one of planned.wanted) {
          stretches.set(one.seriesId, [...(stretches.get(one.seriesId) ?? []), store.stretch(one)]);
        }
      }
    }
    if (!store.commit(plans)) {
      memory.forget(collected.series.keys());
      continue;
    }
    for (const deviceId of collected.series.keys()) {
      const { device, version } = store.load(deviceId);
      memory.set({ ...device, version, open: null, isSettled: isSettled(device) });
    }
    const all = plans.flatMap(({ plan }) => plan.series);
    const count = (of: (plan: (typeof all)[number]) => number) => all.reduce((sum, plan) => sum + of(plan), 0);
    const stored = count(({ inserts, lowered }) => inserts.length + lowered.length);
    const duplicates = count((plan) => plan.duplicates) + collected.duplicates;
    // A value that gives way to a lower one is rejected, though it came in another batch.
    const rejected = count(({ rejects, lowered }) => rejects.length - lowered.length) + collected.rejects.length;
    if (stored + duplicates + rejected !== batch.length)
      throw new Error(`${stored}, ${duplicates}, ${rejected}: not all of ${batch.length}`);
    return;
  }
}

/** Works in what is open of the edits of a device, and of its settings, as far as that lies in a time from the first of it on. */
function workIn(store: MemoryStore, deviceId: string, lengthMs: number): void {
  const { device, version } = store.load(deviceId);
  if (device.computedWith === null) return;
  const openMs = (device.edits ?? []).flatMap((edit) => openFromMs(edit) ?? []);
  const roles = rolesOpen(device, [...device.series.values()]);
  const settingsFrom = computedOtherwise(device.computedWith, device.settings);
  const otherwise = [...roles.values(), ...(settingsFrom ? [settingsFrom] : [])];
  const { series } = store.devices.get(deviceId) as StoredDevice;
  const times = [...series.values()].flatMap(({ points }) => [...points.values()].map(({ readAtMs }) => readAtMs));
  // Changed settings and roles have no start and no end.
  for (const { fromMs } of otherwise) openMs.push(Math.max(fromMs, Math.min(...times)));
  const reachedMs = Math.min(...openMs) + lengthMs;
  const isLast = otherwise.length > 0 && reachedMs > Math.max(...times);
  const pieceUntilMs = isLast ? Number.POSITIVE_INFINITY : reachedMs;
  const stretches = new Map<number, Stretch[]>();
  for (;;) {
    const planned = planDevice({ ...device, pieceUntilMs }, new Map(), stretches);
    if ('series' in planned) {
      expect(store.commit([{ plan: planned, version }])).toBe(true);
      return;
    }
    for (const one of planned.wanted) {
      // Histories are short: with few readings around it, so that it looks further.
      const near = one.back === 1_024 ? { back: 3 } : {};
      const far = one.beyond === 1_024 ? { beyond: 16 } : {};
      const stretch = store.stretch({ ...one, ...near, ...far });
      stretches.set(one.seriesId, [...(stretches.get(one.seriesId) ?? []), stretch]);
    }
  }
}

/** Until nothing of them is open. */
function workInAll(store: MemoryStore, deviceIds: readonly string[], lengthMs: number): void {
  for (const deviceId of deviceIds) {
    while (store.devices.get(deviceId)?.computedWith) workIn(store, deviceId, lengthMs);
  }
}

/** Where there are edits, a remembered head is planned on for what follows all that is stored alone, as the writer does. */
function isFollowing(store: MemoryStore, deviceId: string, arrived: Parameters<typeof planDevice>[1]): boolean {
  const { edits, series } = store.devices.get(deviceId) as StoredDevice;
  if (edits.length === 0) return true;
  return [...arrived].every(([name, { points }]) => {
    const lastReadAtMs = series.get(name)?.lastReadAtMs ?? null;
    return lastReadAtMs !== null && (points[0]?.readAtMs ?? 0) > lastReadAtMs;
  });
}

const isSettled = ({ computedWith, edits = [], series }: StandingDevice): boolean =>
  computedWith === null &&
  isPastEdits(
    edits,
    [...series.values()].map((one) => [one.seriesId as number, one.lastReadAtMs as number, one.tail] as const),
  );

/** Edits a device, as far as that may be: of a register that has told something, one value at a time. */
function editDevice(store: MemoryStore, deviceId: string, edit: ReferenceEdit): void {
  const { edits, series } = store.devices.get(deviceId) as StoredDevice;
  const { channel, value, fromMs } = edit;
  const isTaken = edits.some(
    (one) => one.isInForce && one.value !== null && one.channel === channel && one.fromMs === fromMs,
  );
  if (value !== null && (isTaken || !series.has(seriesName(channel as string, 'register')))) return;
  store.edit(deviceId, edit);
}

/** Three writers take batch after batch, in turns, while owners change settings. */
function deliver(
  store: MemoryStore,
  deviceIds: readonly string[],
  queue: DecodedReading[][],
  how: Delivery,
  all: readonly History['readings'][] = [],
): void {
  const writers: (Generator<void, void> | null)[] = [null, null, null];
  const memories = how.memories.map(memoryOf);
  for (let step = 0; queue.length > 0 || writers.some((writer) => writer !== null); step++) {
    for (const { device, settings } of how.changes.filter((change) => change.step === step)) {
      store.set(deviceIds[device] as string, settings);
    }
    for (const { device, edit, revoked } of how.edits.filter((one) => one.step === step)) {
      const deviceId = deviceIds[device] as string;
      if (revoked !== null) store.revoke(deviceId, revoked);
      else if (all[device]) editDevice(store, deviceId, editOf(all[device], edit));
    }
    for (const { device, lengthMs } of how.pieces.filter((one) => one.step === step)) {
      const deviceId = deviceIds[device];
      if (deviceId && store.devices.get(deviceId)?.series.size) workIn(store, deviceId, lengthMs);
    }
    const turn = how.turns[step % how.turns.length] as number;
    const index = [0, 1, 2].map((one) => (turn + one) % 3).find((one) => writers[one] !== null || queue.length > 0);
    const batch = writers[index as number] === null ? queue.shift() : undefined;
    const writer = batch
      ? writing(store, memories[index as number] as HeadMemory, batch)
      : (writers[index as number] as Generator<void, void>);
    writers[index as number] = writer.next().done ? null : writer;
  }
}

/** The load profile is what the whole set of readings gives at once, by the reference. */
function expectEnergy(device: StoredDevice, all: History['readings']): void {
  const readings = ofDevice(all);
  const edits = inForce(device);
  const line = (at: number | bigint, values: (number | bigint)[]) => `${at} ${values}`;
  const { settings } = device;
  const stored = [...withoutZeros(wholeProfile(device))].map(([at, d]) =>
    line(at, [
      d.energyMilliwattHours,
      d.estimatedMilliwattHours,
      d.exportMilliwattHours,
      d.readingCount,
      d.coveredMs,
      d.exportCoveredMs,
    ]),
  );
  const wanted = [...consumption(readings, settings, quarter, edits)].map(([at, row]) =>
    line(at, [row.energy, row.estimated, row.exported, row.readings, row.covered, row.exportCovered]),
  );
  expect(stored.sort()).toEqual(wanted.sort());
}

const inForce = ({ edits }: StoredDevice): ReferenceEdit[] => edits.filter(({ isInForce }) => isInForce);

/** What is told apart is what the imports of a meter of electricity would be that sends the same. */
function expectMeters(device: StoredDevice, all: History['readings']): void {
  const { settings, meters } = device;
  for (const meter of METERS.filter((one) => !isPlaced(one))) {
    const told = meter.split('_');
    const ofMeter = ofDevice(all).flatMap((one) => {
      const words = one.channel.split('/');
      const mine = words.filter((word) => MEDIA.has(word));
      return mine.join() === told.join() ? [{ ...one, channel: plainly(one.channel) }] : [];
    });
    // Edits of other channels must not be taken for theirs.
    const edits = inForce(device).flatMap((edit) => {
      const media = (edit.channel ?? '').split('/').filter((word) => MEDIA.has(word));
      if (edit.channel === null) return [edit];
      return media.join() === told.join() ? [{ ...edit, channel: plainly(edit.channel) }] : [];
    });
    // An electricity meter's power counts as export, too, and so has readings beside a register.
    const counts = (readings: number | bigint) => (ofMeter.some(({ kind }) => kind === 'power') ? '' : readings);
    const wanted = [...consumption(ofMeter, settings, quarter, edits)]
      .filter(([, row]) => row.covered > 0n)
      .map(([at, row]) => `${at} ${[row.energy, row.estimated, counts(row.readings), row.covered]}`);
    const stored = [...withoutZeros(meters.get(meter) ?? new Map())].map(
      ([at, row]) =>
        `${at} ${[row.energyMilliwattHours, row.estimatedMilliwattHours, counts(row.readingCount), row.coveredMs]}`,
    );
    expect(stored.sort()).toEqual(wanted.sort());
  }
}

const plainly = (channel: string) =>
  channel
    .split('/')
    .filter((word) => !MEDIA.has(word))
    .join('/');

/** Words of a channel that say what it is of. */
const MEDIA: ReadonlySet<string> = new Set([...COMMODITIES, 'm3']);

/** So is all that is stored of its series, by the law itself. */
function expectWhole(device: StoredDevice, all: History['readings']): void {
  expectEnergy(device, all);
  expectMeters(device, all);
  const { series, settings } = device;
  const readings = ofDevice(all);
  for (const { channel, kind, roles, points, verdicts, tail, lastReadAtMs } of series.values()) {
    const sent = setOf(readings.filter((one) => one.channel === channel && one.kind === kind));
    const { isExcluded, added } = editsOfSeries(
      device.edits.map((edit) => ({ ...edit, counted: null })),
      channel,
      kind,
      Number.POSITIVE_INFINITY,
    );
    const whole = [...sent, ...added].sort(comparePoints);
    const told = (point: Point) => `${pointKey(point)} ${point.value}`;
    expect([...points.values()].sort(comparePoints).map(told)).toEqual(whole.map(told));
    expect(lastReadAtMs).toBe(whole.at(-1)?.readAtMs);
    const law = lawOfSeries(channel, kind, roles, settings);
    const run = law && replay(law, law.initial, whole, isExcluded);
    expect(Object.fromEntries(verdicts)).toEqual(
      Object.fromEntries([...(run?.verdicts.values() ?? [])].map((judged) => [pointKey(judged), judged.verdict])),
    );
    expect(JSON.parse(tail ?? 'null')).toEqual(run ? run.state : null);
  }
}

function paired(histories: readonly ({ readings: History['readings'] } & LawSettings)[]) {
  const store = memoryStore();
  const devices = histories.map(({ readings, ...settings }, index) => {
    const deviceId = `dev_${index}`;
    store.pair(deviceId, settings);
    return { deviceId, readings };
  });
  return { store, devices };
}

test.each([
  [HISTORIES, 'random histories', history],
  [Math.ceil(HISTORIES / 4), 'histories of tariffs', tariffHistory],
])(
  '%i %s, in any order, batches and writer, are planned like a replay of the whole',
  (count, _, one) => {
    fc.assert(
      fc.property(fc.array(one, { minLength: DEVICES, maxLength: DEVICES }), delivery, (histories, how) => {
        const { store, devices } = paired(histories);
        const all = devices.flatMap(({ deviceId, readings }) => ofDevice(readings, deviceId));
        const deviceIds = devices.map(({ deviceId }) => deviceId);
        deliver(
          store,
          deviceIds,
          batches(all, how),
          how,
          devices.map(({ readings }) => readings),
        );
        workInAll(store, deviceIds, how.lastPieceMs);
        for (const { deviceId, readings } of devices) {
          const device = store.devices.get(deviceId) as StoredDevice;
          expectWhole(device, readings);
        }
      }),
      { numRuns: Math.ceil(count / DEVICES), endOnFailure: true },
    );
  },
  300_000,
);

/**
 * What is stored is what the law says of the readings that are stored, by what its device was computed with at each time: so it is between
 * two pieces, too, of edits and of settings.
 */
function expectLawful(device: StoredDevice): void {
  const { settings, computedWith, edits, series } = device;
  const profile = { own: new Map(), meters: new Map() };
  for (const { channel, kind, points, verdicts, tail, splits, ...of } of series.values()) {
    const roles = rolesAt(of);
    const endMs = countsUntilMs(of);
    const law = lawByTime(of, (one) =>
      lawOfSeries(channel, kind, one, { ...(computedWith ?? settings), ...(splits && { splits }) }),
    );
    const { isExcluded } = editsOfSeries(edits, channel, kind, Number.NEGATIVE_INFINITY);
    const told = [...points.values()].filter(({ readAtMs }) => readAtMs < endMs).sort(comparePoints);
    const run = replay(law, law.initial, told, isExcluded);
    expect(new Map([...run.verdicts].map(([key, { verdict }]) => [key, verdict]))).toEqual(verdicts);
    const isPast = points.size > told.length || told.length === 0;
    expect(JSON.parse(tail ?? 'null')).toEqual(isPast ? null : run.state);
    for (const interval of run.intervals) count(profile, interval, roles(interval.endMs), 1);
  }
  // Where energy of tariffs lies is not told by each of them alone.
  if ([...series.values()].some((of) => hasRole(of, ({ isTariff }) => isTariff))) return;
  expect(withoutZeros(new Map(wholeProfile(device)))).toEqual(withoutZeros(profile.own));
}

/** What an owner may say of a quantity. */
const MEANINGS = ['import', 'export', 'import/t1', 'import/t2', 'export/t1', 'import/l1', 'gas', 'heat', 'ignored'];

/**
 * What is done to a device one after the other: readings come, an edit is made or revoked, a setting is changed, a worker gets so far with
 * what is open.
 */
const doing = fc.oneof(
  { weight: 2, arbitrary: fc.record({ share: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ edit: drawnEdit }) },
  { weight: 2, arbitrary: fc.record({ revoked: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ settings }) },
  { weight: 3, arbitrary: fc.record({ said: fc.nat(20), countsAs: fc.constantFrom(null, ...MEANINGS) }) },
  { weight: 6, arbitrary: fc.record({ lengthMs: pieceMs }) },
);

test('edits and settings are worked in and taken back piece by piece, whatever comes in between', () => {
  fc.assert(
    fc.property(
      fc.oneof({ weight: 3, arbitrary: history }, { weight: 1, arbitrary: tariffHistory }),
      fc.array(doing, { minLength: 10, maxLength: 40 }),
      fc.nat(),
      fc.constantFrom(50 * HOUR_MS, Number.POSITIVE_INFINITY),
      (one, done, order, lastPieceMs) => {
        const { store, devices } = paired([one]);
        const device = store.devices.get('dev_0') as StoredDevice;
        const rank = (index: number) => ((index + 1) * (order % 977)) % 1_009;
        const all = ofDevice(devices[0]?.readings ?? [], 'dev_0');
        const left =
          order % 2 === 0
            ? [...all]
            : all
                .map((reading, index) => ({ reading, at: rank(index) }))
                .sort((a, b) => a.at - b.at)
                .map(({ reading }) => reading);
        const come = (share: number) => {
          const batch = left.splice(0, Math.ceil((all.length * share) / 100));
          if (batch.length > 0) for (const _ of writing(store, memoryOf('none'), batch));
        };
        come(20);
        for (const next of done) {
          if ('share' in next) come(next.share);
          else if ('edit' in next) editDevice(store, 'dev_0', editOf(one.readings, next.edit));
          else if ('revoked' in next) store.revoke('dev_0', next.revoked);
          else if ('settings' in next) store.set('dev_0', next.settings);
          else if ('said' in next) say(store, 'dev_0', next.said, next.countsAs);
          else workIn(store, 'dev_0', next.lengthMs);
          expectLawful(device);
        }
        come(100);
        workInAll(store, ['dev_0'], lastPieceMs);
        expectAtOnce(device, one.readings);
        for (const name of Object.keys(device.words)) store.say('dev_0', name, null);
        workInAll(store, ['dev_0'], lastPieceMs);
        expectWhole(device, one.readings);
      },
    ),
    { numRuns: Math.ceil(HISTORIES / 4), endOnFailure: true },
  );
}, 300_000);

/** The owner says of one of the quantities what it counts as. */
function say(store: MemoryStore, deviceId: string, index: number, countsAs: string | null): void {
  const series = [...(store.devices.get(deviceId) as StoredDevice).series.values()];
  const one = series[index % series.length];
  if (one) store.say(deviceId, nativeNameOf(one), countsAs);
}

/** All that is stored is what it would be if its owner had said of its quantities what they count as before the first reading came. */
function expectAtOnce(device: StoredDevice, readings: History['readings']): void {
  const { settings, words, edits } = device;
  const { store } = paired([{ ...settings, readings: [] }]);
  const other = store.devices.get('dev_0') as StoredDevice;
  other.words = words;
  for (const _ of writing(store, memoryOf('none'), ofDevice(readings, 'dev_0')));
  for (const { editId: _id, isInForce, counted: _counted, ...edit } of edits) if (isInForce) store.edit('dev_0', edit);
  workInAll(store, ['dev_0'], Number.POSITIVE_INFINITY);
  expect(withoutZeros(new Map(wholeProfile(device)))).toEqual(withoutZeros(new Map(wholeProfile(other))));
  const metersOf = (one: StoredDevice) =>
    Object.fromEntries(
      [...one.meters]
        .map(([meter, profile]) => [meter, withoutZeros(new Map(profile))])
        .filter(([, profile]) => (profile as Map<number, unknown>).size > 0),
    );
  expect(metersOf(device)).toEqual(metersOf(other));
  for (const [name, one] of device.series) {
    const same = other.series.get(name) as typeof one;
    for (const member of ['roles', 'earlierRoles', 'lastReadAtMs', 'tail', 'verdicts', 'points'] as const)
      if (member === 'points') expect(one.points.size).toBe(same.points.size);
      else expect(one[member], member).toEqual(same[member]);
  }
}

/** Load profiles of the reference, added up. */
function added(profiles: readonly ReturnType<typeof consumption>[]): Map<string, string> {
  const sums = new Map<string, bigint[]>();
  for (const [at, row] of profiles.flatMap((one) => [...one])) {
    const values = [row.energy, row.estimated, row.exported, row.readings, row.covered, row.exportCovered];
    const known = sums.get(String(at));
    sums.set(
      String(at),
      known ? values.map((value, place) => BigInt(value) + (known[place] as bigint)) : values.map(BigInt),
    );
  }
  return new Map([...sums].map(([at, values]) => [at, String(values)]));
}

test('where its owner changes what is read of it, a series begins anew: whatever comes late, each side counts by itself', () => {
  const scale = fc.constantFrom(0.001, 0.1, 10, 1_000, -1);
  fc.assert(
    fc.property(
      history,
      fc.constantFrom('register' as const, 'power' as const),
      fc.record({
        order: fc.integer({ min: 1, max: 1_008 }),
        share: fc.integer({ min: 5, max: 95 }),
        isOrdered: fc.boolean(),
      }),
      scale,
      fc.option(settings, { nil: null }),
      (one, kind, { order, share, isOrdered }, factor, changed) => {
        fc.pre(kind === 'power' || factor > 0);
        const { readings, ...of } = one;
        const mine = ofDevice(readings, 'dev_0').filter(
          (reading) => reading.kind === kind && reading.channel === 'import',
        );
        fc.pre(mine.length > 3);
        const { store } = paired([{ ...of, readings: [] }]);
        const device = store.devices.get('dev_0') as StoredDevice;
        const rank = (index: number) => ((index + 1) * order) % 1_009;
        const queue = isOrdered
          ? mine.toSorted((a, b) => a.readAtMs - b.readAtMs)
          : mine
              .map((reading, index) => ({ reading, at: rank(index) }))
              .sort((a, b) => a.at - b.at)
              .map(({ reading }) => reading);
        const former = queue.slice(0, Math.ceil((queue.length * share) / 100));
        // Some of the former come again, and are read anew.
        const latter = [...former.slice(-3), ...queue.slice(former.length)].map((reading) => ({
          ...reading,
          // No -0, which JSON does not know.
          value: Math.round(reading.value * factor) + 0,
        }));
        const come = (all: readonly DecodedReading[]) => {
          for (let first = 0; first < all.length; first += 7)
            for (const _ of writing(store, memoryOf('all'), all.slice(first, first + 7)));
          expectLawful(device);
        };
        come(former);
        store.split('dev_0');
        const splitMs = Math.max(...former.map(({ readAtMs }) => readAtMs));
        come(latter);
        if (changed) {
          store.set('dev_0', changed);
          workInAll(store, ['dev_0'], 50 * HOUR_MS);
          expectLawful(device);
        }
        const sides = [former, latter.filter(({ readAtMs }) => readAtMs > splitMs)];
        const wanted = added(sides.map((side) => consumption(side, device.settings, quarter, [])));
        const stored = [...withoutZeros(wholeProfile(device))].map(
          ([at, d]) =>
            [
              String(at),
              String([
                d.energyMilliwattHours,
                d.estimatedMilliwattHours,
                d.exportMilliwattHours,
                d.readingCount,
                d.coveredMs,
                d.exportCoveredMs,
              ]),
            ] as const,
        );
        expect(new Map(stored)).toEqual(wanted);
      },
    ),
    { numRuns: HISTORIES * 2, endOnFailure: true },
  );
}, 300_000);

test('edits that are made or revoked together with a setting are worked in with it', () => {
  const { store } = paired([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
  const device = store.devices.get('dev_0') as StoredDevice;
  const at = (hour: number) => Date.UTC(2026, 8, 29, hour);
  const readings = [0, 1, 5, 6, 7].map((hour) => ({
    channel: 'import',
    kind: 'register' as const,
    readAtMs: at(hour),
    intervalMs: 0,
    value: kwhToMilliwattHours(100 + hour),
  }));
  const write = () => {
    for (const _ of writing(store, memoryOf('all'), ofDevice(readings, 'dev_0')));
    workInAll(store, ['dev_0'], HOUR_MS);
    expectWhole(device, readings);
  };
  write();
  const series = { channel: 'import', kind: 'register' };
  store.set('dev_0', { ...device.settings, limitKw: 90 });
  store.edit('dev_0', { ...series, fromMs: at(2), toMs: at(2) + 1, value: kwhToMilliwattHours(104) });
  store.edit('dev_0', { ...series, fromMs: at(6), toMs: at(9), value: null });
  write();
  store.set('dev_0', { ...device.settings, limitKw: 80 });
  store.revoke('dev_0', 0);
  write();
});

test('late readings hours apart: the second begins after what the first has changed', () => {
  const { store } = paired([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
  const reading = ([time, kwh]: readonly [string, number]): DecodedReading => ({
    deviceId: 'dev_0',
    channel: 'import',
    kind: 'register',
    readAtMs: Date.parse(`2026-09-29T${time}:00Z`),
    intervalMs: 0,
    value: kwhToMilliwattHours(kwh),
    element: 0,
  });
  const first = (
    [
      ['10:00', 99.6],
      ['10:30', 100],
      ['11:00', 100.2],
      ['11:50', 100.6],
      ['12:10', 101],
      ['12:15', 101.1],
      ['12:20', 101.3],
      // 120 kW: held, until the readings of six hours later fit it.
      ['12:30', 121.3],
    ] as const
  ).map(reading);
  const late = (
    [
      ['12:02', 100.9],
      ['18:10', 121.4],
      ['18:20', 121.5],
    ] as const
  ).map(reading);
  for (const batch of [...first.map((one) => [one]), late]) for (const _ of writing(store, memoryOf('none'), batch));
  expectWhole(store.devices.get('dev_0') as StoredDevice, [...first, ...late]);
});

/**
 * Makes all that is stored what the first edition of the law wrote. Answers whether that changed any but the tails: a reading that it
 * counted plainly may be one that the second has left undecided, and then what is late after it finds that decided.
 */
function asStoredBefore(device: StoredDevice): boolean {
  const { series, settings } = device;
  const all = () => [
    ...[wholeProfile(device), ...device.meters.values()].map((one) => withoutZeros(new Map(one))),
    ...[...series.values()].map(({ verdicts }) => verdicts),
  ];
  const before = all();
  device.profile = new Map();
  device.meters = new Map();
  device.open = null;
  for (const one of series.values()) {
    const law = lawOfSeries(one.channel, one.kind, one.roles, settings);
    if (!law) continue;
    const points = [...one.points.values()].sort(comparePoints);
    const old = one.kind === 'register' && firstEditionOfRegisters(settings, parseChannel(one.channel).direction);
    const { intervals, verdicts, state } = old ? replay(old, old.initial, points) : replay(law, law.initial, points);
    for (const interval of intervals) count({ own: device.profile, meters: device.meters }, interval, one.roles, 1);
    if (!old) continue;
    one.verdicts = new Map([...verdicts].map(([key, { verdict }]) => [key, verdict as Verdict]));
    one.tail = JSON.stringify(state);
    // What was stored of tariffs lies over their whole steps.
    if (one.roles.isTariff) one.tariffSinceMs = one.lastReadAtMs as number;
  }
  return !isDeepStrictEqual(before, all());
}

test('an installation of the first edition goes on from its rows, and is of the second once it is computed anew', () => {
  const share = fc.integer({ min: 1, max: 99 });
  const changed = (one: LawSettings): LawSettings => ({ ...one, maxGapMinutes: one.maxGapMinutes + 5 });
  const installations = Math.max(20, Math.ceil(HISTORIES / 10));
  let others = 0;
  fc.assert(
    fc.property(fc.oneof(history, tariffHistory), delivery, share, (one, how, percent) => {
      const { store } = paired([one]);
      const device = store.devices.get('dev_0') as StoredDevice;
      const all = batches(ofDevice(one.readings, 'dev_0'), how);
      const [last] = ofDevice(one.readings.slice(-1), 'dev_0');
      deliver(store, ['dev_0'], all.splice(0, Math.ceil((all.length * percent) / 100)), {
        ...how,
        changes: [],
        edits: [],
      });
      const isOther = store.rewrite('dev_0', asStoredBefore);
      deliver(store, ['dev_0'], all, { ...how, changes: [], edits: [] });
      if (isOther) others++;
      // Steps of tariffs that end before stay where they were, also where late readings change them.
      const hasTariffs = [...device.series.values()].some(({ roles }) => roles.isTariff);
      if (!isOther && !hasTariffs) expectEnergy(device, one.readings);
      store.set('dev_0', changed(device.settings));
      deliver(store, ['dev_0'], [[last as DecodedReading]], { ...how, changes: [], edits: [], pieces: [] });
      workInAll(store, ['dev_0'], how.lastPieceMs);
      expectWhole(device, one.readings);
    }),
    { numRuns: installations, endOnFailure: true },
  );
  // A third of them are others.
  expect(others).toBeGreaterThan(installations / 25);
}, 300_000);
