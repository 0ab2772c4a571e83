import {
  addImportNote,
  countUnreadableRow,
  type ImportCounts,
  type ImportedReadingElement,
  type ImportReader,
} from './element.ts';
import { type EspiFilePart, readEspiParts } from './espi-parts.ts';

/** Maximum number of entries in a file. A hundred years of daily entries are fewer. */
const MAX_ENTRIES = 200_000;
/** Codes in ESPI's enumerations for units, commodities, kinds of values and flow directions. */
const WATT_HOURS = '72';
const CUBIC_METRES = '42';
const NATURAL_GAS = '7';
const INTERVALS = ['', '0', '4'];
const FORWARD = '1';
const REVERSE = '19';

type ReadingType = Readonly<Record<string, string>>;

/** An entry of the feed, with the type of its resource and its links to other entries. */
interface Entry {
  resource: string;
  self: string;
  up: string;
  related: string[];
  type: ReadingType | null;
}

/**
 * Creates a reader of Green Button files. Electricity is imported into the channels `import` and `export`, gas into `gas` and `gas/m3`.
 * `usagePoint`: address of the usage point to import, if the file has several. A file is read twice, because entries may refer to later
 * ones. `pages`: files that together are the feed.
 */
export const createGreenButtonImport = (usagePoint?: string, pages?: readonly string[]): ImportReader =>
  async function* (file, counts, onBytes) {
    const entries: Entry[] = [];
    for await (const part of partsOf(pages ?? [file])) addTo(entries, part, file);
    const typeOf = typesOf(entries, chosen(file, entries, usagePoint));
    let index = -1;
    for await (const part of partsOf(pages ?? [file], onBytes)) {
      if (part.part === 'entry') index++;
      if (part.part !== 'reading') continue;
      counts.rows++;
      const type = typeOf(index);
      if (type === 'elsewhere') counts.skipped++;
      else yield* elementsOf(part.members, type, counts);
    }
    if (counts.rows === 0)
      throw new Error(
        `${file} has no interval readings. Is it a Green Button file (XML) of usage, and not of the customer?`,
      );
  };

async function* partsOf(files: readonly string[], onBytes?: (bytes: number) => void): AsyncGenerator<EspiFilePart> {
  let previous = 0;
  for (const file of files) {
    let read = 0;
    yield* readEspiParts(file, (bytes) => {
      read = bytes;
      onBytes?.(previous + bytes);
    });
    previous += read;
  }
}

function addTo(entries: Entry[], part: EspiFilePart, file: string): void {
  if (part.part === 'entry') {
    if (entries.length >= MAX_ENTRIES)
      throw new Error(`${file} has more than ${MAX_ENTRIES} entries. Import it in parts.`);
    entries.push({ resource: '', self: '', up: '', related: [], type: null });
  }
  const entry = entries.at(-1);
  if (!entry) return;
  if (part.part === 'resource') entry.resource = part.name;
  if (part.part === 'readingType') entry.type = part.members;
  if (part.part !== 'link') return;
  if (part.rel === 'self') entry.self = part.href;
  else if (part.rel === 'up') entry.up = part.href;
  else if (part.rel === 'related' && entry.related.length < 100) entry.related.push(part.href);
}

/** Returns the address of the usage point to import; null if the file has at most one usage point. Throws if the choice is ambiguous. */
function chosen(file: string, entries: readonly Entry[], wanted: string | undefined): string | null {
  const points = entries.filter(({ resource }) => resource === 'UsagePoint').map(({ self }) => self);
  const found = points.find((self) => self === wanted || self.split('/').at(-1) === wanted);
  if (wanted !== undefined && found === undefined)
    throw new Error(`${file} has no usage point ${wanted}. It has: ${points.join(', ') || 'none'}`);
  if (points.length > 1 && found === undefined)
    throw new Error(
      `${file} has ${points.length} usage points (meters), each a device of its own. Import them one by one: --usage-point ${points[0]?.split('/').at(-1)}, … of ${points.join(', ')}`,
    );
  return points.length > 1 ? (found as string) : null;
}

/**
 * Returns a function that finds the reading type of an entry: null if it is unknown, `elsewhere` if the entry belongs to another usage
 * point.
 */
function typesOf(
  entries: readonly Entry[],
  usagePoint: string | null,
): (index: number) => ReadingType | null | 'elsewhere' {
  const types = new Map(entries.flatMap(({ self, type }) => (type ? [[self, type] as const] : [])));
  const meterReadings = entries.filter(({ resource }) => resource === 'MeterReading');
  const only = types.size === 1 ? ([...types.values()][0] ?? null) : null;
  const typeOfReading = new Map(
    meterReadings.map(({ self, related }) => [self, types.get(related.find((href) => types.has(href)) ?? '') ?? only]),
  );
  const byBlocks = new Map(meterReadings.flatMap(({ self, related }) => related.map((href) => [href, self] as const)));
  return (index) => {
    const { self = '', up = '' } = entries[index] ?? {};
    if (usagePoint !== null && !`${up || self}/`.startsWith(`${usagePoint}/`)) return 'elsewhere';
    const reading = byBlocks.get(up) ?? byBlocks.get(self) ?? readingAbove(up || self, typeOfReading);
    return (reading === undefined ? undefined : typeOfReading.get(reading)) ?? only;
  };
}

/** Returns the address among `readings` that equals `href` or is a parent path of it. */
function readingAbove(href: string, readings: ReadonlyMap<string, unknown>): string | undefined {
  for (let end = href.length; end > 0; end = href.lastIndexOf('/', end - 1))
    if (readings.has(href.slice(0, end))) return href.slice(0, end);
  return undefined;
}

function* elementsOf(
  members: Readonly<Record<string, string>>,
  type: ReadingType | null,
  counts: ImportCounts,
): Generator<ImportedReadingElement> {
  const { start = '', duration = type?.intervalLength ?? '', value = '', cost } = members;
  if (cost !== undefined)
    addImportNote(counts, 'Costs in the file were left out: what energy costs is computed, by tariffs.');
  if (start === '' || value === '') {
    counts.empty++;
    return;
  }
  const { commodity = '', uom = '', accumulationBehaviour = '', flowDirection = '' } = type ?? {};
  const unit = uom === WATT_HOURS || (type === null && uom === '') ? 'Wh' : uom === CUBIC_METRES ? 'm³' : null;
  const isGas = commodity === NATURAL_GAS;
  if (type === null || unit === null || (unit === 'm³' && !isGas) || !INTERVALS.includes(accumulationBehaviour)) {
    counts.skipped++;
    addImportNote(counts, leftOut(type));
    return;
  }
  const { powerOfTenMultiplier: power = '0' } = type;
  const isRead =
    /^\d{1,11}$/.test(start) && /^\d{1,7}$/.test(duration) && /^-?\d{1,15}$/.test(value) && /^-?\d{1,2}$/.test(power);
  if (!isRead || Number(duration) === 0)
    return countUnreadableRow(counts, `start ${start}, duration ${duration}, value ${value}`);
  const element = (channel: string, amount: string): ImportedReadingElement => ({
    ts: new Date((Number(start) + Number(duration)) * 1_000).toISOString(),
    channel,
    // The exponent is appended to the decimal text, so that no digit is lost.
    energy_kwh: Number(`${amount}e${Number(power) - (unit === 'Wh' ? 3 : 0)}`),
    interval_s: Number(duration),
  });
  if (isGas) return yield element(unit === 'Wh' ? 'gas' : 'gas/m3', value);
  if (flowDirection === REVERSE) return yield element('export', value);
  if (flowDirection === FORWARD) return yield element('import', value);
  // Without a direction, the value is net: a positive value is an import, and a negative value is an export.
  const isFedIn = value.startsWith('-');
  yield element(isFedIn ? 'export' : 'import', value.replace('-', ''));
}

function leftOut(type: ReadingType | null): string {
  if (type === null) return 'Readings whose type (ReadingType) the file does not tell were left out.';
  const { uom = 'none', commodity = 'none', accumulationBehaviour = 'none' } = type;
  return `Readings that are no energy of intervals were left out (uom ${uom}, commodity ${commodity}, accumulationBehaviour ${accumulationBehaviour}): energy is uom 72 (Wh), of gas also 42 (m³).`;
}
