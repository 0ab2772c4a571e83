import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { CLOCK_UNITS, type Range } from '#src/energy/ranges.ts';
import type { GreenButtonBill, GreenButtonData, GreenButtonInterval, GreenButtonUnit } from './intervals.ts';
import { localTimeParameters } from './local-time.ts';

/** The contents of a Green Button feed: the user or device, the range and the data. */
export interface GreenButtonFeed {
  /** Id of the user or device. Identifiers in the feed derive from it, so that a resource has the same identifier in every download. */
  about: string;
  range: Range;
  now: Date;
  data: GreenButtonData;
  /** The latest statement of a billing period, if the feed is for one. */
  told?: GreenButtonStatement | undefined;
}

/** Data of a bill in addition to its intervals. */
export interface GreenButtonStatement {
  /** Name of the statement with its checksum, for people. */
  subtitle: string;
  /** Register values, each with its time. */
  registers: readonly {
    channel: string;
    direction: 'import' | 'export';
    readings: readonly { atMs: number; milliwattHours: number; is: 'measured' | 'edited' | 'interpolated' }[];
  }[];
}

/** Values of ESPI's enumerations (NAESB REQ.21), named by their meaning here. */
const ELECTRICITY = 0;
const OPEN = 1;
/** ESPI's `bulkQuantity`: the value that a meter's register shows. */
const BULK_QUANTITY = 1;
const INTERVAL_READING = { accumulation: 4, commodity: 1, dataQualifier: 12, kind: 12, wattHours: 72, milli: -3 };
const DIRECTIONS = { import: { id: 1, flow: 1, name: 'Delivered' }, export: { id: 2, flow: 19, name: 'Received' } };
const QUALITY = { valid: 0, edited: 7, interpolated: 9, mixed: 13 };

type Direction = keyof typeof DIRECTIONS;

/**
 * Streams the Green Button feed of a home or a device: Atom with the resources of NAESB's ESPI. It contains the connection point, import
 * and export by hour or quarter-hour in mWh, the quality of each value, and the cost. URLs in the feed follow ESPI's scheme. They only link its entries to
 * each other; no server responds to them.
 */
export async function* greenButtonXml(feed: GreenButtonFeed): AsyncGenerator<string> {
  const { about, range, now, data, told } = feed;
  const at = now.toISOString();
  const point = `/espi/1_1/resource/UsagePoint/${about}`;
  const entry = entryOf(about, at);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:espi="http://naesb.org/espi"><id>${uuid(about, 'feed')}</id><title>Green Button Usage Feed</title>${told ? `<subtitle>${textXml(told.subtitle)}</subtitle>` : ''}<updated>${at}</updated>`;
  yield entry('Usage Point', {
    self: point,
    type: 'UsagePoint',
    related: [
      ['feed', 'MeterReading', `${point}/MeterReading`],
      ['entry', 'LocalTimeParameters', timeAddress(about)],
      ...(data.bill ? [['feed', 'UsageSummary', `${point}/UsageSummary`] as const] : []),
    ],
    content: `<espi:UsagePoint><espi:ServiceCategory><espi:kind>${ELECTRICITY}</espi:kind></espi:ServiceCategory><espi:status>${OPEN}</espi:status></espi:UsagePoint>`,
  });
  const { dstEndRule, dstOffset, dstStartRule, tzOffset } = localTimeParameters(range.zone, range.start);
  yield entry(range.zone, {
    self: timeAddress(about),
    type: 'LocalTimeParameters',
    content: `<espi:LocalTimeParameters><espi:dstEndRule>${dstEndRule}</espi:dstEndRule><espi:dstOffset>${dstOffset}</espi:dstOffset><espi:dstStartRule>${dstStartRule}</espi:dstStartRule><espi:tzOffset>${tzOffset}</espi:tzOffset></espi:LocalTimeParameters>`,
  });
  if (data.bill)
    yield entry('Usage Summary', {
      self: `${point}/UsageSummary/${range.start}`,
      type: 'UsageSummary',
      content: summaryXml(feed, data.bill),
    });
  const currency = data.bill && currencyNumber(data.bill.currency);
  for (const direction of directionsOf(data)) {
    const reading = `${point}/MeterReading/${DIRECTIONS[direction].id}`;
    const type = `/espi/1_1/resource/ReadingType/${about}-${DIRECTIONS[direction].id}`;
    yield entry(DIRECTIONS[direction].name, {
      self: reading,
      type: 'MeterReading',
      related: [
        ['feed', 'IntervalBlock', `${reading}/IntervalBlock`],
        ['entry', 'ReadingType', type],
      ],
      content: '<espi:MeterReading/>',
    });
    yield entry('Energy', { self: type, type: 'ReadingType', content: readingTypeXml(direction, currency, data.unit) });
    for (const [date, intervals] of Map.groupBy(
      data.intervals.filter((interval) => energyIn(interval, direction) !== null),
      (interval) => interval.date,
    )) {
      yield entry(date, {
        self: `${reading}/IntervalBlock/${date}`,
        type: 'IntervalBlock',
        content: blockXml(intervals, direction, currency !== null),
      });
      await setImmediate();
    }
  }
  for (const [index, register] of (told?.registers ?? []).entries()) {
    // The meter readings of the intervals have the numbers 1 and 2.
    const number = FIRST_REGISTER + index;
    const reading = `${point}/MeterReading/${number}`;
    const type = `/espi/1_1/resource/ReadingType/${about}-${number}`;
    yield entry(`Register ${textXml(register.channel)}`, {
      self: reading,
      type: 'MeterReading',
      related: [
        ['feed', 'IntervalBlock', `${reading}/IntervalBlock`],
        ['entry', 'ReadingType', type],
      ],
      content: '<espi:MeterReading/>',
    });
    yield entry('Register', { self: type, type: 'ReadingType', content: registerTypeXml(register.direction) });
    yield entry('Readings', {
      self: `${reading}/IntervalBlock/${range.start}`,
      type: 'IntervalBlock',
      content: registerXml(register.readings, range),
    });
  }
  yield '</feed>\n';
}

const FIRST_REGISTER = 11;

/** Escapes text for XML and removes the characters that XML cannot contain. */
const textXml = (text: string): string =>
  text.replaceAll(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '').replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? '');
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function registerTypeXml(direction: Direction): string {
  const { commodity, dataQualifier, kind, wattHours, milli } = INTERVAL_READING;
  return `<espi:ReadingType><espi:accumulationBehaviour>${BULK_QUANTITY}</espi:accumulationBehaviour><espi:commodity>${commodity}</espi:commodity><espi:dataQualifier>${dataQualifier}</espi:dataQualifier><espi:defaultQuality>${QUALITY.valid}</espi:defaultQuality><espi:flowDirection>${DIRECTIONS[direction].flow}</espi:flowDirection><espi:kind>${kind}</espi:kind><espi:powerOfTenMultiplier>${milli}</espi:powerOfTenMultiplier><espi:uom>${wattHours}</espi:uom></espi:ReadingType>`;
}

function registerXml(
  readings: GreenButtonStatement['registers'][number]['readings'],
  { from, to }: Pick<Range, 'from' | 'to'>,
): string {
  const each = readings.map(
    ({ atMs, milliwattHours, is }) =>
      `<espi:IntervalReading>${qualityXml(is === 'measured' ? null : is)}<espi:timePeriod>${periodXml(Math.floor(atMs / 1_000) * 1_000, Math.floor(atMs / 1_000) * 1_000)}</espi:timePeriod><espi:value>${milliwattHours}</espi:value></espi:IntervalReading>`,
  );
  return `<espi:IntervalBlock><espi:interval>${periodXml(from.getTime(), to.getTime())}</espi:interval>${each.join('')}</espi:IntervalBlock>`;
}

const timeAddress = (about: string) => `/espi/1_1/resource/LocalTimeParameters/${about}`;

const directionsOf = ({ intervals, hasExport }: GreenButtonData): Direction[] => [
  ...(intervals.some(({ imported }) => imported !== null) ? (['import'] as const) : []),
  ...(hasExport ? (['export'] as const) : []),
];

const energyIn = ({ imported, exported }: GreenButtonInterval, direction: Direction): number | null =>
  direction === 'import' ? imported : exported;

interface Entry {
  self: string;
  /** Name of the ESPI resource that the entry contains. */
  type: string;
  related?: readonly (readonly [kind: 'entry' | 'feed', type: string, href: string])[];
  content: string;
}

/** Returns a function that formats entries of a feed, all with the same time. */
function entryOf(about: string, at: string): (title: string, entry: Entry) => string {
  const link = (rel: string, kind: string, type: string, href: string) =>
    `<link rel="${rel}" href="${href}" type="espi-${kind}/${type}"/>`;
  return (title, { self, type, related = [], content }) => {
    const links = [
      link('self', 'entry', type, self),
      link('up', 'feed', type, self.slice(0, self.lastIndexOf('/'))),
      ...related.map(([kind, of, href]) => link('related', kind, of, href)),
    ];
    return `<entry><id>${uuid(about, self)}</id>${links.join('')}<title>${title}</title><content>${content}</content><published>${at}</published><updated>${at}</updated></entry>\n`;
  };
}

function readingTypeXml(direction: Direction, currency: number | null, unit: GreenButtonUnit): string {
  const { accumulation, commodity, dataQualifier, kind, wattHours, milli } = INTERVAL_READING;
  return `<espi:ReadingType><espi:accumulationBehaviour>${accumulation}</espi:accumulationBehaviour><espi:commodity>${commodity}</espi:commodity>${
    currency === null ? '' : `<espi:currency>${currency}</espi:currency>`
  }<espi:dataQualifier>${dataQualifier}</espi:dataQualifier><espi:defaultQuality>${QUALITY.valid}</espi:defaultQuality><espi:flowDirection>${DIRECTIONS[direction].flow}</espi:flowDirection><espi:intervalLength>${CLOCK_UNITS[unit] * 60}</espi:intervalLength><espi:kind>${kind}</espi:kind><espi:powerOfTenMultiplier>${milli}</espi:powerOfTenMultiplier><espi:uom>${wattHours}</espi:uom></espi:ReadingType>`;
}

/** Formats a period with its start and its duration in seconds. */
const periodXml = (fromMs: number, toMs: number): string =>
  `<espi:duration>${(toMs - fromMs) / 1_000}</espi:duration><espi:start>${fromMs / 1_000}</espi:start>`;

function blockXml(intervals: readonly GreenButtonInterval[], direction: Direction, hasCost: boolean): string {
  const first = intervals[0] as GreenButtonInterval;
  const last = intervals.at(-1) as GreenButtonInterval;
  const readings = intervals.map((interval) => readingXml(interval, direction, hasCost)).join('');
  return `<espi:IntervalBlock><espi:interval>${periodXml(first.startMs, last.startMs + last.durationMs)}</espi:interval>${readings}</espi:IntervalBlock>`;
}

function readingXml(interval: GreenButtonInterval, direction: Direction, hasCost: boolean): string {
  const { startMs, durationMs, imported, estimated, importCost, exportEarned } = interval;
  // An earning is a negative cost.
  const cost = direction === 'import' ? importCost : exportEarned && String(-BigInt(exportEarned));
  const isEdited = direction === 'import' ? interval.isImportEdited : interval.isExportEdited;
  const ofEstimated =
    direction === 'import' && estimated > 0 ? (estimated === imported ? 'interpolated' : 'mixed') : null;
  const quality = isEdited ? 'edited' : ofEstimated;
  return `<espi:IntervalReading>${hasCost && cost !== null ? `<espi:cost>${cost}</espi:cost>` : ''}${qualityXml(quality)}<espi:timePeriod>${periodXml(startMs, startMs + durationMs)}</espi:timePeriod><espi:value>${energyIn(interval, direction)}</espi:value></espi:IntervalReading>`;
}

/** Formats the quality of a value. Null: valid, like all values without a quality. */
const qualityXml = (quality: keyof typeof QUALITY | null): string =>
  quality ? `<espi:ReadingQuality><espi:quality>${QUALITY[quality]}</espi:quality></espi:ReadingQuality>` : '';

/** Formats the cost of the whole range: as a bill if the range is over, otherwise as the sum so far. */
function summaryXml({ range, now, data }: GreenButtonFeed, { currency, total, additional }: GreenButtonBill): string {
  const isOver = range.to <= now;
  const { milli, wattHours, commodity } = INTERVAL_READING;
  const imported = data.intervals.reduce((sum, { imported }) => sum + (imported ?? 0), 0);
  const number = currencyNumber(currency);
  const name = isOver ? 'overallConsumptionLastPeriod' : 'currentBillingPeriodOverAllConsumption';
  const costs =
    number === null
      ? ''
      : `<espi:${isOver ? 'billLastPeriod' : 'billToDate'}>${total}</espi:${isOver ? 'billLastPeriod' : 'billToDate'}>${
          isOver ? `<espi:costAdditionalLastPeriod>${additional}</espi:costAdditionalLastPeriod>` : ''
        }<espi:currency>${number}</espi:currency>`;
  return `<espi:UsageSummary><espi:billingPeriod>${periodXml(range.from.getTime(), range.to.getTime())}</espi:billingPeriod>${costs}<espi:${name}><espi:powerOfTenMultiplier>${milli}</espi:powerOfTenMultiplier><espi:uom>${wattHours}</espi:uom><espi:value>${imported}</espi:value></espi:${name}><espi:statusTimeStamp>${Math.floor(now.getTime() / 1_000)}</espi:statusTimeStamp><espi:commodity>${commodity}</espi:commodity></espi:UsageSummary>`;
}

/** The namespace of URLs (RFC 9562, 6.6), in which ESPI resources are named. */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** Returns the identifier of a name. The same name always has the same identifier. */
function uuid(about: string, name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(`http://naesb.org/espi/${about}/${name}`).digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/**
 * ISO 4217 numbers, by which ESPI names currencies: those listed in its schema, and others that homes pay in. For a currency that is
 * missing here, a feed contains no costs, because a wrong number would name another currency.
 */
const NUMBERS: Readonly<Record<string, number>> = {
  AUD: 36,
  BRL: 986,
  CAD: 124,
  CHF: 756,
  CNY: 156,
  CZK: 203,
  DKK: 208,
  EUR: 978,
  GBP: 826,
  HKD: 344,
  HUF: 348,
  INR: 356,
  ISK: 352,
  JPY: 392,
  KRW: 410,
  MXN: 484,
  NOK: 578,
  NZD: 554,
  PLN: 985,
  RON: 946,
  SEK: 752,
  SGD: 702,
  TRY: 949,
  UAH: 980,
  USD: 840,
  ZAR: 710,
};

/** Returns the ISO 4217 number of a currency. Null if it is not listed here. */
const currencyNumber = (code: string): number | null => NUMBERS[code] ?? null;
