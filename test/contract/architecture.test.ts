import { describe, expect, test } from 'vitest';
import {
  getClosedHoursRelation,
  LOAD_PROFILE_LEVEL,
  PACKED_DAYS_TABLE,
  ROLLUP_LEVELS,
  STORED_HOURS_TABLE,
} from '#src/rollups/levels.ts';
import { type FileImport, listSourceFiles, parseImports } from './imports.ts';

const files = listSourceFiles(['src', 'ingest', 'simulators', 'bench', 'clients']);
const imports = files.flatMap(parseImports);
/** Files whose code runs for users. Benchmarks are excluded, because they may use any library. */
const product = files.filter((file) => !file.startsWith('bench/'));
const own = imports.filter((one) => !one.isPackage);

/** Layers of src, left to right: a layer imports only from layers to its left. */
const LAYERS = [
  ['core'],
  ['config'],
  ['database'],
  ['users', 'devices', 'auth', 'groups', 'events', 'tariffs', 'energy', 'cost', 'rollups'],
  ['remarks', 'billing', 'onboarding', 'backup'],
  ['delivery', 'alerts', 'homeassistant'],
  ['export'],
  ['jobs', 'api', 'dashboard'],
  ['start'],
  ['cli'],
];
/** Allowed imports within a layer. */
const CROSS = new Set([
  'users→events',
  'devices→events',
  'auth→users',
  'groups→users',
  'tariffs→events',
  'energy→devices',
  'energy→rollups',
  'cost→energy',
  'cost→rollups',
  'cost→tariffs',
  'alerts→delivery',
]);
/** Folders outside src. Within src, only src/start and src/cli may import from them. */
const WIRED = ['ingest', 'simulators'];
const INGEST_SEES = new Set(['core', 'config', 'database', 'devices', 'events', 'rollups']);
/** Files outside the dashboard from which the dashboard may import types. */
const DASHBOARD_TYPES = new Set(['clients/typescript/client.ts', 'src/api/dashboard/shapes.ts']);
const SIMULATORS_SEE = new Set(['core', 'config', 'devices', 'database', 'users']);
/** Folders and files of ingest by layer. A layer imports only from the layers listed before it. */
const INGEST_LAYERS = [
  // Modules that deliver messages must not parse topics or payloads.
  ['source', 'decoders', 'normalise', 'write-errors.ts', 'flood-limit.ts', 'receipt-clock.ts', 'message-scheduling.ts'],
  ['message.ts'],
  ['gateways'],
  ['write'],
  ['incoming.ts', 'fair-queue.ts', 'pending-message-limit.ts'],
  ['batch-writer.ts', 'receipts.ts'],
  ['pipeline.ts', 'replay-rejected.ts', 'https-readings.ts'],
  ['start.ts'],
];

/** Files that may name aggregates, because they compute no responses from them. */
const NO_READERS = [
  // Declares, fills, checks and repairs the aggregates.
  /^src\/rollups\//,
  // Copies rows of the aggregates into an export or another database.
  /^src\/export\//,
  /^src\/start\/(move|moved|upgrade-database)\.ts$/,
  /^src\/start\/users-move\//,
  // Lists the relations of a database.
  /^src\/database\/(capabilities|copy\/relations)\.ts$/,
];

const top = (path: string) => path.split('/')[0] ?? '';
const room = (path: string) => path.split('/')[1] ?? '';
const ingestLayerOf = (path: string) => INGEST_LAYERS.findIndex((rooms) => rooms.includes(room(path)));
const layerOf = (path: string) => LAYERS.findIndex((rooms) => rooms.includes(room(path)));
const describeImport = ({ from, to }: FileImport) => `${from} → ${to}`;

function allowed({ from, to, typeOnly }: FileImport): boolean {
  if (room(from) === 'dashboard') return room(to) === 'dashboard' || (typeOnly && DASHBOARD_TYPES.has(to));
  if (top(from) === 'src') {
    if (WIRED.includes(top(to))) return ['start', 'cli'].includes(room(from));
    if (top(to) !== 'src') return false;
    if (room(from) === room(to)) return true;
    return layerOf(to) < layerOf(from) || CROSS.has(`${room(from)}→${room(to)}`);
  }
  // Benchmarks may import any module, but no module may import a benchmark. API clients may import only from API clients.
  if (top(from) === 'bench') return true;
  if (top(from) === 'clients') return top(to) === 'clients';
  if (top(from) === 'ingest' && top(to) === 'ingest') {
    return room(from) === room(to) || ingestLayerOf(to) < ingestLayerOf(from);
  }
  if (top(to) === top(from)) return true;
  if (top(to) === 'src') return (top(from) === 'ingest' ? INGEST_SEES : SIMULATORS_SEE).has(room(to));
  return false;
}

describe('the module structure', () => {
  test('has a layer for every folder of src', () => {
    expect(
      [...new Set(files.filter((file) => top(file) === 'src').map(room))].filter((r) => layerOf(`src/${r}`) < 0),
    ).toEqual([]);
  });

  test('has a layer for every folder of ingest', () => {
    expect(
      [...new Set(files.filter((file) => top(file) === 'ingest').map(room))].filter(
        (r) => ingestLayerOf(`ingest/${r}`) < 0,
      ),
    ).toEqual([]);
  });

  test('imports only from layers to the left', () => {
    expect(own.filter((one) => !allowed(one)).map(describeImport)).toEqual([]);
  });

  test('has no circular imports, not even of types', () => {
    const edges = new Map(files.map((file) => [file, parseImports(file).filter((one) => !one.isPackage)]));
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

  test('uses each library in one place only', () => {
    const homes: Record<string, RegExp> = {
      // The service contains three MQTT clients: one in ingest, one in the simulators, and one that publishes to Home Assistant.
      mqtt: /^(ingest\/source\/|simulators\/|src\/homeassistant\/broker\.ts$)/,
      amqplib: /^ingest\/source\/(amqp\/|try-broker\.ts$)/,
      aedes: /^ingest\/source\//,
      pg: /^src\/database\//,
      'node-cron': /^src\/jobs\/schedule\.ts$/,
      // threads.ts creates the thread pools for alerts and costs, and wraps the results of their threads.
      piscina: /^src\/core\/threads\.ts$/,
      fastify: /^src\/api\//,
      commander: /^src\/cli\//,
      '@modelcontextprotocol/server': /^src\/api\/mcp\//,
      '@modelcontextprotocol/server/stdio': /^src\/cli\/mcp\.ts$/,
      pino: /^src\/core\/log\.ts$/,
      'prom-client': /^src\/core\/metrics\.ts$/,
      nodemailer: /^src\/delivery\/email\//,
      'protobufjs/light.js': /^ingest\/decoders\/sparkplug\//,
      'ipaddr.js': /^src\/delivery\/webhook\/guard\.ts$/,
      '@redis/client': /^src\/auth\/redis-counter\.ts$/,
      '@opentelemetry/sdk-trace': /^src\/core\/tracing\.ts$/,
    };
    const strays = product
      .flatMap(parseImports)
      .filter(({ from, to, isPackage }) => isPackage && homes[to] && !homes[to].test(from));
    expect(strays.map(describeImport)).toEqual([]);
  });

  test('begins transactions in one module only', async () => {
    const { readFileSync } = await import('node:fs');
    const begin = product.filter((file) => /['"`]\s*(BEGIN|START TRANSACTION)\b/i.test(readFileSync(file, 'utf8')));
    expect(begin).toEqual(['src/database/transaction.ts']);
  });

  test('reads the aggregates in one module only', async () => {
    const { readFileSync } = await import('node:fs');
    const relations = [
      ...[LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS].flatMap((level) => [level.relation, getClosedHoursRelation(level)]),
      ...[STORED_HOURS_TABLE.relation, PACKED_DAYS_TABLE.relation, 'open_hours', 'open_quarter_hours'],
    ];
    const name = new RegExp(`\\b(${relations.join('|')})\\b|rollups/parts\\.ts`);
    const reader = /^src\/energy\/usage\//;
    const readers = product.filter((file) => {
      if (top(file) !== 'src' || room(file) === 'dashboard' || reader.test(file)) return false;
      return name.test(readFileSync(file, 'utf8').replace(/^\s*(\*|\/\*\*|\/\/).*$/gm, ''));
    });
    expect(readers.filter((file) => !NO_READERS.some((exempt) => exempt.test(file)))).toEqual([]);
  });

  test('reads the environment in one module only', async () => {
    const { readFileSync } = await import('node:fs');
    const readers = product.filter((file) =>
      /process\.env\b/.test(readFileSync(file, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '')),
    );
    // threads.ts may read the environment, because it passes the environment to its threads.
    expect(readers).toEqual(['src/config/load.ts', 'src/core/threads.ts']);
  });

  test("inspects Node's raw requests and answers only in modules that handle both protocols", async () => {
    const { readFileSync } = await import('node:fs');
    // Node's raw request and response objects differ between HTTP/1.1 and HTTP/2. Only these files may use them, because they handle both.
    const minding = /^src\/api\/(connection|http2|server|plain-http)\.ts$/;
    const shared = new Set(['httpVersion', 'httpVersionMajor', 'rawHeaders']);
    const strays = product
      .filter((file) => /^src\/(api|dashboard)\//.test(file) && !minding.test(file))
      .flatMap((file) => {
        const source = readFileSync(file, 'utf8').replace(/^\s*(\*|\/\/).*$/gm, '');
        const members = [...source.matchAll(/\braw\??\.(\w+)/g)].map(([, name]) => name as string);
        const found = members.filter((name) => !shared.has(name));
        // If a file destructures `raw` or passes it on, the used properties are unknown, so `raw` itself is reported.
        if (/\braw\s*:|\braw\b\s*(?:[,)]|\}\s*=)(?!.*=>)/.test(source)) found.push('raw itself');
        return found.map((name) => `${file}: ${name}`);
      });
    expect(strays).toEqual([]);
  });
});
