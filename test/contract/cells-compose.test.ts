import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');

test('the routers’ compose file is valid, and sets every variable that their configuration needs', () => {
  const compose = parse(read('deploy/cells/compose.yaml'), { merge: true });
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const { $schema: _draft7, ...schema } = JSON.parse(read('test/data/compose-spec/compose-spec.json'));
  const valid = ajv.compile(schema);
  expect(valid(compose) ? [] : valid.errors).toEqual([]);
  const config = read('deploy/cells/haproxy.cfg');
  const used = new Set([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name));
  for (const [, optional = ''] of config.matchAll(/^\.if defined\((\w+)\)/gm)) used.delete(optional);
  for (const { environment } of Object.values<{ environment: object }>(compose.services))
    expect(Object.keys(environment).toSorted()).toEqual([...used].toSorted());
});

test('each cell of the configuration has its backends, its line in the map and its name in the list', () => {
  const config = read('deploy/cells/haproxy.cfg');
  const named = (kind: string) =>
    [...config.matchAll(new RegExp(`^backend ${kind}_(\\w+) `, 'gm'))].map(([, name]) => name);
  const cells = [...read('deploy/cells/maps/cells.map').matchAll(/^(\w+) \1$/gm)].map(([, name]) => name);
  expect([named('api'), named('mqtt')]).toEqual([cells, cells]);
  expect(parse(read('deploy/cells/compose.yaml'), { merge: true }).services['router-1'].environment.CELL_NAMES).toBe(
    cells.join(' '),
  );
});

test('routers check a cell at most every 2 s, because a check over HTTPS costs as much CPU as about ten requests', () => {
  const servers = [...read('deploy/cells/haproxy.cfg').matchAll(/^ +default-server check inter (\S+) /gm)];
  expect(servers.map(([, interval]) => interval)).toEqual(['2s', '2s']);
});
