import { expect, test } from 'vitest';
import { listReasonsAgainstMove, type MoveCandidate, type MoveConstraints, parseAccountsFile } from './choose.ts';

test('a file lists one account per line, with comments, and each error is reported with its line', () => {
  const text =
    '\uFEFF# north\r\nusr_1 # a comment\r\n\r\n  a@example.com\nnobody\nA@EXAMPLE.com\nusr_1\nb@example.com usr_2\n';
  const { named, errors } = parseAccountsFile(text);
  expect(named).toEqual([
    { line: 2, name: 'usr_1' },
    { line: 4, name: 'a@example.com' },
  ]);
  expect(errors).toEqual([
    'line 5: nobody is neither a user_id nor an e-mail address',
    'line 6: A@EXAMPLE.com is in line 4, too',
    'line 7: usr_1 is in line 2, too',
    'line 8: b@example.com usr_2 is neither a user_id nor an e-mail address',
  ]);
  expect(parseAccountsFile('# nothing\n').errors).toEqual(['it contains no account']);
});

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
    expect.stringMatching(/^enrolled 1 account that the file does not have/),
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
