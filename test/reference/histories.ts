import fc from 'fast-check';
import type { DecodedReading, Kind } from '#ingest/decoders/decoder.ts';

/** A device's history: its settings and everything that it ever sent, in no particular order. */
export interface History {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
  readings: Omit<DecodedReading, 'deviceId' | 'element'>[];
}

const KWH = 1_000_000;
const MINUTE = 60_000;
/** Histories lie in a few days around a change of month, so that every aggregate has a bound to cross. */
export const START_MS = Date.UTC(2026, 8, 28, 22, 0, 0);

const stepMs = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 * MINUTE }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((hours) => hours * 60 * MINUTE) },
);

/** What happens to a register between two readings. */
const event = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('use' as const), milliwattHours: fc.integer({ min: 0, max: 900_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('use' as const),
      milliwattHours: fc.constantFrom(0, 1_000, KWH, 2 * KWH),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('spike' as const),
      milliwattHours: fc.integer({ min: -50 * KWH, max: 5_000 * KWH }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jitter' as const),
      milliwattHours: fc.integer({ min: 1, max: 120_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      milliwattHours: fc.integer({ min: 0, max: 3_000 * KWH }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('reset' as const), milliwattHours: fc.integer({ min: 0, max: 2 * KWH }) }),
  },
  // Past 1,000 kWh.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wrap' as const),
      milliwattHours: fc.integer({ min: 0, max: 900 }).map((n) => n * 10_000),
    }),
  },
  // A source that freezes for so many readings while the register goes on, and one that tells them all at once at the end.
  { weight: 1, arbitrary: longer('frozen', { min: 0, max: 3 * KWH }, 8) },
  { weight: 1, arbitrary: longer('queue', { min: 0, max: 3 * KWH }, 8) },
  // A false value that is sent so often.
  { weight: 1, arbitrary: longer('false', { min: -5 * KWH, max: 60 * KWH }, 3) },
  // A register that stands still, and another one in its place.
  { weight: 1, arbitrary: longer('replaced', { min: 0, max: 3_000 * KWH }, 6) },
);

function longer<K extends string>(kind: K, milliwattHours: { min: number; max: number }, readings: number) {
  return fc.record({
    kind: fc.constant(kind),
    milliwattHours: fc.integer(milliwattHours),
    readings: fc.integer({ min: 1, max: readings }),
  });
}

/** Readings of one series, with every fault that its law names. */
export const registers = (channel: string) =>
  fc
    .record({
      first: fc.constantFrom(0, 12_345 * 1_000, 100 * KWH, 995 * KWH, 400_000_000_000),
      steps: fc.array(fc.tuple(stepMs, event), { minLength: 12, maxLength: 30 }),
    })
    .map(({ first, steps }) => {
      const readings: History['readings'] = [];
      let at = START_MS;
      let value = first;
      const show = (shown: number) =>
        readings.push({ channel, kind: 'register', readAtMs: at, intervalMs: 0, value: Math.max(0, shown) });
      for (const [ms, event] of steps) {
        at += ms;
        const { kind, milliwattHours } = event;
        if (kind === 'use') value += milliwattHours;
        if (kind === 'jump' || kind === 'reset') value = milliwattHours;
        if (kind === 'wrap')
          value = value > 900 * KWH && value <= 1_000 * KWH ? milliwattHours / 10 : value + milliwattHours;
        if ('readings' in event) {
          const before = value;
          for (let left = event.readings; left > 0; left--, at += kind === 'queue' ? 1 + (ms % 7) : ms) {
            if (kind === 'frozen' || kind === 'queue') value += milliwattHours;
            if (kind === 'queue') at += left === event.readings ? event.readings * ms : 0;
            show(kind === 'queue' ? value : kind === 'false' ? before + milliwattHours : before);
          }
          if (kind === 'replaced') value = milliwattHours;
        }
        show(kind === 'spike' ? value + milliwattHours : kind === 'jitter' ? value - milliwattHours : value);
      }
      return readings;
    });

export const powers = (channel: string) =>
  fc
    .array(fc.tuple(stepMs, fc.integer({ min: -6_000_000, max: 9_000_000 })), { minLength: 5, maxLength: 30 })
    .map((steps) => {
      let at = START_MS;
      return steps.map(([ms, value]) => {
        at += ms;
        return { channel, kind: 'power' as Kind, readAtMs: at, intervalMs: 0, value };
      });
    });

export const intervals = (channel: string) =>
  fc
    .array(fc.tuple(stepMs, fc.constantFrom(5, 10, 15, 30, 60, 200), fc.integer({ min: 0, max: 3 * KWH })), {
      minLength: 5,
      maxLength: 30,
    })
    .map((steps) => {
      let at = START_MS;
      return steps.map(([ms, minutes, value]) => {
        at += ms;
        return { channel, kind: 'interval' as Kind, readAtMs: at, intervalMs: minutes * MINUTE, value };
      });
    });

const temperatures = fc
  .array(fc.tuple(stepMs, fc.integer({ min: 15_000, max: 25_000 })), { maxLength: 5 })
  .map((steps) =>
    steps.map(([ms, value]) => ({
      channel: 'import',
      kind: 'temperature' as Kind,
      readAtMs: START_MS + ms,
      intervalMs: 0,
      value,
    })),
  );

/** Some readings again with another value for the same time. */
export const conflicting = (readings: History['readings']) =>
  fc.array(fc.tuple(fc.nat(), fc.integer({ min: -200_000, max: 200_000 })), { maxLength: 4 }).map((twists) => [
    ...readings,
    ...twists.flatMap(([index, by]) => {
      const original = readings[index % readings.length];
      return original ? [{ ...original, value: Math.max(0, original.value + by) }] : [];
    }),
  ]);

const seriesSets = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(registers('import')) },
  { weight: 1, arbitrary: fc.tuple(registers('import'), powers('import')) },
  { weight: 1, arbitrary: fc.tuple(powers('import'), intervals('import'), temperatures) },
  { weight: 1, arbitrary: fc.tuple(registers('import/t1'), registers('import/t2'), registers('export')) },
  { weight: 1, arbitrary: fc.tuple(registers('import'), registers('import/t1'), registers('import/l1')) },
  { weight: 1, arbitrary: fc.tuple(powers('import/l1'), powers('import/l2'), powers('export')) },
  { weight: 1, arbitrary: fc.tuple(powers('switch0/import'), registers('switch1/import'), registers('gas/import')) },
  { weight: 1, arbitrary: fc.tuple(intervals('import'), intervals('export'), powers('import')) },
  { weight: 1, arbitrary: fc.tuple(registers('gas/m3'), registers('gas/t1'), powers('heat'), powers('gas')) },
);

export const settings = fc.record({
  limitKw: fc.constantFrom(100, 100, 10, 2.5),
  registerMaxKwh: fc.constantFrom(null, null, 1_000),
  maxGapMinutes: fc.constantFrom(15, 15, 60),
});

/** Random histories of at least 50 readings, with every fault that the law names. */
export const history: fc.Arbitrary<History> = fc
  .record({
    settings,
    readings: fc
      .tuple(seriesSets, seriesSets)
      .map(([a, b]) => [...a, ...b].flat() as History['readings'])
      .filter((readings) => readings.length >= 50)
      .chain(conflicting),
  })
  .map(({ settings, readings }) => ({ ...settings, readings }));
