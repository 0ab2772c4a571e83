import { expect, test } from 'vitest';
import { z } from 'zod';
import { formatObject, formatTable, listRequestOptions, parseOptionValues } from './members.ts';

const patch = z
  .strictObject({
    name: z.string().min(1).describe('What it is `called`.'),
    limit_kw: z.number().positive().nullable(),
    tags: z.array(z.string()).describe('Words.'),
    note: z.string().nullable().describe('A note.'),
  })
  .partial();

test('creates an option for each member, with its description and how to set it to null', () => {
  expect(listRequestOptions(patch.shape)).toEqual([
    { member: 'name', flag: '--name', description: 'What it is called.' },
    { member: 'limit_kw', flag: '--limit-kw', description: '"none" removes it' },
    { member: 'tags', flag: '--tags', description: 'Words. Commas separate several.' },
    { member: 'note', flag: '--note', description: 'A note. "none" removes it' },
  ]);
});

test('converts typed text: text if the member is text, otherwise JSON; none is null if the member is nullable', () => {
  expect(parseOptionValues(patch, { name: '42', limit_kw: '42', tags: '["a"]', note: 'none' })).toEqual({
    name: '42',
    limit_kw: 42,
    tags: ['a'],
    note: null,
  });
  expect(parseOptionValues(patch, { name: 'none', limit_kw: 'none' })).toEqual({ name: 'none', limit_kw: null });
});

test('takes a list with commas as well as JSON, also if the schema preprocesses it', () => {
  const listed = z.strictObject({ tags: z.preprocess((value) => value, z.array(z.enum(['a', 'b']))) }).partial();
  expect(parseOptionValues(listed, { tags: 'a, b' })).toEqual({ tags: ['a', 'b'] });
  expect(parseOptionValues(listed, { tags: '["a"]' })).toEqual({ tags: ['a'] });
  expect(() => parseOptionValues(listed, { tags: 'a,c' })).toThrow(/^--tags\.1: must be one of a, b$/);
});

test('reports each error in a line of its own that names the option', () => {
  const wrong = { name: '', limit_kw: 'much', tags: '[1]' };
  expect(() => parseOptionValues(patch, wrong)).toThrow(
    /^--name: .+\n--limit-kw: must be a number\n--tags\.0: must be a string$/,
  );
});

test("aligns the columns of a table, cuts lines at the terminal's width and escapes control characters", () => {
  const rows = [
    { id: 'a', said: '\u001b[2J', list: ['x', 'y'] },
    { id: 'bcd', said: null, list: [] },
  ];
  expect(formatTable(rows, ['id', 'said', 'list'], null)).toBe('ID   SAID  LIST\na    ·[2J  x,y\nbcd  -     -');
  expect(formatTable(rows, ['id', 'said'], 6)).toBe('ID   …\na    …\nbcd  -');
  expect(formatObject({ id: 'a', limit_kw: 2, channels: [{ a: 1 }] })).toBe(
    'id        a\nlimit_kw  2\nchannels  [{"a":1}]',
  );
  expect(formatTable([{ app: { name: 'Bright' } }, { app: null }], ['app.name'], null)).toBe('APP.NAME\nBright\n-');
});
