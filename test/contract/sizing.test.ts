import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const text = readFileSync(resolve(import.meta.dirname, '../../deploy/SIZING.md'), 'utf8');
/** Returns the cells of the table row whose first cell is `begin`, without the first cell. */
const row = (begin: string): string[] => {
  const line = text.split('\n').find((one) => one.startsWith(`| ${begin} |`)) ?? expect.fail(begin);
  return line.split('|').slice(2, -1);
};
const numbers = (cell = '') =>
  [...cell.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')));
const [postgresMicros = 0] = numbers(row('a reading, PostgreSQL')[0]);
const [ingestMicros = 0] = numbers(row('a message, HAProxy and ingest')[0]);
const [connectionKilobytes = 0] = numbers(row('a connection, ingest process and HAProxy')[0]);
const [rawBytes = 0, packedBytes = 0] = numbers(row('a reading on disk')[0]);
const [walKilobytes = 0] = numbers(row('WAL of a reading, for the standby')[0]);
const [profileMegabytes = 0, profileCompressed = 0] = numbers(row('load profile')[0]);
const [userMegabytes = 0] = numbers(row('aggregates')[0]);
const [headBytes = 0] = numbers(row('a head (the stored state of a device)')[0]);
const RAW_DAYS = 396;

/** Expects each figure of the document to differ by less than 10 % from the computed figure. */
function near(written: readonly number[], computed: readonly number[], what: string): void {
  expect(written.length, what).toBe(computed.length);
  for (const [index, figure] of computed.entries())
    expect(
      Math.abs((written[index] as number) / figure - 1),
      `${what}: ${written[index]} is not ${figure}`,
    ).toBeLessThan(0.1);
}

test.each([
  { meters: 1_000_000, column: 0 },
  { meters: 10_000_000, column: 1 },
])('the sizes of a cluster for $meters meters follow from the measured size per meter', ({ meters, column }) => {
  const cell = (begin: string) => numbers(row(begin)[column]);
  const perSecond = meters / 900;
  const cores = (rate: number) => [postgresMicros, ingestMicros].map((micros) => (rate * micros) / 1e6);
  near(cell('readings/s, over the day'), [perSecond], 'readings/s');
  near([...cell('PostgreSQL'), ...cell('HAProxy and ingest')], cores(perSecond), 'cores');
  near(cell('if all meters report in the same minute'), [meters / 60, ...cores(meters / 60)], 'cores in that minute');
  near(cell('memory of connections'), [(meters * connectionKilobytes) / 1e6], 'GB of connections');
  const rawTerabytes = (bytes: number) => (meters * 96 * RAW_DAYS * bytes) / 1e12;
  const raw = cell('raw readings, 13 months');
  near(raw, [rawTerabytes(rawBytes), rawTerabytes(packedBytes)], 'TB raw');
  const yearly = (megabytes: number) => (meters * megabytes) / 1e6;
  near(cell('load profile, each year'), [yearly(profileMegabytes), yearly(profileCompressed)], 'TB of profiles');
  near(cell('aggregates, each year'), [yearly(userMegabytes)], 'TB of aggregates');
  near(cell('heads (states of devices)'), [(meters * headBytes) / 1e9], 'GB of heads');
  near(cell('WAL to the standby'), [(perSecond * walKilobytes) / 1e3, (meters / 60 / 1e3) * walKilobytes], 'MB/s');
});

test('the storage of meters that report every 10 seconds follows from the measured bytes, too', () => {
  for (const [meters, begin] of [
    [10_000, '10,000, 10 s'],
    [100_000, '100,000, 10 s'],
  ] as const) {
    const [, kept = ''] = /; (.+)$/.exec(row(begin)[3] ?? '') ?? [];
    const terabytes = (bytes: number) => (meters * 8_640 * RAW_DAYS * bytes) / 1e12;
    const [written = 0, compressed = 0] = numbers(kept.replace('13 months', ''));
    near([written, compressed], [terabytes(rawBytes), terabytes(packedBytes)], begin);
  }
});
