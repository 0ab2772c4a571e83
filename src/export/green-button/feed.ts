import { setImmediate } from 'node:timers/promises';
import { ESPI_RESOURCE_PATH } from '#src/auth/green-button.ts';
import { type DayRange, SUB_DAY_UNIT_MINUTES } from '#src/energy/ranges.ts';
import { findCurrencyNumber } from './currency-numbers.ts';
import {
  createEntryFormatter,
  createUuidUrn,
  escapeXmlText,
  FEED_END,
  formatFeedStart,
  formatPeriodXml,
} from './entry.ts';
import type { GreenButtonBill, GreenButtonData, GreenButtonInterval, GreenButtonUnit } from './intervals.ts';
import { computeLocalTimeParameters } from './local-time.ts';

/** The contents of a Green Button feed: the user or device, the range and the data. */
export interface GreenButtonFeed {
  /** Id of the user or device, from which the identifiers in the feed derive. */
  about: string;
  range: DayRange;
  now: Date;
  data: GreenButtonData;
  /** Latest statement of the billing period, if the feed is for one. */
  statement?: GreenButtonStatement | undefined;
}

/** The data of a bill that the feed contains in addition to the intervals. */
export interface GreenButtonStatement {
  /** Name of the statement with its checksum, for display. */
  subtitle: string;
  /** Register values on the bill, each with its time. */
  registers: readonly {
    channel: string;
    direction: 'import' | 'export';
    readings: readonly { atMs: number; milliwattHours: number; is: 'measured' | 'edited' | 'interpolated' }[];
  }[];
}

/** Values of ESPI's enumerations (NAESB REQ.21), here and below. */
const ELECTRICITY = 0;
const OPEN = 1;
/** ESPI's value `bulkQuantity`: the reading is the value of a meter's register. */
const BULK_QUANTITY = 1;
const INTERVAL_READING = { accumulation: 4, commodity: 1, dataQualifier: 12, kind: 12, wattHours: 72, milli: -3 };
const DIRECTIONS = { import: { id: 1, flow: 1, name: 'Delivered' }, export: { id: 2, flow: 19, name: 'Received' } };
const QUALITY = { valid: 0, edited: 7, interpolated: 9, mixed: 13 };

type Direction = keyof typeof DIRECTIONS;

/**
 * Streams the Green Button feed of a home or a device (Atom with ESPI resources): connection point, import and export by hour or
 * quarter-hour in mWh, quality of each value, and cost. URLs only link entries of the feed to each other.
 */
export async function* streamGreenButtonXml(feed: GreenButtonFeed): AsyncGenerator<string> {
  const { about, range, now, data, statement } = feed;
  const point = pointAddress(about);
  const entry = createEntryFormatter(about, now.toISOString());
  yield formatFeedStart({
    id: createUuidUrn(about, 'feed'),
    title: 'Green Button Usage Feed',
    subtitle: statement?.subtitle,
    at: now.toISOString(),
  });
  yield* pointEntries(feed, entry, data.bill !== null);
  if (data.bill)
    yield entry('Usage Summary', {
      self: `${point}/UsageSummary/${range.start}`,
      type: 'UsageSummary',
      content: summaryXml(feed, data.bill),
    });
  const currency = data.bill && findCurrencyNumber(data.bill.currency);
  for (const direction of directionsOf(data)) {
    yield* meterReadingEntries(about, entry, DIRECTIONS[direction], readingTypeXml(direction, currency, data.unit));
    yield* blockEntries(about, entry, { direction, intervals: data.intervals, hasCost: currency !== null });
  }
  for (const [index, register] of (statement?.registers ?? []).entries()) {
    // The meter readings with the intervals have the numbers 1 and 2; registers follow.
    const id = FIRST_REGISTER + index;
    const names = { name: `Register ${escapeXmlText(register.channel)}`, typeName: 'Register' };
    yield* meterReadingEntries(about, entry, { id, ...names }, registerTypeXml(register.direction));
    yield entry('Readings', {
      self: `${point}/MeterReading/${id}/IntervalBlock/${range.start}`,
      type: 'IntervalBlock',
      content: registerXml(register.readings, range),
    });
  }
  yield FEED_END;
}

/** A feed of unknown length, because its intervals are read month by month. */
interface SubscriptionFeed {
  /** Id of the usage point. */
  about: string;
  /** URL of the feed. */
  self: string;
  range: DayRange;
  now: Date;
  unit: GreenButtonUnit;
  months: AsyncIterable<readonly GreenButtonInterval[]>;
}

/**
 * Streams the feed of a subscription: connection point, import and export, without costs. Only one month is in memory. Import and export
 * each begin with their first month with energy.
 */
export async function* streamSubscriptionXml(feed: SubscriptionFeed): AsyncGenerator<string> {
  const { about, self, now, unit, months } = feed;
  const at = now.toISOString();
  const entry = createEntryFormatter(about, at);
  yield formatFeedStart({
    id: createUuidUrn(about, self),
    title: 'Green Button Subscription Feed',
    self: { href: self, type: 'Subscription' },
    at,
  });
  yield* pointEntries(feed, entry, false);
  const begun = new Set<Direction>();
  for await (const intervals of months) {
    const hasExport = begun.has('export') || intervals.some(({ exported }) => exported > 0);
    for (const direction of directionsOf({ intervals, hasExport })) {
      if (!begun.has(direction))
        yield* meterReadingEntries(about, entry, DIRECTIONS[direction], readingTypeXml(direction, null, unit));
      begun.add(direction);
      yield* blockEntries(about, entry, { direction, intervals, hasCost: false });
    }
  }
  yield FEED_END;
}

type FormatEntry = ReturnType<typeof createEntryFormatter>;

export const formatUsagePointEntry = (about: string, entry: FormatEntry, hasSummary: boolean): string => {
  const point = pointAddress(about);
  return entry('Usage Point', {
    self: point,
    type: 'UsagePoint',
    related: [
      ['feed', 'MeterReading', `${point}/MeterReading`],
      ['entry', 'LocalTimeParameters', timeAddress(about)],
      ...(hasSummary ? [['feed', 'UsageSummary', `${point}/UsageSummary`] as const] : []),
    ],
    content: `<espi:UsagePoint><espi:ServiceCategory><espi:kind>${ELECTRICITY}</espi:kind></espi:ServiceCategory><espi:status>${OPEN}</espi:status></espi:UsagePoint>`,
  });
};

/** Formats the entry of the feed's usage point, and the entry with the time zone of its range. */
function* pointEntries(
  { about, range }: Pick<GreenButtonFeed, 'about' | 'range'>,
  entry: FormatEntry,
  hasSummary: boolean,
): Generator<string> {
  yield formatUsagePointEntry(about, entry, hasSummary);
  const { dstEndRule, dstOffset, dstStartRule, tzOffset } = computeLocalTimeParameters(range.zone, range.start);
  yield entry(range.zone, {
    self: timeAddress(about),
    type: 'LocalTimeParameters',
    content: `<espi:LocalTimeParameters><espi:dstEndRule>${dstEndRule}</espi:dstEndRule><espi:dstOffset>${dstOffset}</espi:dstOffset><espi:dstStartRule>${dstStartRule}</espi:dstStartRule><espi:tzOffset>${tzOffset}</espi:tzOffset></espi:LocalTimeParameters>`,
  });
}

/** Formats the entries of a meter reading and of its reading type (XML). `id`: number of the meter reading. */
function* meterReadingEntries(
  about: string,
  entry: FormatEntry,
  { id, name, typeName = 'Energy' }: { id: number; name: string; typeName?: string },
  typeXml: string,
): Generator<string> {
  const reading = `${pointAddress(about)}/MeterReading/${id}`;
  const type = `${ESPI_RESOURCE_PATH}/ReadingType/${about}-${id}`;
  yield entry(name, {
    self: reading,
    type: 'MeterReading',
    related: [
      ['feed', 'IntervalBlock', `${reading}/IntervalBlock`],
      ['entry', 'ReadingType', type],
    ],
    content: '<espi:MeterReading/>',
  });
  yield entry(typeName, { self: type, type: 'ReadingType', content: typeXml });
}

/** Formats the intervals of imported or of exported energy, with a block for each day. */
async function* blockEntries(
  about: string,
  entry: FormatEntry,
  {
    direction,
    intervals,
    hasCost,
  }: { direction: Direction; intervals: readonly GreenButtonInterval[]; hasCost: boolean },
): AsyncGenerator<string> {
  const known = intervals.filter((interval) => energyIn(interval, direction) !== null);
  for (const [date, ofDay] of Map.groupBy(known, (interval) => interval.date)) {
    yield entry(date, {
      self: `${pointAddress(about)}/MeterReading/${DIRECTIONS[direction].id}/IntervalBlock/${date}`,
      type: 'IntervalBlock',
      content: blockXml(ofDay, direction, hasCost),
    });
    await setImmediate();
  }
}

const pointAddress = (about: string) => `${ESPI_RESOURCE_PATH}/UsagePoint/${about}`;
const timeAddress = (about: string) => `${ESPI_RESOURCE_PATH}/LocalTimeParameters/${about}`;

const FIRST_REGISTER = 11;

function registerTypeXml(direction: Direction): string {
  const { commodity, dataQualifier, kind, wattHours, milli } = INTERVAL_READING;
  return `<espi:ReadingType><espi:accumulationBehaviour>${BULK_QUANTITY}</espi:accumulationBehaviour><espi:commodity>${commodity}</espi:commodity><espi:dataQualifier>${dataQualifier}</espi:dataQualifier><espi:defaultQuality>${QUALITY.valid}</espi:defaultQuality><espi:flowDirection>${DIRECTIONS[direction].flow}</espi:flowDirection><espi:kind>${kind}</espi:kind><espi:powerOfTenMultiplier>${milli}</espi:powerOfTenMultiplier><espi:uom>${wattHours}</espi:uom></espi:ReadingType>`;
}

function registerXml(
  readings: GreenButtonStatement['registers'][number]['readings'],
  { from, to }: Pick<DayRange, 'from' | 'to'>,
): string {
  const each = readings.map(
    ({ atMs, milliwattHours, is }) =>
      `<espi:IntervalReading>${qualityXml(is === 'measured' ? null : is)}<espi:timePeriod>${formatPeriodXml(Math.floor(atMs / 1_000) * 1_000, Math.floor(atMs / 1_000) * 1_000)}</espi:timePeriod><espi:value>${milliwattHours}</espi:value></espi:IntervalReading>`,
  );
  return `<espi:IntervalBlock><espi:interval>${formatPeriodXml(from.getTime(), to.getTime())}</espi:interval>${each.join('')}</espi:IntervalBlock>`;
}

const directionsOf = ({
  intervals,
  hasExport,
}: {
  intervals: readonly GreenButtonInterval[];
  hasExport: boolean;
}): Direction[] => [
  ...(intervals.some(({ imported }) => imported !== null) ? (['import'] as const) : []),
  ...(hasExport ? (['export'] as const) : []),
];

const energyIn = ({ imported, exported }: GreenButtonInterval, direction: Direction): number | null =>
  direction === 'import' ? imported : exported;

function readingTypeXml(direction: Direction, currency: number | null, unit: GreenButtonUnit): string {
  const { accumulation, commodity, dataQualifier, kind, wattHours, milli } = INTERVAL_READING;
  return `<espi:ReadingType><espi:accumulationBehaviour>${accumulation}</espi:accumulationBehaviour><espi:commodity>${commodity}</espi:commodity>${
    currency === null ? '' : `<espi:currency>${currency}</espi:currency>`
  }<espi:dataQualifier>${dataQualifier}</espi:dataQualifier><espi:defaultQuality>${QUALITY.valid}</espi:defaultQuality><espi:flowDirection>${DIRECTIONS[direction].flow}</espi:flowDirection><espi:intervalLength>${SUB_DAY_UNIT_MINUTES[unit] * 60}</espi:intervalLength><espi:kind>${kind}</espi:kind><espi:powerOfTenMultiplier>${milli}</espi:powerOfTenMultiplier><espi:uom>${wattHours}</espi:uom></espi:ReadingType>`;
}

function blockXml(intervals: readonly GreenButtonInterval[], direction: Direction, hasCost: boolean): string {
  const first = intervals[0] as GreenButtonInterval;
  const last = intervals.at(-1) as GreenButtonInterval;
  const readings = intervals.map((interval) => readingXml(interval, direction, hasCost)).join('');
  return `<espi:IntervalBlock><espi:interval>${formatPeriodXml(first.startMs, last.startMs + last.durationMs)}</espi:interval>${readings}</espi:IntervalBlock>`;
}

function readingXml(interval: GreenButtonInterval, direction: Direction, hasCost: boolean): string {
  const { startMs, durationMs, imported, estimated, importCost, exportEarned } = interval;
  // ESPI has only costs, so earnings from exports are a negative cost.
  const cost = direction === 'import' ? importCost : exportEarned && String(-BigInt(exportEarned));
  const isEdited = direction === 'import' ? interval.isImportEdited : interval.isExportEdited;
  const ofEstimated =
    direction === 'import' && estimated > 0 ? (estimated === imported ? 'interpolated' : 'mixed') : null;
  const quality = isEdited ? 'edited' : ofEstimated;
  return `<espi:IntervalReading>${hasCost && cost !== null ? `<espi:cost>${cost}</espi:cost>` : ''}${qualityXml(quality)}<espi:timePeriod>${formatPeriodXml(startMs, startMs + durationMs)}</espi:timePeriod><espi:value>${energyIn(interval, direction)}</espi:value></espi:IntervalReading>`;
}

/** Formats the quality of a value. Null: no quality is written, which means "valid" in ESPI. */
const qualityXml = (quality: keyof typeof QUALITY | null): string =>
  quality ? `<espi:ReadingQuality><espi:quality>${QUALITY[quality]}</espi:quality></espi:ReadingQuality>` : '';

/** Formats the cost of the whole range: as a bill if the range has ended, otherwise as costs so far. */
function summaryXml({ range, now, data }: GreenButtonFeed, { currency, total, additional }: GreenButtonBill): string {
  const isOver = range.to <= now;
  const { milli, wattHours, commodity } = INTERVAL_READING;
  const imported = data.intervals.reduce((sum, { imported }) => sum + (imported ?? 0), 0);
  const number = findCurrencyNumber(currency);
  const name = isOver ? 'overallConsumptionLastPeriod' : 'currentBillingPeriodOverAllConsumption';
  const costs =
    number === null
      ? ''
      : `<espi:${isOver ? 'billLastPeriod' : 'billToDate'}>${total}</espi:${isOver ? 'billLastPeriod' : 'billToDate'}>${
          isOver ? `<espi:costAdditionalLastPeriod>${additional}</espi:costAdditionalLastPeriod>` : ''
        }<espi:currency>${number}</espi:currency>`;
  return `<espi:UsageSummary><espi:billingPeriod>${formatPeriodXml(range.from.getTime(), range.to.getTime())}</espi:billingPeriod>${costs}<espi:${name}><espi:powerOfTenMultiplier>${milli}</espi:powerOfTenMultiplier><espi:uom>${wattHours}</espi:uom><espi:value>${imported}</espi:value></espi:${name}><espi:statusTimeStamp>${Math.floor(now.getTime() / 1_000)}</espi:statusTimeStamp><espi:commodity>${commodity}</espi:commodity></espi:UsageSummary>`;
}
