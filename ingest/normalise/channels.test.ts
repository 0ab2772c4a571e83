import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseSeriesRoles } from './channels.ts';
import { createSeriesRolesLookup, type SeriesRolesByTime } from './roles-by-time.ts';

const series = fc.uniqueArray(
  fc.record({
    channel: fc
      .tuple(
        fc.constantFrom('', 'switch0', 'switch1', 'gas', 'gas/m3'),
        fc.constantFrom('import', 'export'),
        fc.constantFrom('', 't1', 't2', 'l1', 'l2'),
      )
      .map((words) => words.filter((word) => word !== '').join('/')),
    kind: fc.constantFrom('register', 'interval', 'power', 'temperature'),
  }),
  { selector: ({ channel, kind }) => `${kind} ${channel}`, maxLength: 12 },
);

const rolesByName = (all: { channel: string; kind: string }[], roles: SeriesRolesByTime[]) =>
  all.flatMap(({ channel, kind }, index) => {
    const { import: imported, export: exported, meter } = (roles[index] as SeriesRolesByTime).roles;
    const of = meter === null ? '' : ` of ${meter}`;
    return [
      ...(imported ? [`${kind} ${channel} as import${of}`] : []),
      ...(exported ? [`${kind} ${channel} as export${of}`] : []),
    ];
  });

test('chooses the same roles from a set of series in any order of appearance', () => {
  fc.assert(
    fc.property(series, fc.infiniteStream(fc.nat()), (all, ranks) => {
      const other = all
        .map((one) => ({ one, rank: ranks.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ one }) => one);
      expect(rolesByName(other, chooseSeriesRoles(other)).sort()).toEqual(
        rolesByName(all, chooseSeriesRoles(all)).sort(),
      );
    }),
  );
});

test('counts one quantity per circuit and direction, either its total or its parts; gas separately; temperatures never', () => {
  fc.assert(
    fc.property(series, (all) => {
      const roles = chooseSeriesRoles(all).map((one) => one.roles);
      const counted = new Map<string, Set<string>>();
      all.forEach(({ channel, kind }, index) => {
        const words = channel.split('/');
        const circuit = words.filter((word) => /^(switch|gas|m3)/.test(word)).join('/');
        const part = words.find((word) => /^[tl]\d$/.test(word))?.[0] ?? 'total';
        for (const direction of ['import', 'export'] as const) {
          if (!roles[index]?.[direction]) continue;
          expect(roles[index]?.meter).toBe(words.includes('gas') ? (words.includes('m3') ? 'gas_m3' : 'gas') : null);
          expect(words.includes('gas') && direction === 'export').toBe(false);
          expect(kind).not.toBe('temperature');
          const key = `${circuit} ${direction}`;
          counted.set(key, new Set([...(counted.get(key) ?? []), `${kind} ${part} of ${words.includes('export')}`]));
        }
      });
      for (const kinds of counted.values()) expect([...kinds]).toHaveLength(1);
    }),
  );
});

test.each([
  [
    ['register import', 'power import'],
    ['register import as import', 'power import as export'],
  ],
  [
    ['register import/t1', 'register import/t2', 'interval import'],
    ['register import/t1 as import', 'register import/t2 as import'],
  ],
  [['register import', 'register import/t1', 'register import/l1'], ['register import as import']],
  [
    ['power import/l1', 'power import/l2', 'power export'],
    ['power import/l1 as import', 'power import/l2 as import', 'power export as export'],
  ],
  [
    ['power switch0/import', 'register switch1/import'],
    ['power switch0/import as import', 'power switch0/import as export', 'register switch1/import as import'],
  ],
  [['register gas/import', 'temperature import'], ['register gas/import as import of gas']],
  [
    ['register import', 'register gas/m3', 'power gas', 'power heat', 'register water/m3'],
    ['register import as import', 'register gas/m3 as import of gas_m3', 'power gas as import of gas'].concat([
      'power heat as import of heat',
      'register water/m3 as import of water_m3',
    ]),
  ],
  [['register gas/export', 'register m3', 'power gas/unknown/foo', 'register heat/cooling/import'], []],
  [['register unknown/foo', 'power import', 'power l1/import'], []],
  [
    ['register sml/unknown/wert_a', 'power sml/import', 'register switch1/import'],
    ['register switch1/import as import'],
  ],
  [
    ['power unknown/foo', 'power import'],
    ['power import as import', 'power import as export'],
  ],
])('of the series %j, the series %j count', (names, wanted) => {
  const all = names.map((name) => {
    const [kind = '', channel = ''] = name.split(' ');
    return { kind, channel };
  });
  expect(rolesByName(all, chooseSeriesRoles(all))).toEqual(wanted);
});

test('counts each interval by the best series with a reading before its end; later series change nothing before them', () => {
  const dated = series.chain((all) =>
    fc
      .array(fc.record({ firstReadAtMs: fc.integer({ min: 0, max: 9 }), zeros: fc.option(fc.nat(5)) }), {
        minLength: all.length,
        maxLength: all.length,
      })
      .map((times) =>
        all.map((one, index) => {
          const { firstReadAtMs, zeros } = times[index] as (typeof times)[number];
          return { ...one, firstReadAtMs, nonzeroAtMs: zeros === null ? null : firstReadAtMs + zeros };
        }),
      ),
  );
  const electric = (all: { channel: string }[]) => all.every(({ channel }) => !channel.includes('gas'));
  fc.assert(
    fc.property(dated, fc.nat(9), (all, endMs) => {
      const roles = chooseSeriesRoles(all);
      // A series whose first reading is not before `endMs` must not influence which series contribute to the totals at `endMs`.
      const before = all.filter(({ firstReadAtMs }) => firstReadAtMs < endMs);
      const known = chooseSeriesRoles(before);
      const isZeroTotal = all.some(({ nonzeroAtMs }) => nonzeroAtMs === null || nonzeroAtMs >= endMs);
      if (isZeroTotal || !electric(all)) return;
      for (const [index, one] of before.entries()) {
        const rolesThen = createSeriesRolesLookup(known[index] as SeriesRolesByTime)(endMs);
        expect(createSeriesRolesLookup(roles[all.indexOf(one)] as SeriesRolesByTime)(endMs)).toEqual(rolesThen);
      }
    }),
  );
});

test.each([
  [['register import 0 null', 'register import/t1 0 0', 'interval import 0'], 9, ['register import/t1 as import']],
  [['register import 0 5', 'register import/t1 0 2'], 5, ['register import/t1 as import']],
  [['register import 0 5', 'register import/t1 0 2'], 6, ['register import as import']],
  [['register import 0 null', 'register import/t1 0 null'], 9, ['register import as import']],
  // If a circuit (measured part of the home) has a register of unknown meaning, the energy of a power series is not counted, because the
  // register may measure the same energy.
  [['power import 0', 'register unknown/x 3'], 3, ['power import as import', 'power import as export']],
  [['power import 0', 'register unknown/x 3'], 4, []],
  [['power import 0', 'register unknown/x 0 0 kvarh'], 9, ['power import as import', 'power import as export']],
  [['power import 0', 'register unknown/x 0 0 kWh'], 9, []],
])('of the series %j, at time %i the following count: %j', (lines, endMs, wanted) => {
  const all = lines.map((line) => {
    const [kind = '', channel = '', first, nonzero, unit] = line.split(' ');
    const nonzeroAtMs = nonzero === 'null' ? null : Number(nonzero ?? 0);
    return { kind, channel, firstReadAtMs: Number(first), nonzeroAtMs, unit: unit ?? null };
  });
  const roles = chooseSeriesRoles(all).map((one) => ({ roles: createSeriesRolesLookup(one)(endMs) }));
  expect(rolesByName(all, roles)).toEqual(wanted);
});

test('prefers the owner’s setting of a quantity to its name', () => {
  const meaning = (series: Parameters<typeof chooseSeriesRoles>[0]) => chooseSeriesRoles(series)[0]?.roles;
  const register = { channel: 'sml/unknown/wert_a', kind: 'register' };
  const nothing = { import: false, export: false, meter: null };
  const imported = { import: true, export: false, meter: null };
  expect(meaning([{ ...register, word: { counts_as: 'import' } }])).toEqual(imported);
  expect(meaning([{ ...register, word: { counts_as: 'export', placement: 'grid' } }])).toEqual({
    import: false,
    export: true,
    meter: 'grid',
  });
  expect(meaning([{ ...register, word: { placement: 'grid' } }])).toEqual(nothing);
  expect(meaning([{ ...register, word: { counts_as: 'ignored' } }])).toEqual(nothing);
  expect(meaning([{ ...register, unit: 'm³', word: { counts_as: 'water' } }])).toEqual({
    ...imported,
    meter: 'water_m3',
  });
  // A volume is never electricity, even if the owner's setting says that it is imported electricity.
  expect(meaning([{ ...register, unit: 'm3', word: { counts_as: 'import' } }])).toEqual(nothing);
  expect(meaning([{ channel: 'gas', kind: 'register', word: { counts_as: 'import' } }])).toEqual(imported);
  expect(meaning([{ channel: 'gas', kind: 'register', word: { placement: 'excluded' } }])).toEqual(nothing);
  expect(meaning([{ channel: 'gas', kind: 'register', word: { placement: 'grid' } }])).toEqual({
    ...imported,
    meter: 'gas',
  });
});
