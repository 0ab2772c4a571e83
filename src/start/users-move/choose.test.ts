import { expect, test } from 'vitest';
import { listReasonsAgainstMove, type MoveCandidate, type MoveConstraints } from './choose.ts';

const nobody: MoveConstraints = { there: new Set(), emailsThere: new Set(), issuersThere: new Map(), left: new Map() };
const home: MoveCandidate = { userId: 'usr_1', email: 'A@example.com', role: 'homeowner', enrolledBy: 'usr_u' };
const utility: MoveCandidate = { userId: 'usr_u', email: 'u@example.com', role: 'utility', enrolledBy: null };

test('a homeowner moves only to the installation of its utility, or together with it', () => {
  const both = new Set(['usr_1', 'usr_u']);
  expect(listReasonsAgainstMove(home, new Set(['usr_1']), nobody)).toEqual([
    expect.stringContaining('enrolled by usr_u'),
  ]);
  expect(listReasonsAgainstMove(home, both, nobody)).toEqual([]);
  expect(listReasonsAgainstMove(home, new Set(['usr_1']), { ...nobody, there: new Set(['usr_u']) })).toEqual([]);
  expect(listReasonsAgainstMove(utility, both, nobody)).toEqual([]);
  expect(listReasonsAgainstMove(utility, both, { ...nobody, left: new Map([['usr_u', 1]]) })).toEqual([
    expect.stringMatching(/^enrolled 1 account that does not move/),
  ]);
});

test('an account is not moved onto another account, and administrators are not moved', () => {
  const moving = new Set(['usr_1', 'usr_u']);
  expect(listReasonsAgainstMove(home, moving, { ...nobody, emailsThere: new Set(['a@example.com']) })).toEqual([
    expect.stringContaining('another account there has'),
  ]);
  expect(
    listReasonsAgainstMove(home, moving, {
      ...nobody,
      issuersThere: new Map([['usr_1', 'https://login.example.com']]),
    }),
  ).toEqual([
    'signs in at https://login.example.com as another account there does: unlink one of them (energy users unlink)',
  ]);
  expect(listReasonsAgainstMove(home, moving, { ...nobody, there: new Set(['usr_1']) })).toEqual([
    'is already in the other installation',
  ]);
  expect(listReasonsAgainstMove({ ...utility, role: 'admin' }, moving, nobody)).toEqual([
    expect.stringContaining('administrator'),
  ]);
});
