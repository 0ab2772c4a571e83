import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readCsvReadings } from '#simulators/csv-readings.ts';
import { type ImportResult, importFiles } from '#simulators/import-files.ts';
import { createDsmrReaderImport } from '#simulators/importers/dsmr-reader.ts';
import type { ImportReader } from '#simulators/importers/element.ts';
import { createGreenButtonImport } from '#simulators/importers/green-button.ts';
import { createHomeAssistantImport, listHomeAssistantSeries } from '#simulators/importers/home-assistant.ts';
import { type ImportSeries, parseImportUnit } from '#simulators/importers/series.ts';
import { getLocalMqttUrl } from '#src/config/load.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { escapeLineForTerminal } from '#src/core/output.ts';
import { createDatabase } from '#src/database/connect.ts';
import { downloadPages, readSubscriptionToken } from './green-button-subscription.ts';
import { parseZone } from './option-values.ts';
import { createProgressBar } from './progress-bar.ts';
import { runWithServicePool } from './running-service.ts';

/** Exit code of an import if some rows were unreadable or do not contribute to usage. */
const LEFT_OUT = 3;
const MEANINGS: Record<string, string> = {
  overlap: 'overlap another interval of the channel',
  glitch: 'contradict the readings around them (glitches)',
  held: 'are implausible, and wait until later readings confirm them',
  confirming: 'follow an implausible reading, and need the same confirmation',
  uncounted:
    'are of a quantity that does not count, because another quantity of the channel does (see the device’s channels)',
};

interface Options {
  format: 'csv' | 'green-button' | 'home-assistant' | 'dsmr-reader';
  tz?: string;
  device?: string;
  entity?: string;
  usagePoint?: string;
  tokenFile?: string;
  timeColumn: string;
  registerColumn?: string;
  valueColumn?: string;
  kind: 'register' | 'interval' | 'power';
  unit?: 'kWh' | 'Wh' | 'W' | 'kW';
  intervalSeconds: number;
  timeMarks: 'start' | 'end';
  channel?: string;
  where: { column: string; value: string }[];
  json?: boolean;
}

/** Registers `energy import FILE…`, which sends a device's recorded readings over MQTT, like live readings. */
export function registerCommands(program: Command): void {
  program
    .command('import')
    .argument(
      '<file...>',
      'files, in any order; with green-button also the https:// address of a subscription (Green Button Connect My Data)',
    )
    .option(
      '--device <device_id>',
      'device of the readings; required, except to list the contents of Home Assistant files',
    )
    .addOption(
      new Option(
        '--format <format>',
        'csv: any table with a header line; green-button: XML of a utility; home-assistant: home-assistant_v2.db, or CSV of History or Energy; dsmr-reader: CSV of Export',
      )
        .choices(['csv', 'green-button', 'home-assistant', 'dsmr-reader'])
        .default('csv'),
    )
    .option('--entity <id>', 'home-assistant: entity to import; without it, the entities of the files are listed')
    .option('--usage-point <id>', 'green-button: usage point to import, if the file has several')
    .option('--token-file <file>', 'green-button: file whose first line is the access token of the subscription')
    .option('--time-column <name>', 'column of the time: ISO 8601, Unix seconds or milliseconds', 'ts')
    .option(
      '--tz <zone>',
      'time zone of times without an offset, such as Europe/Berlin (default: UTC; dsmr-reader: Europe/Amsterdam)',
      parseZone,
    )
    .option('--register-column <name>', 'column of the value (default energy_total_kwh)')
    .option('--value-column <name>', 'column of the value, for any --kind (same as --register-column)')
    .addOption(
      new Option('--kind <kind>', 'kind of the value').choices(['register', 'interval', 'power']).default('register'),
    )
    .addOption(
      new Option('--unit <unit>', 'unit of the value (default: kWh; W for power)').choices(['kWh', 'Wh', 'W', 'kW']),
    )
    .option('--interval-seconds <n>', 'length of the intervals with --kind interval', seconds, 1800)
    .addOption(
      new Option('--time-marks <which>', 'whether the time of an interval is its start or its end')
        .choices(['start', 'end'])
        .default('end'),
    )
    .option('--channel <channel>', 'channel of the readings (default import)')
    .option('--where <column=value>', 'only rows with this value; can be repeated', addCondition, [])
    .option('--json', 'print one JSON object')
    .action(run);
}

async function run(files: string[], options: Options, command: Command): Promise<void> {
  if (options.format === 'home-assistant' && options.entity === undefined) return list(files, options);
  const { device } = options;
  if (device === undefined) return command.error("error: required option '--device <device_id>' not specified");
  const token = await readSubscriptionToken(files, options);
  const interrupt = new AbortController();
  const onSignal = () =>
    interrupt.abort(new Error('Interrupted. Readings that were sent remain; importing them again adds nothing.'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const folder = token === null ? null : await mkdtemp(join(tmpdir(), 'green-button-'));
  // Reads the sizes of the files first, so that a missing file is reported before the database is needed.
  if (!folder) await Promise.all(files.map(sizeOf));
  const bar = createProgressBar('importing', '{percentage} %, {eta_formatted} left');
  const read = new Map<string, number>();
  try {
    const result = await runWithServicePool('energy import', async (pool, config) => {
      const { signal } = interrupt;
      const pages =
        token === null || !folder ? null : await downloadPages(files[0] as string, { token, folder, config, signal });
      bar.start(sum(await Promise.all((pages ?? files).map(sizeOf))), 0);
      return importFiles(createDatabase(pool), {
        deviceId: device,
        files,
        mqttUrl: getLocalMqttUrl(config),
        signal,
        onBytes: (file, bytes) => bar.update(sum(read.set(file, bytes).values())),
        read: pages ? createGreenButtonImport(options.usagePoint, pages) : createImportReader(options),
      });
    });
    bar.stop();
    if (options.json) console.log(JSON.stringify(result));
    else say(result);
    process.exitCode = getImportExitCode(result);
  } finally {
    bar.stop();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the reader for the file format that the options select. */
export function createImportReader(options: Options): ImportReader {
  const { format, entity = '', channel, usagePoint, tz } = options;
  if (format === 'green-button') return createGreenButtonImport(usagePoint);
  if (format === 'dsmr-reader') return createDsmrReaderImport(tz);
  if (format === 'home-assistant')
    return createHomeAssistantImport({ entity, channel, unit: parseImportUnit(options.unit ?? null) ?? undefined });
  const csv = {
    timeColumn: options.timeColumn,
    valueColumn: options.registerColumn ?? options.valueColumn ?? 'energy_total_kwh',
    kind: options.kind,
    unit: unitOf(options),
    intervalSeconds: options.intervalSeconds,
    timeMarks: options.timeMarks,
    where: options.where,
    ...omitUndefined({ channel, zone: tz }),
  };
  return (file, counts, onBytes) => readCsvReadings(file, csv, counts, onBytes);
}

/** Lists the entities in files that Home Assistant exported, each with a command that imports the entity. */
async function list(files: string[], { device = 'dev_…', json }: Options): Promise<void> {
  const found = [];
  for (const file of files) {
    await sizeOf(file);
    found.push(...(await listHomeAssistantSeries(file)).map((series) => ({ file, ...series })));
  }
  if (json) return console.log(JSON.stringify(found.map(seriesToResponse)));
  if (found.length === 0)
    console.log(
      'The file contains no energy, gas or water. Home Assistant stores statistics of entities with a state class of total or total_increasing.',
    );
  for (const { file, ...series } of found) {
    console.log(escapeLineForTerminal(sentenceOf(series)));
    console.log(escapeLineForTerminal(`  ${suggestImportCommand(file, series, device)}`));
  }
}

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const sentenceOf = ({ name, unit, readings, fromMs, toMs }: ImportSeries): string =>
  `${name}: ${readings} values${unit === null ? '' : ` in ${unit}`}, ${dateOf(fromMs)} to ${dateOf(toMs)}`;

const seriesToResponse = ({ file, name, unit, readings, fromMs, toMs }: ImportSeries & { file: string }) => ({
  file,
  entity: name,
  unit,
  readings,
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

/**
 * Returns a command for importing one entity. The direction and the medium in it are guessed from the entity's name and unit, and can be
 * corrected.
 */
export function suggestImportCommand(
  file: string,
  { name, unit }: Pick<ImportSeries, 'name' | 'unit'>,
  device: string,
): string {
  const volume = /water/i.test(name) ? 'water/m3' : 'gas/m3';
  const energy = /export|return|teruggelever|einspeis|feed_?in|injection|production_tarif/i.test(name)
    ? 'export'
    : 'import';
  // Each tariff of a meter is a register, which needs its own channel.
  const [, tariff] = /tari(?:f|ff)_?([1-4])/i.exec(name) ?? [];
  const channel = unit === null || unit.endsWith('Wh') ? `${energy}${tariff ? `/t${tariff}` : ''}` : volume;
  return `energy import --format home-assistant --device ${device} --entity ${quoted(name)} --channel ${channel} ${quoted(file)}`;
}

const quoted = (word: string): string => (/^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/**
 * Returns the exit code of an import: 1 if readings were rejected; 3 if rows were unreadable or do not contribute to usage; otherwise 0.
 * Empty rows and rows of other series have no effect.
 */
export function getImportExitCode({
  rejected,
  left_out,
  unreadable,
}: Pick<ImportResult, 'rejected' | 'left_out' | 'unreadable'>): number {
  if (Object.keys(rejected).length > 0) return 1;
  return unreadable > 0 || Object.keys(left_out).length > 0 ? LEFT_OUT : 0;
}

function say(result: ImportResult): void {
  const skippedRows = [
    result.skipped > 0 ? `${result.skipped} of another series` : '',
    result.empty > 0 ? `${result.empty} without a time or a value` : '',
    result.unreadable > 0 ? `${result.unreadable} unreadable (the first: ${result.firstUnreadable})` : '',
  ].filter(Boolean);
  const leftOut = skippedRows.length ? `; skipped rows: ${skippedRows.join(', ')}` : '';
  for (const sentence of result.notes) console.log(escapeLineForTerminal(sentence));
  console.log(escapeLineForTerminal(`${result.sent} readings sent in ${result.seconds} s${leftOut}.`));
  for (const [reason, count] of Object.entries(result.rejected)) {
    console.error(escapeLineForTerminal(`${count} of them were rejected: ${reason}`));
  }
  for (const [verdict, count] of Object.entries(result.left_out)) {
    console.error(`${count} readings in this time do not count: they ${MEANINGS[verdict] ?? verdict}.`);
  }
}

function unitOf({ kind, unit }: Options): 'kWh' | 'Wh' | 'W' | 'kW' {
  const chosen = unit ?? (kind === 'power' ? 'W' : 'kWh');
  if ((kind === 'power') !== (chosen === 'W' || chosen === 'kW')) {
    throw new Error(`--unit ${chosen} is not a unit of --kind ${kind}`);
  }
  return chosen;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('Must be a whole number of seconds.');
  return value;
}

function addCondition(text: string, before: Options['where']): Options['where'] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Must be COLUMN=VALUE.');
  return [...before, { column: text.slice(0, at), value: text.slice(at + 1) }];
}

/** Returns the size of a file in bytes. Throws if the file cannot be read. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new Error(`There is no file ${file}. Paths are relative to ${process.cwd()}; check the name.`);
    throw error;
  });
  if (found.isDirectory())
    throw new Error(`${file} is a folder. Name the files in it: ${file.replace(/\/$/, '')}/*.csv`);
  return found.size;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);
