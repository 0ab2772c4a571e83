import { expect, test } from 'vitest';
import { isDatabaseUrl, urlsOfHosts } from './database-url.ts';

test.each([
  ['postgres://u:p@a:1,b:2/db', ['postgres://u:p@a:1/db', 'postgres://u:p@b:2/db']],
  [
    'postgresql://a,b:2,c/db?sslmode=require',
    ['a', 'b:2', 'c'].map((host) => `postgresql://${host}/db?sslmode=require`),
  ],
  ['postgres://u@[::1]:1,[::2]/db', ['postgres://u@[::1]:1/db', 'postgres://u@[::2]/db']],
  ['postgres://u:a%2Cb@h/db', ['postgres://u:a%2Cb@h/db']],
  ['postgres://u:a,b@h/db', ['postgres://u:a,b@h/db']],
  ['postgres://u:a,b@g,h/db', ['postgres://u:a,b@g/db', 'postgres://u:a,b@h/db']],
  ['postgres://u@a,b', ['postgres://u@a', 'postgres://u@b']],
  ['postgresql://u@localhost/db?host=/run/a,b', ['postgresql://u@localhost/db?host=/run/a,b']],
])('the hosts of %s', (url, single) => {
  expect(urlsOfHosts(url)).toEqual(single);
  expect(isDatabaseUrl(url)).toBe(true);
});

test.each([
  'postgres://a,,b/db',
  'postgres://a,/db',
  'postgres://u@,b/db',
  'postgres://a:1,b:x/db',
  'mysql://a,b/db',
  'a,b',
  '',
])('no URL of a database: %s', (url) => {
  expect(isDatabaseUrl(url)).toBe(false);
});
