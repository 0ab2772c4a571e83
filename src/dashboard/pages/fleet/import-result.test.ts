import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { formatCredentialsCsv } from './import-result.ts';

test('a CSV parser reads every password of the result unchanged', () => {
  const credentials = [
    { row: 'line 2', external_id: 'A "1", b\nc', device_id: 'd1', username: 'd1', password: '-_p', topic: 't/1' },
    { row: 'line 3', external_id: null, device_id: 'd2', username: 'd2', password: 'p2', topic: 't/2' },
  ];
  const read = parse(formatCredentialsCsv({ import_id: 'imp_1', credentials }), { columns: true });
  expect(read).toEqual(credentials.map((one) => ({ ...one, external_id: one.external_id ?? '' })));
});
