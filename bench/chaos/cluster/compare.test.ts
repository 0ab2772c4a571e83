import { expect, test } from 'vitest';
import { type ChaosRunRecords, compareChaosRunRecords, listDeliveryRetries } from './compare.ts';

const HOUR = 'usr_1 2026-07-05T10:00:00.000Z';
const NEXT = 'usr_1 2026-07-05T11:00:00.000Z';

/** A correct run with two readings. The second takes the usage of its hour above the threshold, and its alert was delivered. */
const correctRun: ChaosRunRecords = {
  published: new Set(['dev_1 1 10', 'dev_1 2 20', 'dev_1 3 30']),
  acknowledged: ['dev_1 1 10', 'dev_1 2 20'],
  // The third reading was stored, although its acknowledgement was lost.
  stored: ['dev_1 1 10', 'dev_1 2 20', 'dev_1 3 30'],
  rejected: 0,
  expectedHours: new Map([
    [HOUR, 20],
    [NEXT, 0],
  ]),
  reportedHours: new Map([[HOUR, 20]]),
  alerts: new Set([HOUR]),
  calls: [{ event: 'evt_1', hour: HOUR, atMs: 1_000 }],
  cutOff: [{ fromMs: 5_000, toMs: 6_000 }],
  attempts: new Map([['evt_1', [{ delivery: 'dlv_1', fromMs: 990, toMs: 1_010, error: null }]]]),
};
const [call] = correctRun.calls;
if (!call) throw new Error('no call');

test('finds no difference if each acknowledged reading was processed correctly and only once', () => {
  expect(compareChaosRunRecords(correctRun)).toEqual([]);
});

const planted: [string, Partial<ChaosRunRecords>, ReturnType<typeof compareChaosRunRecords>][] = [
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
    { stored: [...correctRun.stored, 'dev_1 2 20'] },
    [{ kind: 'doubled', of: 'dev_1 2 20' }],
  ],
  ['a refused message', { rejected: 1 }, [{ kind: 'strange', of: '1 refused messages' }]],
  [
    'an hour that is wrong',
    { reportedHours: new Map([[HOUR, 21]]) },
    [{ kind: 'wrongHour', of: `${HOUR}: 21 mWh, not 20` }],
  ],
  ['an hour that is missing', { reportedHours: new Map() }, [{ kind: 'wrongHour', of: `${HOUR}: 0 mWh, not 20` }]],
  [
    'an hour that nobody used',
    {
      reportedHours: new Map([
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
    [
      {
        kind: 'toldAgain',
        of: `${HOUR}: evt_1 at 1970-01-01T00:00:01.002Z, 2 ms after the previous call; attempts: dlv_1 1970-01-01T00:00:00.990Z 20 ms succeeded`,
      },
    ],
  ],
  [
    'the same event again, of which the service recorded nothing',
    { calls: [call, { ...call, atMs: 1_002 }], attempts: new Map() },
    [
      {
        kind: 'toldAgain',
        of: `${HOUR}: evt_1 at 1970-01-01T00:00:01.002Z, 2 ms after the previous call; attempts: none recorded`,
      },
    ],
  ],
];
test.each(planted)('finds %s', (_, evidence, differences) => {
  expect(compareChaosRunRecords({ ...correctRun, ...evidence })).toEqual(differences);
});

test('allows a repeated call after an attempt that failed, and lists that attempt', () => {
  const calls = [1_000, 10_809].map((atMs) => ({ ...call, atMs }));
  const failed = { delivery: 'dlv_1', fromMs: 980, toMs: 5_990, error: 'no response within 5 s' };
  const again = { delivery: 'dlv_1', fromMs: 10_800, toMs: 10_820, error: null };
  const evidence = { ...correctRun, calls, attempts: new Map([['evt_1', [failed, again]]]) };
  expect(compareChaosRunRecords(evidence)).toEqual([]);
  expect(listDeliveryRetries(evidence)).toEqual([
    'evt_1: dlv_1 1970-01-01T00:00:00.980Z 5010 ms no response within 5 s',
  ]);
  // The attempt failed after the call was repeated, so it is not the reason for the repetition.
  const later = { ...failed, fromMs: 2_000, toMs: 7_000 };
  const other = { ...evidence, attempts: new Map([['evt_1', [later, again]]]) };
  expect(compareChaosRunRecords(other)).toMatchObject([{ kind: 'toldAgain' }]);
});

test('allows one repeated call for an interrupted delivery', () => {
  const calls = [5_500, 21_000].map((atMs) => ({ ...call, atMs }));
  expect(compareChaosRunRecords({ ...correctRun, calls })).toEqual([]);
  const third = { ...call, atMs: 21_003 };
  expect(compareChaosRunRecords({ ...correctRun, calls: [...calls, third] })).toEqual([
    {
      kind: 'toldAgain',
      of: expect.stringContaining('evt_1 at 1970-01-01T00:00:21.003Z, 3 ms after the previous call'),
    },
  ]);
});
