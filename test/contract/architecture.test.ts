import { describe, expect, test } from 'vitest';
import { DAYS, HOURS, LEVELS, LOAD_PROFILE, storedOf } from '#src/rollups/levels.ts';
import { type Import, importsOf, sourceFiles } from './imports.ts';

const files = sourceFiles(['src', 'ingest', 'simulators', 'bench', 'clients']);
const imports = files.flatMap(importsOf);
/** What runs for users: a benchmark may take any library by itself. */
const product = files.filter((file) => !file.startsWith('bench/'));
const own = imports.filter((one) => !one.isPackage);

/** Layers of src, left to right: a layer imports only from layers to its left. */
const LAYERS = [
  ['core'],
  ['config'],
  ['database'],
  ['users', 'devices', 'auth', 'groups', 'events', 'tariffs', 'energy', 'cost', 'rollups'],
  ['remarks', 'billing', 'onboarding'],
  ['delivery', 'alerts', 'homeassistant'],
  ['export'],
  ['jobs', 'api', 'dashboard'],
  ['start'],
  ['cli'],
];
/** Edges inside a layer that are allowed. */
const CROSS = new Set([
  'users→events',
  'devices→events',
  'auth→users',
  'groups→users',
  'energy→devices',
  'energy→rollups',
  'cost→energy',
  'cost→rollups',
  'cost→tariffs',
  'alerts→delivery',
]);
/** What src/start and src/cli wire together, and nobody else in src sees. */
const WIRED = ['ingest', 'simulators'];
const INGEST_SEES = new Set(['core', 'config', 'database', 'devices', 'events', 'rollups']);
/** What the dashboard takes types from. Types alone: a browser gets no file but the dashboard's own. */
const DASHBOARD_TYPES = new Set(['clients/typescript/client.ts', 'src/api/dashboard/shapes.ts']);
const SIMULATORS_SEE = new Set(['core', 'config', 'devices', 'database', 'users']);
/** Rooms of ingest, and the files beside them, from below: one imports only from rows above its own. */
const INGEST_LAYERS = [
  // What delivers messages knows nothing of what is in them: topics come to it as values.
  ['source', 'decoders', 'normalise', 'fault.ts', 'flood-limit.ts', 'receipt-clock.ts', 'turns.ts'],
  ['message.ts'],
  ['gateways'],
  ['write'],
  ['incoming.ts', 'fair-queue.ts', 'waiting-room.ts'],
  ['batch-writer.ts', 'receipts.ts'],
  ['pipeline.ts', 'rejected.ts'],
  ['start.ts'],
];

/** Files that name aggregates and answer nothing from them. */
const NO_READERS = [
  // Declares, fills, checks and repairs them.
  /^src\/rollups\//,
  // Copies their rows: to a person, to another database.
  /^src\/export\//,
  /^src\/start\/(move|moved|upgrade-database)\.ts$/,
  /^src\/start\/users-move\//,
  // Which relations a database has.
  /^src\/database\/(capabilities|copy\/relations)\.ts$/,
];

const top = (path: string) => path.split('/')[0] ?? '';
const room = (path: string) => path.split('/')[1] ?? '';
const ingestLayerOf = (path: string) => INGEST_LAYERS.findIndex((rooms) => rooms.includes(room(path)));
const layerOf = (path: string) => LAYERS.findIndex((rooms) => rooms.includes(room(path)));
const say = ({ from, to }: Import) => `${from} → ${to}`;

function allowed({ from, to, typeOnly }: Import): boolean {
  if (room(from) === 'dashboard') return room(to) === 'dashboard' || (typeOnly && DASHBOARD_TYPES.has(to));
  if (top(from) === 'src') {
    if (WIRED.includes(top(to))) return ['start', 'cli'].includes(room(from));
    if (top(to) !== 'src') return false;
    if (room(from) === room(to)) return true;
    return layerOf(to) < layerOf(from) || CROSS.has(`${room(from)}→${room(to)}`);
  }
  // They import anything; nothing imports them. What a client of the interface needs comes with it.
  if (top(from) === 'bench') return true;
  if (top(from) === 'clients') return top(to) === 'clients';
  if (top(from) === 'ingest' && top(to) === 'ingest') {
    return room(from) === room(to) || ingestLayerOf(to) < ingestLayerOf(from);
  }
  if (top(to) === top(from)) return true;
  if (top(to) === 'src') return (top(from) === 'ingest' ? INGEST_SEES : SIMULATORS_SEE).has(room(to));
  return false;
}

describe('the house', () => {
  test('has a layer for every room of src', () => {
    expect(
      [...new Set(files.filter((file) => top(file) === 'src').map(room))].filter((r) => layerOf(`src/${r}`) < 0),
    ).toEqual([]);
  });

  test('has a layer for every room of ingest', () => {
    expect(
      [...new Set(files.filter((file) => top(file) === 'ingest').map(room))].filter(
        (r) => ingestLayerOf(`ingest/${r}`) < 0,
      ),
    ).toEqual([]);
  });

  test('imports only from the left', () => {
    expect(own.filter((one) => !allowed(one)).map(say)).toEqual([]);
  });

  test('has no circular imports, of types neither', () => {
    const edges = new Map(files.map((file) => [file, importsOf(file).filter((one) => !one.isPackage)]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const { to } of edges.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('gives each library one home', () => {
    const homes: Record<string, RegExp> = {
      // The client of each half, and the one that tells Home Assistant.
      mqtt: /^(ingest\/source\/|simulators\/|src\/homeassistant\/broker\.ts$)/,
      amqplib: /^ingest\/source\/amqp\//,
      aedes: /^ingest\/source\//,
      pg: /^src\/database\//,
      'node-cron': /^src\/jobs\/schedule\.ts$/,
      // The pool, and the door of its threads.
      piscina: /^src\/alerts\/(pool|evaluate\.task)\.ts$/,
      fastify: /^src\/api\//,
      commander: /^src\/cli\//,
      pino: /^src\/core\/log\.ts$/,
      'prom-client': /^src\/core\/metrics\.ts$/,
      nodemailer: /^src\/delivery\/email\//,
      'protobufjs/light.js': /^ingest\/decoders\/sparkplug\//,
      'ipaddr.js': /^src\/delivery\/webhook\/guard\.ts$/,
      '@redis/client': /^src\/auth\/redis-counter\.ts$/,
      '@opentelemetry/sdk-trace': /^src\/core\/tracing\.ts$/,
    };
    const strays = product
      .flatMap(importsOf)
      .filter(({ from, to, isPackage }) => isPackage && homes[to] && !homes[to].test(from));
    expect(strays.map(say)).toEqual([]);
  });

  test('begins transactions in one place', async () => {
    const { readFileSync } = await import('node:fs');
    const begin = product.filter((file) => /['"`]\s*(BEGIN|START TRANSACTION)\b/i.test(readFileSync(file, 'utf8')));
    expect(begin).toEqual(['src/database/transaction.ts']);
  });

  test('reads the aggregates in one place', async () => {
    const { readFileSync } = await import('node:fs');
    const relations = [
      ...[LOAD_PROFILE, ...LEVELS].flatMap((level) => [level.relation, storedOf(level)]),
      ...[HOURS.relation, DAYS.relation, 'open_hours', 'open_quarter_hours'],
    ];
    const name = new RegExp(`\\b(${relations.join('|')})\\b|rollups/parts\\.ts`);
    const reader = /^src\/energy\/usage\//;
    const readers = product.filter((file) => {
      if (top(file) !== 'src' || room(file) === 'dashboard' || reader.test(file)) return false;
      return name.test(readFileSync(file, 'utf8').replace(/^\s*(\*|\/\*\*|\/\/).*$/gm, ''));
    });
    expect(readers.filter((file) => !NO_READERS.some((exempt) => exempt.test(file)))).toEqual([]);
  });

  test('reads the environment in one place', async () => {
    const { readFileSync } = await import('node:fs');
    const readers = product.filter((file) =>
      /process\.env\b/.test(readFileSync(file, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '')),
    );
    expect(readers).toEqual(['src/config/load.ts']);
  });

  test('looks at the requests and answers of Node where both protocols are minded, and nowhere else', async () => {
    const { readFileSync } = await import('node:fs');
    // They look the same over HTTP/1.1 and HTTP/2 and are not: `destroyed`, `close`, `socket` and more differ or lack.
    const minding = /^src\/api\/(connection|http2|server|plain-http)\.ts$/;
    const shared = new Set(['httpVersion', 'httpVersionMajor', 'rawHeaders']);
    const strays = product
      .filter((file) => /^src\/(api|dashboard)\//.test(file) && !minding.test(file))
      .flatMap((file) => {
        const source = readFileSync(file, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '');
        const members = [...source.matchAll(/\braw\??\.(\w+)/g)].map(([, name]) => name as string);
        const found = members.filter((name) => !shared.has(name));
        // Taken apart, or handed on whole, what is asked of it is not seen here.
        if (/\braw\s*:|\braw\b\s*(?:[,)]|\}\s*=)(?!.*=>)/.test(source)) found.push('raw itself');
        return found.map((name) => `${file}: ${name}`);
      });
    expect(strays).toEqual([]);
  });
});
