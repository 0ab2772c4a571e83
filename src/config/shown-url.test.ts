import { expect, test } from 'vitest';
import { shownUrl } from './shown-url.ts';

test.each([
  ['postgres://energy:hunter2@db.example:5432/energy?sslmode=require', 'postgres://…@db.example:5432/…'],
  ['postgres://energy:hun@ter2@a:5432,b:5432/energy', 'postgres://…@a:5432,b:5432/…'],
  ['postgres://db.example', 'postgres://db.example'],
  ['postgres:///energy?host=/run/postgresql&password=hunter2', 'postgres:///…'],
  ['amqps://service:hunter2@one,two:5673/energy', 'amqps://…@one,two:5673/…'],
  ['https://collector.example/v1/hunter2', 'https://collector.example/…'],
  ['rediss://:hunter2@[2001:db8::1]:6379', 'rediss://…@[2001:db8::1]:6379'],
])('of %s the hosts are shown', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});

test.each(['postgres://energy:12/hunter2@db.example/energy', 'hunter2'])('of %s nothing is shown', (url) => {
  expect(shownUrl(url)).toBe('(set)');
});
