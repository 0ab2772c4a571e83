import { plural } from '../locale.ts';

/** Devices by a table, on the page of the fleet. */
export const imports = {
  title: 'Import devices',
  about:
    'Pairs all devices of a table at once: all of them or, with a single mistake, none. The same table again changes nothing.',
  columns:
    'The first line names the columns: `type`, `location`, whose the device is (`email` or `user_id`), and any other member of `POST /v1/devices`, such as `external_id`. Save it as CSV UTF-8, with commas between cells and 20,000 rows at most.',
  file: 'Table (CSV)',
  createUsers: 'Make accounts for e-mail addresses that have none',
  check: 'Check',
  checking: 'The table is being checked …',
  outcome: 'What came of the table',
  noTable: {
    tooLarge: 'The file is larger than 8 MiB. Split it into several tables.',
    notText: 'The file is not UTF-8. Save it in the spreadsheet as “CSV UTF-8”.',
    semicolons: 'The cells are separated by semicolons. Save the table with commas between cells.',
    unreadable: 'The file can no longer be read. Choose it again.',
  },
  mistakes: (mistakes: number) =>
    plural(mistakes, {
      one: '# mistake. Nothing was imported: correct the table and choose it again.',
      other: '# mistakes. Nothing was imported: correct the table and choose it again.',
    }),
  more: (mistakes: number) =>
    plural(mistakes, { one: '# more mistake is not shown.', other: '# more mistakes are not shown.' }),
  line: 'Line',
  column: 'Column',
  wrong: 'What is wrong',
  wholeLine: 'the whole line',
  wholeTable: 'all',
  right: 'The table has no mistakes. Nothing is imported yet.',
  nothing: 'All of its devices are there already: there is nothing to import.',
  rows: 'Rows',
  created: 'Devices to be paired',
  existing: 'Devices that are there already',
  usersCreated: 'Accounts to be made',
  differing: (rows: number) =>
    plural(rows, {
      one: '# row says something else than its device, which is left as it is',
      other: '# rows say something else than their devices, which are left as they are',
    }),
  ofLine: (line: string) => `Line ${line}:`,
  import: (devices: number) => plural(devices, { one: 'Import # device', other: 'Import # devices' }),
  importing: (devices: number) =>
    plural(devices, {
      one: '# device is being imported …',
      other: '# devices are being imported, all of them or none. With thousands that takes some seconds …',
    }),
  done: 'Imported devices',
  imported: (created: number, existing: number, users: number) =>
    `${plural(created, { one: '# device is paired', other: '# devices are paired' })}, ${plural(existing, { one: '# was there already', other: '# were there already' })}, ${plural(users, { one: '# account was made', other: '# accounts were made' })}.`,
  once: '**Download the passwords of the new devices now: they are given out once**, within a day. Without them no device can sign in. Only fingerprints are stored.',
  waiting: (devices: number, ago: string) =>
    plural(devices, {
      one: `The password of # device that was imported ${ago} still waits.`,
      other: `The passwords of # devices that were imported ${ago} still wait.`,
    }),
  takeAlong: 'Download passwords',
  /** The beginning of a file's name. */
  fileName: 'passwords',
  ready: (name: string) => `${name} was downloaded. Keep it as you keep passwords.`,
  another: 'Import another table',
};
