import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseSeriesRoles } from '#ingest/normalise/channels.ts';
import { NO_SERIES_ROLES } from '#ingest/normalise/roles-by-time.ts';
import { measureProcessorMs } from '#test/support/processor-time.ts';
import {
  normaliseChannelWord,
  normaliseNativeChannel,
  parseChannel,
  resolveChannelMeaning,
  resolveCountsAs,
  shouldOwnerSetMeaning,
} from './channel-name.ts';

const DIRECTIONS = ['import', 'export'];
const COMMODITIES = ['gas', 'heat', 'water'];
const RESERVED = [...DIRECTIONS, ...COMMODITIES, 'm3', 'cooling', 'unknown'];
/** Random channel names as owners choose them, mostly similar to known ones. */
const name = fc.oneof(
  fc.constantFrom(
    'feed_in',
    'exprot',
    'reactive',
    'production',
    'gas_m3',
    'imported',
    'export_1',
    'import-t1',
    'netz',
    'total',
  ),
  fc.stringMatching(/^[a-z0-9_-]{1,12}$/).filter((word) => !RESERVED.includes(word) && !/^[tl]\d+$/.test(word)),
);
const part = fc.constantFrom('', '/t1', '/t2', '/l1', '/l3');
const knownWord = fc.oneof(
  fc.tuple(fc.constantFrom(...DIRECTIONS), part).map((words) => words.join('')),
  fc.tuple(fc.constantFrom(...COMMODITIES), fc.constantFrom('', '/m3')).map((words) => words.join('')),
);
/** Random channel names with an unknown meaning. */
const unknown = fc.oneof(
  name,
  fc.tuple(name, name).map((words) => words.join('/')),
  fc.tuple(knownWord, name).map((words) => words.join('/')),
  fc.tuple(fc.constantFrom(...DIRECTIONS), fc.constantFrom(...DIRECTIONS)).map((words) => words.join('/')),
);

describe('the channel of a native message', () => {
  test('counts in the direction of its known name, in the circuit before that name', () => {
    fc.assert(
      fc.property(fc.option(name, { nil: '' }), knownWord, (circuit, what) => {
        const channel = normaliseNativeChannel(circuit === '' ? what : `${circuit}/${what}`) ?? '';
        expect(parseChannel(channel)).toMatchObject({ known: true, circuit });
        expect(resolveCountsAs(channel)).toBe(what.replace('/m3', ''));
        expect(shouldOwnerSetMeaning(channel)).toBe(false);
        expect(chooseSeriesRoles([{ channel, kind: 'register' }])[0]?.roles).toMatchObject({
          import: !what.startsWith('export'),
        });
      }),
    );
  });

  test('does not count under any other name until its owner states the meaning', () => {
    fc.assert(
      fc.property(unknown, fc.constantFrom('register', 'interval', 'power'), (text, kind) => {
        const channel = normaliseNativeChannel(text) ?? '';
        expect(channel).toBe(text);
        expect(resolveCountsAs(channel)).toBeNull();
        expect(shouldOwnerSetMeaning(channel)).toBe(true);
        expect(chooseSeriesRoles([{ channel, kind }]).map(({ roles }) => roles)).toEqual([NO_SERIES_ROLES]);
      }),
    );
  });

  test('does not count as power under an unknown name next to the device’s own power', () => {
    fc.assert(
      fc.property(name, (channel) => {
        const roles = chooseSeriesRoles([
          { channel, kind: 'register' },
          { channel: 'import', kind: 'register' },
          { channel: 'import', kind: 'power' },
        ]);
        expect(roles.map(({ roles: role }) => [role.import, role.export])).toEqual([
          [false, false],
          [true, false],
          [false, false],
        ]);
      }),
    );
  });

  test.each(['Import', 'EXPORT/T1', 'Kitchen/Import'])('converts the capitals of %s to lower case', (text) => {
    expect(normaliseNativeChannel(text)).toBe(text.toLowerCase());
  });

  test.each([
    '',
    '/',
    'a b',
    'zähler',
    'a//import',
    '/import',
    'import/',
    'a/b/import',
    'a/b/c/export/t1',
    'a/b/gas',
    'x'.repeat(65),
  ])('rejects the channel name %j', (text) => {
    expect(normaliseNativeChannel(text)).toBeNull();
  });
});

describe('an owner’s setting for a channel', () => {
  const WORDS = { production: ['pv', 'export'], charged: ['battery', 'import'], discharged: ['battery', 'export'] };

  test.each(Object.entries(WORDS))(
    'gives the owner’s meaning %s a circuit of its own next to the registers of the meter',
    (counts_as, [circuit, direction]) => {
      const word = { counts_as };
      expect(resolveChannelMeaning({ channel: 'roof', kind: 'register' }, word)).toMatchObject({
        known: true,
        circuit,
        direction,
      });
      expect(resolveChannelMeaning({ channel: 'sml/unknown/roof', kind: 'register' }, word)).toMatchObject({
        circuit: `sml/${circuit}`,
      });
      expect(resolveChannelMeaning({ channel: 'switch0/import', kind: 'register' }, word)).toMatchObject({
        circuit: 'switch0',
        direction,
      });
      const roles = chooseSeriesRoles([
        { channel: 'export/t1', kind: 'register' },
        { channel: 'import/t1', kind: 'register' },
        { channel: 'roof', kind: 'register', word },
      ]);
      expect(roles.map(({ roles: role }) => role.import || role.export)).toEqual([true, true, true]);
    },
  );

  test('does not count an import power that its owner set to export', () => {
    for (const counts_as of ['export', 'production', 'discharged'])
      expect(resolveChannelMeaning({ channel: 'roof', kind: 'power' }, { counts_as }).known).toBe(false);
    expect(resolveChannelMeaning({ channel: 'roof', kind: 'power' }, { counts_as: 'charged' }).known).toBe(true);
  });
});

test('a name of 100,000 underscores becomes a word without delay', () => {
  const ms = measureProcessorMs(() => {
    expect(normaliseChannelWord(`a${'_'.repeat(100_000)}b`)).toBe(`a${'_'.repeat(31)}`);
    expect(normaliseChannelWord(`__a b${'_'.repeat(100_000)}`)).toBe('a_b');
  });
  expect(ms).toBeLessThan(500);
});
