import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listSourceFiles } from './imports.ts';

const files = listSourceFiles(['src', 'ingest', 'simulators']);

/** Returns the text of each array that is passed to `Promise.all` or a similar function. */
function listsOfPromises(source: string): string[] {
  return [...source.matchAll(/Promise\.(?:all|allSettled|any|race)\(\[/g)].map(({ 0: call, index }) => {
    const start = index + call.length;
    let [end, depth] = [start, 1];
    for (; depth > 0 && end < source.length; end++)
      depth += '[({'.includes(source[end] as string) ? 1 : '])}'.includes(source[end] as string) ? -1 : 0;
    return source.slice(start, end - 1);
  });
}

/** Whether a list of promises contains an await. During the await, no code would catch the error of an earlier promise in the list. */
const awaits = (list: string) => /\bawait\b/.test(list.replace(/\basync\b[\s\S]*/, ''));

test('no list of promises awaits: if an earlier one failed meanwhile, nobody would catch it and the process would exit', () => {
  expect(awaits('read(db), (await meterOf(db)).boughtIn(range)')).toBe(true);
  expect(listsOfPromises('await Promise.all([a([1]), (await b()).c()]);')).toEqual(['a([1]), (await b()).c()']);
  const found = files.filter((file) => listsOfPromises(readFileSync(file, 'utf8')).some(awaits));
  expect(found).toEqual([]);
});
