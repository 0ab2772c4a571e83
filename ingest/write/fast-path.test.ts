import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedReading, QuantityKind } from '#ingest/decoders/decoder.ts';
import { chooseSeriesRoles } from '#ingest/normalise/channels.ts';
import type { SeriesRolesByTime } from '#ingest/normalise/roles-by-time.ts';
import { HOUR_MS } from '#src/core/units.ts';
import { MEASURE_NAMES, type Measure, type MeasureSums } from '#src/rollups/levels.ts';
import type { IncomingMessage } from '../message.ts';
import { collectReadings } from './collect.ts';
import { createEmptyDeltas, type DeltaRow } from './deltas.ts';
import { formatSeriesName, type SeriesState } from './device-state.ts';
import { FastPath } from './fast-path.ts';
import {
  computeDeviceHeadAfterPlan,
  type DeviceHead,
  formatCountingStates,
  formatOpenHourOfDeviceHead,
} from './head.ts';
import { createDeviceHeadCache } from './head-cache.ts';
import { addToOpenHour, getQuarterHourIndex, OPEN_HOUR_VALUE_COUNT, type OpenHourUpdate } from './open-hour.ts';
import { type DeviceWritePlan, planDeviceWrites } from './plan.ts';
import type { EncodedTextElements } from './statement.ts';

const START_MS = Date.UTC(2026, 5, 1, 8);
const DEVICES = 4;
/** Series of the test devices. */
const SERIES: readonly (readonly (readonly [string, QuantityKind])[])[] = [
  [
    ['import', 'register'],
    ['export', 'register'],
    ['import', 'power'],
  ],
  [['import', 'power']],
  [
    ['import', 'interval'],
    ['import', 'temperature'],
  ],
  [
    ['import/t1', 'register'],
    ['import/t2', 'register'],
    ['export/t1', 'register'],
  ],
];

/** Creates the state of a device without readings. */
function newHead(device: number): DeviceHead {
  const names = SERIES[device] as (typeof SERIES)[number];
  const roles = chooseSeriesRoles(names.map(([channel, kind]) => ({ channel, kind })));
  const series = names.map(([channel, kind], index): [string, SeriesState] => [
    formatSeriesName(channel, kind),
    {
      seriesId: 10 * device + index,
      channel,
      kind,
      roles: (roles[index] as SeriesRolesByTime).roles,
      lastReadAtMs: null,
      tail: null,
      tariffSinceMs: Number.NEGATIVE_INFINITY,
      closedUntilMs: null,
    },
  ]);
  return {
    deviceId: `dev_${device}`,
    userId: `usr_${device >> 1}`,
    settings: { limitKw: 100, registerMaxKwh: device ? null : 100_000, maxGapMinutes: 15 },
    computedWith: null,
    series: new Map(series),
    version: 1,
    open: null,
    isSettled: true,
  };
}

/** Returns the result of the slow path; null if it needs stored readings. */
function planned(
  head: DeviceHead,
  messages: readonly IncomingMessage[],
): { head: DeviceHead; plan: DeviceWritePlan; opened: OpenHourUpdate } | null {
  const arrived = collectReadings(messages, 0).series.get(head.deviceId);
  const plan = arrived && planDeviceWrites(head, arrived, new Map());
  if (!plan || !('series' in plan)) return null;
  const opened = addToOpenHour(head.open, plan.deltas.own);
  return { head: computeDeviceHeadAfterPlan(head, plan, opened.open, new Map()).head, plan, opened };
}

/** Removes messages that repeat the last reading of their series. */
function unknown(head: DeviceHead, messages: readonly IncomingMessage[]): IncomingMessage[] {
  const last = new Map(
    [...head.series].map(([name, { lastReadAtMs, lastValue }]) => [name, [lastReadAtMs, lastValue]]),
  );
  return messages.filter(({ decoded }) => {
    const { channel, kind, readAtMs, value } = decoded.readings[0] as DecodedReading;
    const name = formatSeriesName(channel, kind);
    if (isDeepStrictEqual(last.get(name), [readAtMs, value])) return false;
    last.set(name, [readAtMs, value]);
    return true;
  });
}

const unchanged = (head: DeviceHead): ReturnType<typeof planned> => ({
  head,
  plan: {
    device: head,
    series: [],
    deltas: createEmptyDeltas(),
    followed: null,
    pieceUntilMs: Number.NEGATIVE_INFINITY,
    computedWith: head.settings,
    areRolesOpen: false,
    isRecounted: false,
  },
  opened: addToOpenHour(head.open, new Map()),
});

function summed(rows: readonly DeltaRow[]): ReadonlyMap<number, MeasureSums> {
  const sums = new Map<number, MeasureSums>();
  for (const { deviceId: _, userId: __, startsAtMs, ...row } of rows) {
    assert.ok(!sums.has(startsAtMs));
    sums.set(startsAtMs, row);
  }
  return sums;
}

function textsOf({ bytes, count }: EncodedTextElements): (string | null)[] {
  const texts: (string | null)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32BE(at);
    at += 4 + Math.max(0, length);
    texts.push(length === -1 ? null : bytes.toString('latin1', at - length, at));
  }
  expect(texts).toHaveLength(count);
  return texts;
}

const step = fc.record({
  device: fc.nat(DEVICES - 1),
  series: fc.nat(2),
  afterMs: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 1, max: 90_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 600_000, max: 5_000_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 0, -1, -10_000) },
  ),
  rise: fc.oneof(
    { weight: 20, arbitrary: fc.nat(400_000) },
    { weight: 1, arbitrary: fc.integer({ min: -1e9, max: 1e9 }) },
  ),
  messageKind: fc.oneof(
    { weight: 40, arbitrary: fc.constant('reading') },
    { weight: 1, arbitrary: fc.constantFrom('status', 'rejected', 'nothing') },
    // Electricity meters repeat the hourly reading of a gas meter in each message.
    { weight: 3, arbitrary: fc.constant('again') },
  ),
});
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 25, size: 'max' });

test('gives the same results as the plan for readings in order, and passes all other messages to the plan', () => {
  let [followedCount, otherCount, knownCount, closedCount] = [0, 0, 0, 0];
  fc.assert(
    fc.property(history, (batches) => {
      const memory = createDeviceHeadCache({ maxBytes: 2 ** 16 });
      const fastPath = new FastPath(memory);
      const heads = Array.from({ length: DEVICES }, (_, device) => newHead(device));
      // The slow path processes the first readings, because the state of a device without readings is not cached.
      const clocks = heads.map(() => START_MS);
      const values = heads.map(() => 500_000_000);
      const lastSeries = heads.map(() => 0);
      const messageOf = (device: number, series: number, says: string): IncomingMessage => {
        const [channel, kind] = (SERIES[device] as (typeof SERIES)[number])[
          series % (SERIES[device]?.length ?? 1)
        ] as readonly [string, QuantityKind];
        const value = (values[device] as number) + (kind === 'power' && series ? -500_100_000 : 0);
        const reading: DecodedReading = {
          deviceId: `dev_${device}`,
          channel,
          kind,
          readAtMs: clocks[device] as number,
          intervalMs: kind === 'interval' ? 10_000 : 0,
          value,
          element: 0,
        };
        return {
          topic: '',
          payload: Buffer.alloc(0),
          receivedAtMs: START_MS + 40 * HOUR_MS,
          decoded: {
            deviceId: `dev_${device}`,
            readings: says === 'nothing' ? [] : [reading],
            rejections: says === 'rejected' ? [{ element: 1, reason: 'no number' }] : [],
            ...(says === 'status' ? { status: 'online' as const } : {}),
          },
        };
      };
      for (let device = 0; device < DEVICES; device++) {
        const all = (SERIES[device] as (typeof SERIES)[number]).map((_, series) =>
          messageOf(device, series, 'reading'),
        );
        heads[device] = planned(heads[device] as DeviceHead, all)?.head as DeviceHead;
        memory.set(heads[device] as DeviceHead);
      }
      for (const steps of batches) {
        const batch = steps.map(({ device, series, afterMs, rise, messageKind }) => {
          if (messageKind === 'again') return messageOf(device, lastSeries[device] as number, 'reading');
          lastSeries[device] = series;
          clocks[device] = (clocks[device] as number) + afterMs;
          values[device] = Math.max(0, (values[device] as number) + rise);
          return messageOf(device, series, messageKind);
        });
        const before = heads.map(({ deviceId }) => memory.get(deviceId));
        const followed = fastPath.step(batch, 0);
        const [states, opens] = [textsOf(followed.states), textsOf(followed.opens)];
        expect(followed.deviceIds).toEqual(followed.deviceIds.toSorted());
        const isFollowed = ({ decoded }: IncomingMessage) => followed.deviceIds.includes(decoded.deviceId);
        assert.deepEqual(
          followed.others,
          batch.filter((message) => !isFollowed(message)),
        );
        const rows: DecodedReading[] = [];
        const changed = new Set<string>();
        for (const [device, head] of heads.entries()) {
          const messages = batch.filter(({ decoded }) => decoded.deviceId === head.deviceId);
          const index = followed.deviceIds.indexOf(head.deviceId);
          if (index === -1) {
            otherCount += messages.length;
            assert.deepEqual(memory.get(head.deviceId), before[device]);
            // If the slow path would need stored readings, this test drops the messages.
            const after = messages.length > 0 && planned(head, messages);
            const lastMs = Math.max(...[...head.series.values()].map(({ lastReadAtMs }) => lastReadAtMs ?? 0));
            if (after && messages.every(({ decoded }) => decoded.readings.every(({ readAtMs }) => readAtMs > lastMs)))
              heads[device] = after.head;
            memory.set(heads[device] as DeviceHead);
            continue;
          }
          followedCount += messages.length;
          for (const { decoded } of messages) {
            assert.deepEqual([decoded.readings.length, decoded.rejections.length, decoded.status], [1, 0, undefined]);
          }
          const fresh = unknown(head, messages);
          knownCount += messages.length - fresh.length;
          const wanted = fresh.length > 0 ? planned(head, fresh) : unchanged(head);
          if (!wanted) throw new Error('followed what the plan does not take');
          const version = followed.versions[index] as number;
          expect(followed.was[index]).toBe(head.version);
          heads[device] = { ...wanted.head, version };
          assert.deepEqual(memory.get(head.deviceId), heads[device]);
          assert.deepEqual(
            [states[index], opens[index]],
            [formatCountingStates(wanted.head), formatOpenHourOfDeviceHead(wanted.head)],
          );
          const closedRows = followed.closed.filter(({ deviceId }) => deviceId === head.deviceId);
          assert.deepEqual(
            summed(closedRows),
            new Map([...wanted.opened.closed].filter(([, sums]) => MEASURE_NAMES.some((name) => sums[name] !== 0))),
          );
          closedCount += closedRows.length;
          for (const [startMs, { energyMilliwattHours, coveredMs }] of wanted.plan.deltas.own) {
            if (energyMilliwattHours !== 0 || coveredMs !== 0) {
              const hourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
              changed.add(`${head.userId} ${hourMs} ${!wanted.opened.closed.has(startMs)}`);
            }
          }
          for (const one of wanted.plan.series) {
            assert.deepEqual([one.verdicts, one.rejects, one.lowered, one.duplicates], [null, [], [], 0]);
          }
          rows.push(...fresh.flatMap(({ decoded }) => decoded.readings));
        }
        expect(new Set(followed.changes.map(({ userId, hourMs, isOpen }) => `${userId} ${hourMs} ${isOpen}`))).toEqual(
          changed,
        );
        expect(new Set(followed.readings)).toEqual(new Set(rows));
        expect(followed.readings).toHaveLength(rows.length);
        expect(followed.readings.length + followed.duplicates).toBe(batch.filter(isFollowed).length);
        for (const [row, { deviceId, channel, kind }] of followed.readings.entries()) {
          const device = Number(deviceId.slice(4));
          assert.equal(followed.seriesIds[row], heads[device]?.series.get(formatSeriesName(channel, kind))?.seriesId);
        }
      }
    }),
    { numRuns: 50 },
  );
  // Both paths must process many readings, so that the comparison is meaningful.
  expect(Math.min(followedCount, otherCount)).toBeGreaterThan(1_000);
  expect(knownCount).toBeGreaterThan(50);
  expect(closedCount).toBeGreaterThan(50);
});

test.each([
  ['at once', 0],
  ['one after the other', 1_300],
])(
  'handles a meter that sends its tariffs in turn, %s, including the change from one tariff to the next',
  (_, apartMs) => {
    const memory = createDeviceHeadCache({ maxBytes: 2 ** 16 });
    const fastPath = new FastPath(memory);
    const values = [100_000_000, 200_000_000, 300_000_000];
    const round = (index: number): IncomingMessage[] => {
      const running = index < 30 ? 0 : 1;
      values[running] = (values[running] as number) + 5_000;
      // In the batch in which the tariff changes, both tariff registers have increased.
      if (index === 30) values[0] = (values[0] as number) + 2_000;
      return (SERIES[3] ?? []).map(([channel, kind], series) => ({
        topic: '',
        payload: Buffer.alloc(0),
        receivedAtMs: START_MS + HOUR_MS,
        decoded: {
          deviceId: 'dev_3',
          readings: [
            {
              deviceId: 'dev_3',
              channel,
              kind,
              readAtMs: START_MS + index * 10_000 + series * apartMs,
              intervalMs: 0,
              value: values[series] as number,
              element: 0,
            },
          ],
          rejections: [],
        },
      }));
    };
    memory.set(planned(newHead(3), [...round(0), ...round(1)])?.head as DeviceHead);
    for (let index = 2; index < 60; index++) {
      for (const message of round(index)) expect([index, fastPath.step([message], 0).others]).toEqual([index, []]);
    }
  },
);

test('closes an hour whose sums a reading sets to zero', () => {
  const memory = createDeviceHeadCache({ maxBytes: 2 ** 16 });
  const placeOfFirst = (measure: Measure) => getQuarterHourIndex(MEASURE_NAMES.indexOf(measure), 0);
  const quarters = Array<number>(OPEN_HOUR_VALUE_COUNT).fill(0);
  quarters[placeOfFirst('readingCount')] = -1;
  quarters[placeOfFirst('coveredMs')] = quarters[placeOfFirst('exportCoveredMs')] = -60_000;
  const [[name, series] = []] = newHead(1).series;
  const tail = { lastAtMs: START_MS, lastMw: 0 };
  const seriesState = { ...(series as SeriesState), lastReadAtMs: START_MS, tail };
  memory.set({
    ...newHead(1),
    open: { hour: START_MS / HOUR_MS, quarters },
    series: new Map([[name as string, seriesState]]),
  });
  const reading: DecodedReading = {
    deviceId: 'dev_1',
    channel: 'import',
    kind: 'power',
    readAtMs: START_MS + 60_000,
    intervalMs: 0,
    value: 0,
    element: 0,
  };
  const decoded = { deviceId: 'dev_1', readings: [reading], rejections: [] };
  const message = { topic: '', payload: Buffer.alloc(0), receivedAtMs: START_MS + HOUR_MS, decoded };
  const { deviceIds, opens } = new FastPath(memory).step([message], 0);
  expect([deviceIds, textsOf(opens), memory.get('dev_1')?.open]).toEqual([['dev_1'], [null], null]);
});

const reasonsOf: [string, Partial<DecodedReading>, Partial<IncomingMessage['decoded']>, Partial<SeriesState>][] = [
  ['more than readings', {}, { status: 'online' }, {}],
  ['more than readings', {}, { readings: [] }, {}],
  ['new series', { channel: 'export' }, {}, {}],
  ['refused time', { readAtMs: START_MS + 3 * HOUR_MS }, {}, {}],
  ['late', { readAtMs: START_MS - 1 }, {}, {}],
  ['role', {}, {}, { isBehind: true }],
  ['commodity', {}, {}, { roles: { import: true, export: false, meter: 'gas' } }],
  ['verdict', { value: 900_000_000 }, {}, {}],
  ['hour', {}, {}, { tail: { run: [START_MS - 60_000, 500_000_000] } }],
];

test.each(reasonsOf)(
  'passes a device to the plan with the reason %s (%o, %o, %o)',
  (reason, reading, decoded, series) => {
    const memory = createDeviceHeadCache({ maxBytes: 2 ** 16 });
    const fastPath = new FastPath(memory);
    const [[name, first] = []] = newHead(0).series;
    const stored = { lastReadAtMs: START_MS, tail: { run: [START_MS, 500_000_000] }, ...series };
    const head = {
      ...newHead(0),
      open: { hour: START_MS / HOUR_MS, quarters: Array<number>(OPEN_HOUR_VALUE_COUNT).fill(1) },
      series: new Map([[name as string, { ...(first as SeriesState), ...stored }]]),
    };
    const readings: DecodedReading[] = [
      {
        deviceId: 'dev_0',
        channel: 'import',
        kind: 'register',
        readAtMs: START_MS + 60_000,
        intervalMs: 0,
        value: 500_001_000,
        element: 0,
        ...reading,
      },
    ];
    const message: IncomingMessage = {
      topic: '',
      payload: Buffer.alloc(0),
      receivedAtMs: START_MS + HOUR_MS,
      decoded: { deviceId: 'dev_0', rejections: [], readings, ...decoded },
    };
    memory.set(head);
    const before = memory.get('dev_0');
    const { deviceIds, others, reasons } = fastPath.step([message], 0);
    expect([deviceIds, others, reasons.get('dev_0')]).toEqual([[], [message], reason]);
    expect(memory.get('dev_0')).toEqual(before);
  },
);
