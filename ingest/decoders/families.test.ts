import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, describe as group, test } from 'vitest';
import { describeMessage } from '#ingest/decoders/describe.ts';
import { FAMILIES } from '#ingest/decoders/families.ts';
import { createGatewayDecoders } from '#ingest/decoders/gateway-decoders.ts';
import { readJson } from '#ingest/decoders/read/payload.ts';
import {
  createCaseMessage,
  FAMILIES_FOLDER,
  getFamilyCaseSettings,
  getFamilyCases,
  getPriorMessages,
} from '#test/support/family-cases.ts';

const sorted = (readings: readonly object[]) => readings.map((one) => JSON.stringify(one)).sort();
const inOrder = ({ device, channel, kind, value, ts }: Record<string, unknown>) => ({
  device,
  channel,
  kind,
  value: typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
  ts: ts === null || ts === undefined ? null : new Date(String(ts)).toISOString(),
});

/** Prints the result of a new test case, so that its author can paste it as `out`. */
function describeMissingOut(read: ReturnType<typeof describeMessage>): string {
  const { readings = [], asks = [], refused = [] } = read ?? {};
  const out = read && { readings, ...(asks.length > 0 ? { asks } : {}), rejected: refused.length };
  return `The case has no "out" yet. If the device's documents agree, add\n"out": ${JSON.stringify(out ?? null, null, 2)}`;
}

/** Folders of ingest/decoders that contain no family. */
const SHARED = ['read', 'native', 'vocabulary', 'registers-of-a-device', '_blueprint', 'tables'];

test('each family has a table or a README and a decoder, at least eight cases, and a line in the list', () => {
  const folders = readdirSync(FAMILIES_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
    .map((entry) => entry.name);
  const tables = readdirSync(join(FAMILIES_FOLDER, 'tables')).filter((file) => /^(?!.*\.cases\.).*\.json$/.test(file));
  const families = [...folders, ...tables.map((file) => file.slice(0, -'.json'.length))];
  expect(FAMILIES.map(({ name }) => name).sort()).toEqual(families.sort());
  for (const folder of [...folders, '_blueprint']) {
    for (const file of ['README.md', 'decode.ts']) expect(existsSync(join(FAMILIES_FOLDER, folder, file))).toBe(true);
  }
  for (const family of families) expect(getFamilyCases(family).length, `cases of ${family}`).toBeGreaterThanOrEqual(8);
});

test('parses a body once for all families, and no family changes it', () => {
  for (const { name } of FAMILIES) {
    for (const [file, { in: given }] of getFamilyCases(name)) {
      const message = createCaseMessage(given);
      const decoders = createGatewayDecoders();
      for (const one of getPriorMessages(given)) decoders.recall({ ...one, receivedAtMs: message.receivedAtMs });
      decoders.hear(message, getFamilyCaseSettings(given));
      const read = readJson(message.payload);
      assert.equal(read, readJson(message.payload));
      assert.deepEqual(
        read,
        readJson(Buffer.from(message.payload)),
        `the body of ${name}’s ${file} is not what it was`,
      );
    }
  }
});

for (const family of FAMILIES) {
  group(family.name, () => {
    test.each(getFamilyCases(family.name))('%s', (_file, { in: given, out }) => {
      const read = describeMessage(createCaseMessage(given), getFamilyCaseSettings(given), getPriorMessages(given));
      if (out === undefined) assert.fail(describeMissingOut(read));
      // An expected result of `null` means that no family decodes the message, except perhaps the family `names`, which recognises the
      // names of the members.
      if (out === null) return expect([undefined, 'names']).toContain(read?.family);
      expect(read?.family).toBe(family.name);
      expect(sorted((read?.readings ?? []).map((one) => inOrder({ ...one })))).toEqual(
        sorted(out.readings.map(inOrder)),
      );
      expect(sorted(read?.asks ?? [])).toEqual(sorted(out.asks ?? []));
      expect(read?.refused.length).toBe(out.rejected);
    });

    test('accepts every topic that it reads', () => {
      const { takes: _takes, knows: _knows, ...unasked } = family;
      for (const other of FAMILIES) {
        for (const [file, { in: given }] of getFamilyCases(other.name)) {
          const alone = createGatewayDecoders([unasked]);
          for (const one of getPriorMessages(given))
            alone.recall({ ...one, receivedAtMs: Date.parse(given.received_at) });
          if (!alone.hear(createCaseMessage(given), getFamilyCaseSettings(given))) continue;
          const isTaken = family.takes?.(given.topic) !== false || family.knows?.(createCaseMessage(given).payload);
          assert.ok(isTaken, `${family.name} denies ${other.name}’s ${file}`);
        }
      }
    });

    // Two families may decode messages of other families: the generic family, which decodes announced devices, and `names`, which decodes
    // what no other family recognises. The families after the generic one may decode its messages, because they decode the same devices
    // without an announcement.
    test('rejects messages of other families', () => {
      if (family.name === 'homeassistant' || family.name === 'names') return;
      for (const other of FAMILIES) {
        if (other.name === family.name) continue;
        if (other.name === 'homeassistant' && FAMILIES.indexOf(family) > FAMILIES.indexOf(other)) continue;
        for (const [file, { in: given, out }] of getFamilyCases(other.name)) {
          if (out === null) continue;
          const alone = createGatewayDecoders([family]);
          for (const one of getPriorMessages(given))
            alone.recall({ ...one, receivedAtMs: Date.parse(given.received_at) });
          assert.equal(
            alone.hear(createCaseMessage(given), getFamilyCaseSettings(given)),
            null,
            `${family.name} takes ${other.name}’s ${file}`,
          );
        }
      }
    });
  });
}
