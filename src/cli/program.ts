import { inspect } from 'node:util';
import { Command, type ErrorOptions } from 'commander';
import { escapeForTerminal } from '#src/core/output.ts';
import { VERSION } from '#src/core/version.ts';

interface Commands {
  registerCommands(program: Command): void;
}

/** Functions that load the file of each command. Only the requested command is loaded, so that the service starts fast. */
export const COMMAND_LOADERS: Readonly<Record<string, () => Promise<Commands>>> = {
  start: () => import('./serve.ts'),
  ingest: () => import('./serve.ts'),
  api: () => import('./serve.ts'),
  worker: () => import('./serve.ts'),
  demo: () => import('./demo.ts'),
  migrate: () => import('./migrate.ts'),
  config: () => import('./config.ts'),
  keys: () => import('./keys.ts'),
  users: () => import('./users.ts'),
  devices: () => import('./devices.ts'),
  gateways: () => import('./devices.ts'),
  alerts: () => import('./alerts.ts'),
  webhooks: () => import('./webhooks.ts'),
  apps: () => import('./apps.ts'),
  authorizations: () => import('./apps.ts'),
  usage: () => import('./usage.ts'),
  decode: () => import('./decode.ts'),
  rejected: () => import('./rejected.ts'),
  rollups: () => import('./rollups.ts'),
  import: () => import('./import.ts'),
  audit: () => import('./audit.ts'),
  export: () => import('./export.ts'),
  secrets: () => import('./secrets.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./backup.ts'),
  'upgrade-database': () => import('./upgrade-database.ts'),
  cells: () => import('./cells.ts'),
  doctor: () => import('./doctor.ts'),
  mcp: () => import('./mcp.ts'),
};

/** Summary of each command, so that the list can be printed without loading the commands. */
const SUMMARIES: Readonly<Record<string, string>> = {
  start: 'run the whole service: all roles, and the embedded database if none is configured',
  ingest: 'run only the ingest role',
  api: 'run only the API role',
  worker: 'run only the worker role',
  demo: 'run the service with simulated homes: 13 months of history, then live readings',
  migrate: "upgrade the database to this version's schema, or move a running installation into another database",
  config: 'check the configuration and print each value with its source and meaning',
  keys: 'API keys',
  users: 'accounts',
  devices: 'devices',
  gateways: 'MQTT brokers of households that are bridged to this service',
  alerts: 'thresholds on usage, costs and silence',
  webhooks: 'addresses that receive events (--auth-token - reads the secret from standard input)',
  apps: 'programs of utilities and administrators to which homes can give access (OAuth)',
  authorizations: 'apps that have access to a home',
  usage: 'usage of a home or a device',
  decode: 'show the readings that the service would decode from one message, or from JSON lines on standard input',
  rejected: 'messages that could not be used',
  rollups: 'check or recompute the stored sums of the usage',
  import:
    'import the history of a device: replay files over MQTT (CSV, Green Button, Home Assistant, dsmr-reader; also .gz)',
  audit: 'list the audit log of the last 24 months, latest first',
  export: 'write all data of a user to a ZIP of JSON and CSV files, without secrets',
  secrets: 'continue without the secret key if it is lost for good',
  backup:
    'copy the embedded database of the running service into a folder; without a passphrase, the copy does not contain the secret key',
  restore: 'create a data directory from a copy; then start the service on it with DATA_DIR',
  'upgrade-database':
    'upgrade the embedded database to the PostgreSQL version of this release (stop the service first)',
  cells: 'health of several installations (cells) behind one address',
  doctor: 'check this installation: print problems and their remedies; exits 1 on problems, not on warnings',
  mcp: 'serve the tools of a running service to an assistant (Model Context Protocol); assistants start this command',
};

/**
 * A command that reports an unknown option before a missing option, because the unknown option is usually a misspelling of the missing one.
 */
class PlainCommand extends Command {
  /** Method of commander that suggests a similar option. Commander's types do not declare it. */
  declare readonly unknownOption: (flag: string) => never;

  override createCommand(name?: string): Command {
    return new PlainCommand(name);
  }
  override error(message: string, options?: ErrorOptions): never {
    const unknown = this.args.find((text) => /^--?[a-z]/i.test(text));
    if (options?.code === 'commander.missingMandatoryOptionValue' && unknown !== undefined) this.unknownOption(unknown);
    return super.error(message, options);
  }
}

export function buildProgram(files: Iterable<Commands>): Command {
  const program = new PlainCommand('energy')
    .description('Receives smart-meter readings over MQTT and serves verified energy usage over HTTPS.')
    .version(VERSION)
    // After an error, the program prints only this hint instead of the long help text.
    .showHelpAfterError('(add --help to see the options)');
  for (const { registerCommands } of files) registerCommands(program);
  for (const command of program.commands) command.description(SUMMARIES[command.name()] ?? '');
  return program;
}

/** Builds a program with the names of all commands, but without their code. */
export function buildOverview(): Command {
  const program = buildProgram([]).configureHelp({ subcommandTerm: (command) => command.name() });
  for (const [name, summary] of Object.entries(SUMMARIES)) program.command(name).description(summary);
  return program;
}

/** Runs the command of this process. If it fails, the process exits with code 1. */
export async function runCommandLine(): Promise<void> {
  const words = process.argv.slice(2);
  const [named = ''] = words[0] === 'help' ? words.slice(1) : words;
  try {
    await (await loadProgram(named)).parseAsync();
  } catch (error) {
    // `ConfigError` is imported here, because listing the commands does not need it.
    const { ConfigError } = await import('#src/config/load.ts');
    console.error(
      `${error instanceof ConfigError ? 'The configuration is not valid:\n' : ''}${describeFailure(error)}`,
    );
    process.exit(1);
  }
}

/** Formats an error for a terminal. Control characters are escaped, because the error may quote a device's message. */
export const describeFailure = (error: unknown): string =>
  escapeForTerminal(error instanceof Error && error.message ? error.message : inspect(error));

async function loadProgram(named: string): Promise<Command> {
  // Only own properties are commands: `constructor` is not a command.
  const load = Object.hasOwn(COMMAND_LOADERS, named) ? COMMAND_LOADERS[named] : undefined;
  return load ? buildProgram([await load()]) : buildOverview();
}
