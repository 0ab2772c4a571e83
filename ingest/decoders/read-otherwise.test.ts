import { expect, test } from 'vitest';
import { readDecoderConfig } from '#src/devices/decoder-config.ts';
import { hasSeriesSourceChanged, mergeMessageNumberSettings } from '#src/devices/read-numbers.ts';
import {
  createCaseMessage,
  getFamilyCaseSettings,
  getFamilyCases,
  getPriorMessages,
} from '#test/support/family-cases.ts';
import { getStoredValueKind } from '../gateways/assign.ts';
import { FAMILIES } from './families.ts';
import { type DecoderSettings, parseDecoderSettings } from './family.ts';
import { createGatewayDecoders } from './gateway-decoders.ts';

type Config = Record<string, unknown>;

/** Yields variants of a setting. In each variant, one text or number is replaced or one member is removed. */
function* variantsOf(value: unknown, key = ''): Generator<unknown> {
  if (typeof value === 'number') yield* [value * 1_000, value / 2];
  else if (key === 'unit') yield* ['kWh', 'Wh', 'MWh', 'W', 'kW', 'm3', 'l', 'CCF', 'C'];
  else if (key === 'counts_as' || key === 'meaning')
    yield* ['import', 'export', 'import/t1', 'gas', 'water', 'power', 'ignored'];
  else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      yield value.toSpliced(index, 1);
      for (const variant of variantsOf(one)) yield value.with(index, variant);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      const { [name]: _without, ...rest } = value as Config;
      yield rest;
      for (const variant of variantsOf(one, name)) yield { ...rest, [name]: variant };
    }
  }
}

/** Returns the registers and powers that a test case's message contains under the given settings, by device and series. */
function readBy(given: Parameters<typeof createCaseMessage>[0], settings: DecoderSettings) {
  const decoders = createGatewayDecoders();
  const message = createCaseMessage(given);
  for (const one of getPriorMessages(given)) decoders.recall({ ...one, receivedAtMs: message.receivedAtMs });
  const decoded = decoders.hear(message, settings);
  const said = (decoded?.said ?? []).filter(({ kind }) => ['register', 'power'].includes(getStoredValueKind(kind)));
  const bySeries = Map.groupBy(said, ({ device, channel, kind }) =>
    JSON.stringify([device, channel, getStoredValueKind(kind)]),
  );
  return { family: decoded?.family, bySeries };
}

/** Returns the conditions (`where`) of all mappings as one text, for comparison. */
const conditionsOf = ({ mapping = [] }: DecoderSettings): string => JSON.stringify(mapping.map(({ where }) => where));

const counts = { other: 0, same: 0 };
const cases = FAMILIES.flatMap(({ name }) =>
  getFamilyCases(name).map(([file, { in: given }]) => ({ name, file, given })),
);

test('reports a changed setting for each series whose numbers change, and for no other series', () => {
  for (const { name, file, given } of cases) {
    const settings = getFamilyCaseSettings(given);
    for (const variant of variantsOf(settings)) {
      const changed = parseDecoderSettings(variant);
      const [was, is] = [readBy(given, settings), readBy(given, changed)];
      // If another family decodes the message under the changed settings, the values belong to another device, so a comparison has no
      // meaning.
      if (was.family !== is.family || was.family === undefined) continue;
      const [before, after] = [settings, changed].map((one) => mergeMessageNumberSettings(readDecoderConfig(one), {}));
      for (const [key, said] of was.bySeries) {
        const now = is.bySeries.get(key);
        if (!now || !before || !after) continue;
        const [native_id, channel, kind] = JSON.parse(key);
        const values = (all: typeof said) => all.map(({ value }) => value).join();
        const isOther = values(said) !== values(now);
        const native_name = said[0]?.native ?? null;
        const told = hasSeriesSourceChanged(before, after, {
          family: was.family,
          native_id,
          channel,
          kind,
          native_name,
        });
        // A changed condition of a mapping may apply to other messages than this one. A reported change is therefore accepted, although the
        // numbers of this message are the same.
        if (told && !isOther && conditionsOf(settings) !== conditionsOf(changed)) continue;
        expect(told, `${name} ${file} ${key}: ${JSON.stringify([settings, changed])}`).toBe(isOther);
        counts[isOther ? 'other' : 'same']++;
      }
    }
  }
  expect(counts.other).toBeGreaterThan(100);
  expect(counts.same).toBeGreaterThan(300);
});
