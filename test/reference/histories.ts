import fc from 'fast-check';
import type { DecodedReading, QuantityKind } from '#ingest/decoders/decoder.ts';

/** A device's history: its settings and all its readings, in no particular order. */
export interface ReadingHistory {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
  readings: Omit<DecodedReading, 'deviceId' | 'element'>[];
}

const KWH = 1_000_000;
const MINUTE = 60_000;
/** All histories lie in a few days around the end of a month, so that they contain the boundary of an hour, a day and a month. */
export const HISTORY_START_MS = Date.UTC(2026, 8, 28, 22, 0, 0);

const stepMs = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 * MINUTE }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((hours) => hours * 60 * MINUTE) },
);

/** An event of a register between two readings. */
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
  // A register above 900 kWh that continues near 0, like a meter with a maximum of 1,000 kWh.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wrap' as const),
      milliwattHours: fc.integer({ min: 0, max: 900 }).map((n) => n * 10_000),
    }),
  },
  // `frozen`: the source repeats an old value for several readings while the register rises. `queue`: the source sends the readings of this
  // time later, one after another.
  { weight: 1, arbitrary: longer('frozen', { min: 0, max: 3 * KWH }, 8) },
  { weight: 1, arbitrary: longer('queue', { min: 0, max: 3 * KWH }, 8) },
  // A false value, which the source sends several times.
  { weight: 1, arbitrary: longer('false', { min: -5 * KWH, max: 60 * KWH }, 3) },
  // A register that stops rising, and is then replaced by the register of another meter.
  { weight: 1, arbitrary: longer('replaced', { min: 0, max: 3_000 * KWH }, 6) },
);

function longer<K extends string>(kind: K, milliwattHours: { min: number; max: number }, readings: number) {
  return fc.record({
    kind: fc.constant(kind),
    milliwattHours: fc.integer(milliwattHours),
    readings: fc.integer({ min: 1, max: readings }),
  });
}

/** Random readings of one register, with every fault that the counting rules for registers handle. */
export const arbitraryRegisters = (channel: string) =>
  fc
    .record({
      first: fc.constantFrom(0, 12_345 * 1_000, 100 * KWH, 995 * KWH, 400_000_000_000),
      steps: fc.array(fc.tuple(stepMs, event), { minLength: 12, maxLength: 30 }),
    })
    .map(({ first, steps }) => {
      const readings: ReadingHistory['readings'] = [];
      let at = HISTORY_START_MS;
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
          for (let remaining = event.readings; remaining > 0; remaining--, at += kind === 'queue' ? 1 + (ms % 7) : ms) {
            if (kind === 'frozen' || kind === 'queue') value += milliwattHours;
            if (kind === 'queue') at += remaining === event.readings ? event.readings * ms : 0;
            show(kind === 'queue' ? value : kind === 'false' ? before + milliwattHours : before);
          }
          if (kind === 'replaced') value = milliwattHours;
        }
        show(kind === 'spike' ? value + milliwattHours : kind === 'jitter' ? value - milliwattHours : value);
      }
      return readings;
    });

/** Random faults of a reading in a tariff register. */
const fault = fc.oneof(
  { weight: 40, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: -3 * KWH, max: 300 * KWH }).map((by) => ({ kind: 'spike' as const, by })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 100_000 }).map((by) => ({ kind: 'jitter' as const, by: -by })) },
  // The value changes permanently: the register starts again, or belongs to another meter.
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4_000 * KWH }).map((by) => ({ kind: 'new' as const, by })) },
  // The source does not send this reading; the next reading includes its energy.
  { weight: 1, arbitrary: fc.constant({ kind: 'frozen' as const, by: 0 }) },
);

/**
 * Random registers of two or three tariffs, one of which is active at a time. The style decides what the source sends: a register when it
 * changes, all registers in each round, or all registers one after another, a few seconds or milliseconds apart.
 */
const tariffs = (channels: readonly string[]) =>
  fc
    .record({
      style: fc.constantFrom('change', 'change', 'mixed', 'round', 'after'),
      apartMs: fc.constantFrom(1, 1_000, 20_000, 4 * MINUTE),
      turns: fc.array(
        fc.record({
          tariff: fc.nat(channels.length - 1),
          restMs: stepMs,
          uses: fc.array(
            fc.tuple(
              stepMs,
              fc.oneof({ weight: 5, arbitrary: fc.nat(900_000) }, { weight: 1, arbitrary: fc.constant(0) }),
              fault,
            ),
            { minLength: 1, maxLength: 5 },
          ),
        }),
        { minLength: 6, maxLength: 14 },
      ),
    })
    .map(({ style, apartMs, turns }) => {
      const readings: ReadingHistory['readings'] = [];
      const values = channels.map((_, index) => (100 + index) * KWH);
      let at = HISTORY_START_MS;
      const show = (index: number, readAtMs: number, by = 0) =>
        readings.push({
          channel: channels[index] as string,
          kind: 'register',
          readAtMs,
          intervalMs: 0,
          value: Math.max(0, (values[index] as number) + by),
        });
      const round = () => {
        for (const index of channels.keys()) show(index, at + (style === 'after' ? index * apartMs : 0));
      };
      round();
      for (const { tariff, restMs, uses } of turns) {
        at += restMs;
        for (const [ms, milliwattHours, fault] of uses) {
          at += ms;
          values[tariff] = fault?.kind === 'new' ? fault.by : (values[tariff] as number) + milliwattHours;
          if (fault?.kind === 'frozen') continue;
          if (style === 'round' || style === 'after') round();
          else {
            show(tariff, at, fault?.kind === 'new' ? 0 : fault?.by);
            // The source also sends the register of a tariff that is not active.
            if (style === 'mixed') show((tariff + 1) % channels.length, at + apartMs);
          }
        }
      }
      return readings;
    });

export const arbitraryPowers = (channel: string) =>
  fc
    .array(fc.tuple(stepMs, fc.integer({ min: -6_000_000, max: 9_000_000 })), { minLength: 5, maxLength: 30 })
    .map((steps) => {
      let at = HISTORY_START_MS;
      return steps.map(([ms, value]) => {
        at += ms;
        return { channel, kind: 'power' as QuantityKind, readAtMs: at, intervalMs: 0, value };
      });
    });

export const arbitraryIntervals = (channel: string) =>
  fc
    .array(fc.tuple(stepMs, fc.constantFrom(5, 10, 15, 30, 60, 200), fc.integer({ min: 0, max: 3 * KWH })), {
      minLength: 5,
      maxLength: 30,
    })
    .map((steps) => {
      let at = HISTORY_START_MS;
      return steps.map(([ms, minutes, value]) => {
        at += ms;
        return { channel, kind: 'interval' as QuantityKind, readAtMs: at, intervalMs: minutes * MINUTE, value };
      });
    });

const temperatures = fc
  .array(fc.tuple(stepMs, fc.integer({ min: 15_000, max: 25_000 })), { maxLength: 5 })
  .map((steps) =>
    steps.map(([ms, value]) => ({
      channel: 'import',
      kind: 'temperature' as QuantityKind,
      readAtMs: HISTORY_START_MS + ms,
      intervalMs: 0,
      value,
    })),
  );

/** Repeats some readings with another value at the same time. */
export const arbitraryConflictingReadings = (readings: ReadingHistory['readings']) =>
  fc.array(fc.tuple(fc.nat(), fc.integer({ min: -200_000, max: 200_000 })), { maxLength: 4 }).map((twists) => [
    ...readings,
    ...twists.flatMap(([index, by]) => {
      const original = readings[index % readings.length];
      return original ? [{ ...original, value: Math.max(0, original.value + by) }] : [];
    }),
  ]);

const IMPORTS = ['import/t1', 'import/t2', 'import/t3'];
const EXPORTS = ['export/t1', 'export/t2'];
/**
 * Random tariff registers of several circuits (parts of a home that are measured separately). Some sets also contain other registers with
 * faults.
 */
const tariffSets = fc.oneof(
  fc.tuple(tariffs(IMPORTS.slice(0, 2))),
  fc.tuple(tariffs(IMPORTS), tariffs(EXPORTS)),
  fc.tuple(tariffs(IMPORTS.slice(0, 2).map((channel) => `grid/${channel}`)), tariffs(IMPORTS.slice(1))),
  fc.tuple(tariffs(IMPORTS.slice(1)), arbitraryRegisters('import/t1')),
  fc.tuple(
    tariffs(IMPORTS),
    fc.oneof(arbitraryRegisters('import'), arbitraryRegisters('import/t4'), arbitraryRegisters('import/l1')),
  ),
  fc.tuple(arbitraryRegisters('export/t1'), arbitraryRegisters('export/t2'), tariffs(IMPORTS.slice(1))),
  fc.tuple(tariffs(IMPORTS.slice(0, 2)), tariffs(['heat/t1', 'heat/t2'])),
);

type Readings = ReadingHistory['readings'];

/**
 * Shifts all readings of a quantity by a random time, so that it begins later than the other quantities or, if the time is negative,
 * earlier.
 */
const moved = (readings: fc.Arbitrary<Readings>) =>
  fc
    .tuple(
      readings,
      fc.oneof(
        fc.constantFrom(0, 1, 15 * MINUTE, -15 * MINUTE),
        fc.integer({ min: -20, max: 40 }).map((h) => h * 60 * MINUTE),
      ),
    )
    .map(([all, byMs]) => all.map((one) => ({ ...one, readAtMs: one.readAtMs + byMs })));

/** Sets a register's first readings, or all of its readings, to 0. */
const zeros = (readings: fc.Arbitrary<Readings>) =>
  fc
    .tuple(readings, fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })))
    .map(([all, share]) => all.map((one, index) => (index < share * all.length ? { ...one, value: 0 } : one)));

/**
 * Random sets of quantities, some of which begin later than others. The sets include quantities with a higher precedence that begin later,
 * totals that are 0 although their parts are not, and registers with an unknown meaning next to a power.
 */
const appearing = fc.oneof(
  fc.tuple(arbitraryPowers('import'), moved(arbitraryRegisters('import'))),
  fc.tuple(arbitraryPowers('import'), moved(arbitraryIntervals('import')), moved(arbitraryRegisters('import'))),
  fc.tuple(moved(arbitraryPowers('import')), moved(arbitraryIntervals('import')), moved(arbitraryIntervals('export'))),
  fc.tuple(
    arbitraryRegisters('import/l1'),
    moved(arbitraryRegisters('import/t1')),
    moved(arbitraryRegisters('import')),
  ),
  fc.tuple(tariffs(['import/t1', 'import/t2']), moved(arbitraryRegisters('import')), moved(arbitraryPowers('import'))),
  fc.tuple(
    zeros(arbitraryRegisters('import')),
    moved(arbitraryRegisters('import/t1')),
    moved(zeros(arbitraryRegisters('import/t2'))),
  ),
  fc.tuple(zeros(moved(arbitraryRegisters('import'))), tariffs(['import/t1', 'import/t2']), arbitraryPowers('import')),
  fc.tuple(arbitraryPowers('import'), moved(arbitraryRegisters('unknown/value')), moved(arbitraryIntervals('export'))),
  fc.tuple(
    arbitraryPowers('sml/import'),
    moved(arbitraryRegisters('sml/unknown/value')),
    moved(arbitraryRegisters('sml/import')),
  ),
  fc.tuple(
    moved(arbitraryPowers('gas')),
    moved(arbitraryRegisters('gas')),
    zeros(arbitraryRegisters('heat')),
    arbitraryRegisters('heat/t1'),
  ),
);

const seriesSets = fc.oneof(
  { weight: 4, arbitrary: appearing },
  { weight: 5, arbitrary: fc.tuple(arbitraryRegisters('import')) },
  { weight: 1, arbitrary: fc.tuple(arbitraryRegisters('import'), arbitraryPowers('import')) },
  { weight: 1, arbitrary: fc.tuple(arbitraryPowers('import'), arbitraryIntervals('import'), temperatures) },
  {
    weight: 1,
    arbitrary: fc.tuple(arbitraryRegisters('import/t1'), arbitraryRegisters('import/t2'), arbitraryRegisters('export')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(arbitraryRegisters('import'), arbitraryRegisters('import/t1'), arbitraryRegisters('import/l1')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(arbitraryPowers('import/l1'), arbitraryPowers('import/l2'), arbitraryPowers('export')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      arbitraryPowers('switch0/import'),
      arbitraryRegisters('switch1/import'),
      arbitraryRegisters('gas/import'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(arbitraryIntervals('import'), arbitraryIntervals('export'), arbitraryPowers('import')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      arbitraryRegisters('gas/m3'),
      arbitraryRegisters('gas/t1'),
      arbitraryPowers('heat'),
      arbitraryPowers('gas'),
    ),
  },
  { weight: 1, arbitrary: tariffSets },
);

export const arbitrarySettings = fc.record({
  limitKw: fc.constantFrom(100, 100, 10, 2.5),
  registerMaxKwh: fc.constantFrom(null, null, 1_000),
  maxGapMinutes: fc.constantFrom(15, 15, 60),
});

const historyOf = (readings: fc.Arbitrary<ReadingHistory['readings']>): fc.Arbitrary<ReadingHistory> =>
  fc
    .record({ settings: arbitrarySettings, readings: readings.chain(arbitraryConflictingReadings) })
    .map(({ settings, readings }) => ({ ...settings, readings }));

/** Random histories of at least 50 readings, with every fault that the counting rules handle. */
export const arbitraryHistory: fc.Arbitrary<ReadingHistory> = historyOf(
  fc
    .tuple(seriesSets, seriesSets)
    .map(([a, b]) => [...a, ...b].flat() as ReadingHistory['readings'])
    .filter((readings) => readings.length >= 50),
);

/** Random histories in which a quantity with a higher or lower precedence begins later. */
export const arbitraryHistoryWithNewQuantities: fc.Arbitrary<ReadingHistory> = historyOf(
  appearing.map((sets) => (sets as ReadingHistory['readings'][]).flat()),
);

/** Random histories of phase registers and their total. The total begins later. */
export const arbitraryHistoryWithTotal: fc.Arbitrary<ReadingHistory> = historyOf(
  fc
    .tuple(arbitraryRegisters('import/l1'), arbitraryRegisters('import/l2'), moved(arbitraryRegisters('import')))
    .map((sets) => sets.flat()),
);

/** Random histories of tariff registers, one of which is active at a time. */
export const arbitraryTariffHistory: fc.Arbitrary<ReadingHistory> = historyOf(
  tariffSets.map((sets) => (sets as ReadingHistory['readings'][]).flat()),
);
