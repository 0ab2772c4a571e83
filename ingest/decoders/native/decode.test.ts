import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeMessage } from '#ingest/decoders/describe.ts';
import { decodeNativeMessage } from '#ingest/decoders/native/decode.ts';
import { createCaseMessage, getFamilyCases } from '#test/support/family-cases.ts';

const RECEIVED_MS = Date.UTC(2026, 6, 5, 19);
const topic = 'energy/v1/dev_1/readings';
const decode = (payload: unknown, options: { replayed?: boolean; topic?: string } = {}) =>
  decodeNativeMessage({
    topic: options.topic ?? topic,
    payload: Buffer.isBuffer(payload)
      ? payload
      : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    receivedAtMs: RECEIVED_MS,
    replayed: options.replayed ?? false,
  });
const brief = (payload: unknown, options = {}) =>
  decode(payload, options)?.readings.map(({ channel, kind, value, readAtMs, intervalMs }) => [
    channel,
    kind,
    value,
    readAtMs - RECEIVED_MS,
    intervalMs,
  ]);

test.each(getFamilyCases('native'))('%s', (_file, { in: given, out }) => {
  const read = describeMessage(createCaseMessage(given), {}, []);
  const { readings, asks = [], rejected } = out as NonNullable<typeof out>;
  expect({ ...read, refused: read?.refused.length }).toEqual({ family: 'native', readings, asks, refused: rejected });
});

describe('native payload', () => {
  test('returns whole milli-units, at the time of receipt if the message has no time', () => {
    expect(brief({ energy_total_kwh: 4711.235, power_w: -412.5 })).toEqual([
      ['import', 'register', 4_711_235_000, 0, 0],
      ['import', 'power', -412_500, 0, 0],
    ]);
    expect(brief({ temperature_c: 20.54, setpoint_c: 21, heating: true, humidity_percent: 40 })).toEqual([
      ['import', 'temperature', 20_540, 0, 0],
      ['import', 'setpoint', 21_000, 0, 0],
      ['import', 'heating', 1, 0, 0],
      ['import', 'humidity', 40_000, 0, 0],
    ]);
  });

  test('reads times as ISO 8601 with a zone, Unix seconds and Unix milliseconds', () => {
    for (const ts of [
      '2026-07-05T20:30:00+02:00',
      '2026-07-05T18:30:00Z',
      (RECEIVED_MS - 1_800_000) / 1_000,
      RECEIVED_MS - 1_800_000,
    ]) {
      expect(brief({ ts, energy_total_kwh: 1 })).toEqual([['import', 'register', 1_000_000, -1_800_000, 0]]);
    }
    expect(decode({ ts: '2026-07-05T18:30:00', energy_total_kwh: 1 })?.rejections).toHaveLength(1);
  });

  test('accepts interval energy only with its length and its time', () => {
    expect(brief({ ts: RECEIVED_MS, energy_kwh: 0.5, interval_s: 900 })).toEqual([
      ['import', 'interval', 500_000, 0, 900_000],
    ]);
    expect(decode({ energy_kwh: 0.5, interval_s: 900 })?.rejections[0]?.reason).toMatch(/needs ts/);
    expect(decode({ ts: RECEIVED_MS, energy_kwh: 0.5 })?.rejections[0]?.reason).toMatch(/needs interval_s/);
  });

  test('reads the other elements next to an invalid one', () => {
    const decoded = decode([
      { power_w: 1 },
      null,
      { power_w: '1' },
      {},
      { channel: 'A b', power_w: 1 },
      { power_w: 2, channel: 'switch0/import' },
    ]);
    expect(decoded?.readings.map(({ element }) => element)).toEqual([0, 5]);
    expect(decoded?.rejections.map(({ element }) => element)).toEqual([1, 2, 3, 4]);
    expect(decoded?.rejections[2]?.reason).toMatch(/^no quantity: none of energy_total_kwh, .*heating$/);
  });

  test('skips replayed messages without a time of their own', () => {
    expect(brief({ power_w: 1 }, { replayed: true })).toEqual([]);
    expect(brief({ ts: RECEIVED_MS, power_w: 1 }, { replayed: true })).toHaveLength(1);
  });

  test('reads the status, and ignores topics that are not native', () => {
    expect(decode('faulty', { topic: 'energy/v1/dev_1/status' })?.status).toBe('faulty');
    expect(decode('on fire', { topic: 'energy/v1/dev_1/status' })?.rejections).toHaveLength(1);
    for (const other of [
      'energy/v2/dev_1/readings',
      'energy/v1/dev_1/commands',
      'energy/v1//readings',
      'energy/v1/a/readings/b',
    ]) {
      expect(decode('{}', { topic: other })).toBeNull();
    }
  });

  test('rejects payloads that are not JSON, not UTF-8, empty or too large, and never throws', () => {
    for (const payload of [
      '',
      'NaN',
      '[]',
      '{"power_w":1e999}',
      '['.repeat(100_000),
      Buffer.from([0xff, 0xfe]),
      'x'.repeat(1_100_000),
      '0x1F4',
      '{"__proto__":{"power_w":1}}',
    ]) {
      const decoded = decode(payload);
      expect(decoded?.readings).toEqual([]);
      expect(decoded?.rejections.length).toBeGreaterThan(0);
    }
    const odd = fc.oneof(
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(odd, (payload) => {
        const decoded = decode(payload);
        for (const { value, readAtMs } of decoded?.readings ?? []) {
          expect(Number.isSafeInteger(value) && Number.isSafeInteger(readAtMs)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
