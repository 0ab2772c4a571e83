import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createImportCounts, type ImportedReadingElement } from './element.ts';
import { createGreenButtonImport } from './green-button.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'green-button-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(content: string | Buffer, usagePoint?: string) {
  const file = join(directory, typeof content === 'string' ? 'usage.xml' : 'usage.xml.gz');
  await writeFile(file, content);
  const counts = createImportCounts();
  const elements: ImportedReadingElement[] = [];
  for await (const element of createGreenButtonImport(usagePoint)(file, counts, () => {})) elements.push(element);
  return { elements, counts };
}

const POINT = '/espi/1_1/resource/RetailCustomer/9/UsagePoint/A1';
const entry = (self: string, content: string, related: string[] = []) =>
  `<entry><link rel="self" href="${self}"/><link rel="up" href="${self.slice(0, self.lastIndexOf('/'))}"/>${related
    .map((href) => `<link rel="related" href="${href}"/>`)
    .join('')}<title>x</title><content>${content}</content></entry>`;
const usagePoint = (self = POINT) =>
  entry(
    self,
    '<UsagePoint xmlns="http://naesb.org/espi"><ServiceCategory><kind>0</kind></ServiceCategory></UsagePoint>',
  );
const meterReading = (id: string, type: string, point = POINT) =>
  entry(`${point}/MeterReading/${id}`, '<MeterReading xmlns="http://naesb.org/espi"/>', [
    `${point}/MeterReading/${id}/IntervalBlock`,
    `/espi/1_1/resource/ReadingType/${type}`,
  ]);
const readingType = (id: string, members: Record<string, string | number>) =>
  entry(
    `/espi/1_1/resource/ReadingType/${id}`,
    `<ReadingType xmlns="http://naesb.org/espi">${Object.entries(members)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join('')}</ReadingType>`,
  );
const block = (id: string, readings: string, point = POINT) =>
  entry(
    `${point}/MeterReading/${id}/IntervalBlock/1`,
    `<e:IntervalBlock xmlns:e="http://naesb.org/espi"><e:interval><e:duration>86400</e:duration><e:start>0</e:start></e:interval>${readings}</e:IntervalBlock>`,
  );
const reading = (start: number, duration: number, value: string | number, more = '') =>
  `<e:IntervalReading>${more}<e:timePeriod><e:duration>${duration}</e:duration><e:start>${start}</e:start></e:timePeriod><e:value>${value}</e:value></e:IntervalReading>`;
const feed = (...entries: string[]) =>
  `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="x.xslt"?><!-- of a utility --><feed xmlns="http://www.w3.org/2005/Atom"><id>urn:uuid:1</id><link rel="self" href="/feed"/>${entries.join('\n')}</feed>`;

const HOUR = { accumulationBehaviour: 4, commodity: 1, intervalLength: 3600, uom: 72 };
const AT = Date.UTC(2026, 2, 29) / 1_000;

describe('a Green Button file', () => {
  test('separates import and export, whatever the order of its entries and its multipliers', async () => {
    const text = feed(
      block('1', reading(AT, 900, 250) + reading(AT + 900, 900, 0)),
      block('2', reading(AT, 3600, 1_500)),
      usagePoint(),
      meterReading('1', 'in'),
      meterReading('2', 'out'),
      readingType('out', { ...HOUR, flowDirection: 19, powerOfTenMultiplier: -3 }),
      readingType('in', { ...HOUR, flowDirection: 1, powerOfTenMultiplier: 0 }),
    );
    const elements = [
      { ts: '2026-03-29T00:15:00.000Z', channel: 'import', energy_kwh: 0.25, interval_s: 900 },
      { ts: '2026-03-29T00:30:00.000Z', channel: 'import', energy_kwh: 0, interval_s: 900 },
      { ts: '2026-03-29T01:00:00.000Z', channel: 'export', energy_kwh: 0.0015, interval_s: 3600 },
    ];
    expect((await read(text)).elements).toEqual(elements);
    expect((await read(gzipSync(text))).elements).toEqual(elements);
    const { elements: thousands } = await read(
      feed(
        meterReading('1', 'in'),
        readingType('in', { ...HOUR, powerOfTenMultiplier: 3 }),
        block('1', reading(AT, 3600, 2)),
      ),
    );
    expect(thousands).toMatchObject([{ energy_kwh: 2 }]);
  });

  test('loses no digit, and splits a net value by its sign', async () => {
    const { elements } = await read(
      feed(
        meterReading('1', 'net'),
        readingType('net', { ...HOUR, flowDirection: 4, powerOfTenMultiplier: -3 }),
        block('1', reading(AT, 3600, 1_000_500_001) + reading(AT + 3600, 3600, -7)),
      ),
    );
    expect(elements).toMatchObject([
      { channel: 'import', energy_kwh: 1000.500001 },
      { channel: 'export', energy_kwh: 0.000007 },
    ]);
  });

  test('skips costs, power and therms with a note, and counts what it cannot parse', async () => {
    const { elements, counts } = await read(
      feed(
        meterReading('1', 'in'),
        meterReading('2', 'power'),
        readingType('in', HOUR),
        readingType('power', { ...HOUR, uom: 38 }),
        block('1', reading(AT, 3600, 12.5) + reading(AT, 3600, 12, '<e:cost>974</e:cost>') + reading(AT, 3600, '')),
        block('2', reading(AT, 3600, 800)),
      ),
    );
    expect(elements).toHaveLength(1);
    expect(counts).toMatchObject({ rows: 4, skipped: 1, empty: 1, unreadable: 1 });
    expect(counts.firstUnreadable).toContain('12.5');
    expect(counts.notes).toEqual([expect.stringContaining('Costs'), expect.stringContaining('uom 38')]);
  });

  test('imports gas into its own channels', async () => {
    const { elements } = await read(
      feed(
        meterReading('1', 'gas'),
        readingType('gas', { ...HOUR, commodity: 7, uom: 42, powerOfTenMultiplier: -3 }),
        block('1', reading(AT, 86_400, 3_250)),
      ),
    );
    expect(elements).toMatchObject([{ channel: 'gas/m3', energy_kwh: 3.25, interval_s: 86_400 }]);
  });

  test('with several meters is imported one meter at a time, by name', async () => {
    const other = POINT.replace('A1', 'B2');
    const text = feed(
      usagePoint(),
      usagePoint(other),
      meterReading('1', 'in'),
      meterReading('1', 'in', other),
      readingType('in', HOUR),
      block('1', reading(AT, 3600, 1)),
      block('1', reading(AT, 3600, 2), other),
    );
    await expect(read(text)).rejects.toThrow('--usage-point A1');
    const { elements, counts } = await read(text, 'B2');
    expect([elements, counts.skipped]).toEqual([[expect.objectContaining({ energy_kwh: 0.002 })], 1]);
    await expect(read(text, 'C3')).rejects.toThrow('has no usage point C3');
  });

  const BOMB =
    '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>';
  test.each([
    [
      'entities that unfold',
      `<?xml version="1.0"?>${BOMB}<feed xmlns="http://www.w3.org/2005/Atom"><title>&b;&x;</title></feed>`,
      'document type',
    ],
    ['an entity that nobody declared', feed('<entry>&b;</entry>'), 'well-formed'],
    ['an end before its end', feed(block('1', reading(AT, 3600, 1))).slice(0, -40), 'well-formed'],
    ['depth without end', `<feed xmlns="http://www.w3.org/2005/Atom">${'<a>'.repeat(100_000)}`, 'deep'],
    [
      'attributes without end',
      `<feed ${Array.from({ length: 500_000 }, (_, index) => `a${index}=""`).join(' ')}/>`,
      'attributes',
    ],
    ['a name without end', `<feed a="${'x'.repeat(200_000)}"/>`, 'well-formed'],
    ['a table', 'time,kwh\n2026-01-01,1\n', 'well-formed'],
    ['nothing', '', 'no interval readings'],
    ['no readings', feed(usagePoint()), 'no interval readings'],
    ['a page', '<html><body>Sign in</body></html>', 'no interval readings'],
  ])('with %s is rejected with the reason', async (_name, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test('is rejected if it is another kind of file, whatever bytes it contains', async () => {
    const file = join(directory, 'bytes.xml');
    await writeFile(file, Buffer.from([0x3c, 0xff, 0xfe, 0x00]));
    await expect(
      createGreenButtonImport()(file, createImportCounts(), () => {})
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toThrow('UTF-8');
    await writeFile(join(directory, 'usage.xml.gz'), 'no gzip');
    const broken = createGreenButtonImport()(join(directory, 'usage.xml.gz'), createImportCounts(), () => {})[
      Symbol.asyncIterator
    ]();
    await expect(broken.next()).rejects.toThrow();
  });

  test('is read without a value that has a million characters', async () => {
    const { counts } = await read(
      feed(meterReading('1', 'in'), readingType('in', HOUR), block('1', reading(AT, 3600, '9'.repeat(1_000_000)))),
    );
    expect(counts).toMatchObject({ rows: 1, empty: 1 });
  });
});
