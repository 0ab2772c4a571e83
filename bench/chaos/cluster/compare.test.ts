import { expect, test } from 'vitest';
import { compareEvidence, type Evidence } from './compare.ts';

const HOUR = 'usr_1 2026-07-05T10:00:00.000Z';
const NEXT = 'usr_1 2026-07-05T11:00:00.000Z';

/** Two readings. The second exceeds the threshold of its hour, and its alert was delivered. */
const well: Evidence = {
  published: new Set(['dev_1 1 10', 'dev_1 2 20', 'dev_1 3 30']),
  acknowledged: ['dev_1 1 10', 'dev_1 2 20'],
  // The acknowledgement of the third reading was lost.
  stored: ['dev_1 1 10', 'dev_1 2 20', 'dev_1 3 30'],
  rejected: 0,
  expectedHours: new Map([
    [HOUR, 20],
    [NEXT, 0],
  ]),
  keptHours: new Map([[HOUR, 20]]),
  alerts: new Set([HOUR]),
  calls: [{ event: 'evt_1', hour: HOUR, atMs: 1_000 }],
  cutOff: [{ fromMs: 5_000, toMs: 6_000 }],
};
const [call] = well.calls;
if (!call) throw new Error('no call');

test('finds no difference if each acknowledged reading was processed correctly and once', () => {
  expect(compareEvidence(well)).toEqual([]);
});

const planted: [string, Partial<Evidence>, ReturnType<typeof compareEvidence>][] = [
  [
    'an acknowledged reading that is not stored',
    { stored: ['dev_1 1 10', 'dev_1 3 30'] },
    [{ kind: 'lost', of: 'dev_1 2 20' }],
  ],
  [
    'a reading that is stored with another value',
    { stored: ['dev_1 1 10', 'dev_1 2 21', 'dev_1 3 30'] },
    [
      { kind: 'strange', of: 'dev_1 2 21' },
      { kind: 'lost', of: 'dev_1 2 20' },
    ],
  ],
  [
    'a reading that is stored twice, such as in two cells',
    { stored: [...well.stored, 'dev_1 2 20'] },
    [{ kind: 'doubled', of: 'dev_1 2 20' }],
  ],
  ['a refused message', { rejected: 1 }, [{ kind: 'strange', of: '1 refused messages' }]],
  [
    'an hour that is wrong',
    { keptHours: new Map([[HOUR, 21]]) },
    [{ kind: 'wrongHour', of: `${HOUR}: 21 mWh, not 20` }],
  ],
  ['an hour that is missing', { keptHours: new Map() }, [{ kind: 'wrongHour', of: `${HOUR}: 0 mWh, not 20` }]],
  [
    'an hour that nobody used',
    {
      keptHours: new Map([
        [HOUR, 20],
        [NEXT, 1],
      ]),
    },
    [{ kind: 'wrongHour', of: `${NEXT}: 1 mWh, not 0` }],
  ],
  ['an alert that is not told', { calls: [] }, [{ kind: 'untold', of: HOUR }]],
  [
    'an alert that is told without a reason',
    { calls: [call, { event: 'evt_2', hour: NEXT, atMs: 1_500 }] },
    [{ kind: 'toldWrongly', of: `${NEXT}: evt_2, without a reason` }],
  ],
  [
    'a second event for the same hour',
    { calls: [call, { ...call, event: 'evt_2' }] },
    [{ kind: 'toldWrongly', of: `${HOUR}: evt_2, after evt_1` }],
  ],
  [
    'the same event again',
    { calls: [call, { ...call, atMs: 1_002 }] },
    [{ kind: 'toldAgain', of: `${HOUR}: evt_1, 2 ms after the call before` }],
  ],
];
test.each(planted)('finds %s', (_, evidence, differences) => {
  expect(compareEvidence({ ...well, ...evidence })).toEqual(differences);
});

test('allows one repeated call for an interrupted delivery', () => {
  const calls = [5_500, 21_000].map((atMs) => ({ ...call, atMs }));
  expect(compareEvidence({ ...well, calls })).toEqual([]);
  const third = { ...call, atMs: 21_003 };
  expect(compareEvidence({ ...well, calls: [...calls, third] })).toEqual([
    { kind: 'toldAgain', of: `${HOUR}: evt_1, 3 ms after the call before` },
  ]);
});
