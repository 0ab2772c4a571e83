import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, describe as group, test } from 'vitest';
import { describe } from '#ingest/decoders/describe.ts';
import { FAMILIES } from '#ingest/decoders/families.ts';
import type { DecoderSettings } from '#ingest/decoders/family.ts';
import { createDecoders } from '#ingest/decoders/remembering.ts';

const FOLDER = resolve(import.meta.dirname, '../../ingest/decoders');

interface CaseMessage {
  topic: string;
  payload?: string;
  payload_b64?: string;
}
interface Case {
  about: string;
  in: CaseMessage & {
    received_at: string;
    tz?: string;
    config?: DecoderSettings;
    prior?: CaseMessage[];
    replayed?: boolean;
  };
  /** `rejected`: how many; `null`: nobody's message. */
  out: { readings: Record<string, unknown>[]; rejected: number } | null;
}

const bytesOf = ({ payload, payload_b64 }: CaseMessage) =>
  payload_b64 === undefined ? Buffer.from(payload ?? '') : Buffer.from(payload_b64, 'base64');
const messageOf = (given: Case['in']) => ({
  topic: given.topic,
  payload: bytesOf(given),
  receivedAtMs: Date.parse(given.received_at),
  replayed: given.replayed ?? false,
});
const settingsOf = ({ tz, config }: Case['in']): DecoderSettings => ({ ...config, ...(tz ? { tz } : {}) });
const priorOf = ({ prior = [] }: Case['in']) => prior.map((one) => ({ topic: one.topic, payload: bytesOf(one) }));
const casesOf = (family: string): [string, Case][] => {
  const folder = join(FOLDER, family, 'cases');
  return existsSync(folder)
    ? readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case])
    : [];
};
const sorted = (readings: readonly object[]) => readings.map((one) => JSON.stringify(one)).sort();
const inOrder = ({ device, channel, kind, value, ts }: Record<string, unknown>) => ({
  device,
  channel,
  kind,
  value: typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
  ts: ts === null || ts === undefined ? null : new Date(String(ts)).toISOString(),
});

test('each family has its README, its topics and at least eight cases, and a line in the list', () => {
  const folders = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['read', 'native', '_blueprint'].includes(entry.name))
    .map((entry) => entry.name);
  expect(FAMILIES.map(({ name }) => name).sort()).toEqual(folders.sort());
  for (const folder of [...folders, '_blueprint']) {
    for (const file of ['README.md', 'topic.ts', 'decode.ts'])
      expect(existsSync(join(FOLDER, folder, file))).toBe(true);
  }
  for (const folder of folders) expect([folder, casesOf(folder).length >= 8]).toEqual([folder, true]);
});

for (const family of FAMILIES) {
  group(family.name, () => {
    test.each(casesOf(family.name))('%s', (_file, { in: given, out }) => {
      const read = describe(messageOf(given), settingsOf(given), priorOf(given));
      if (out === null) return expect(read).toBeNull();
      expect(read?.family).toBe(family.name);
      expect(sorted((read?.readings ?? []).map((one) => inOrder({ ...one })))).toEqual(
        sorted(out.readings.map(inOrder)),
      );
      expect(read?.refused.length).toBe(out.rejected);
    });

    // The generic layer reads what is announced, and is asked last.
    test('takes no other family’s messages', () => {
      if (family.name === 'homeassistant') return;
      for (const other of FAMILIES) {
        if (other.name === family.name) continue;
        for (const [file, { in: given, out }] of casesOf(other.name)) {
          if (out === null) continue;
          const alone = createDecoders([family]);
          for (const one of priorOf(given)) alone.recall({ ...one, receivedAtMs: Date.parse(given.received_at) });
          expect([other.name, file, alone.hear(messageOf(given), settingsOf(given))]).toEqual([other.name, file, null]);
        }
      }
    });
  });
}
