import { Command, type ErrorOptions } from 'commander';
import { ConfigError } from '#src/config/load.ts';
import { VERSION } from '#src/core/version.ts';

interface Commands {
  register(program: Command): void;
}

/** Loader of each command's file. Only the requested command is loaded, because every role of the service starts through this program. */
export const COMMANDS: Readonly<Record<string, () => Promise<Commands>>> = {
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
  completion: () => import('./completion.ts'),
};

/** A command that reports an unknown option before a missing one, because the unknown option is usually the missing one misspelt. */
class PlainCommand extends Command {
  /** Commander's own method, which suggests the most similar option. Commander's types omit it. */
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

/** Builds the program from the commands of the given files. */
export function buildProgram(files: Iterable<Commands>): Command {
  const program = new PlainCommand('energy')
    .description('Smart-energy data service: meters in over MQTT, provably right kWh out over HTTPS.')
    .version(VERSION)
    // A hint instead of the whole help, which would push the error off the screen.
    .showHelpAfterError('(add --help to see what it knows)');
  for (const { register } of files) register(program);
  return program;
}

/** Runs the command given by this process's arguments. If the command fails, the process exits with 1. */
export async function runCommandLine(): Promise<void> {
  const named = process.argv[2] ?? '';
  // Own properties only: `constructor` is no command. Completion needs all commands.
  const load = Object.hasOwn(COMMANDS, named) && named !== 'completion' ? COMMANDS[named] : undefined;
  // Help and unknown commands also load all files. The set removes duplicates, because several commands share a file.
  const files = load ? [await load()] : new Set(await Promise.all(Object.values(COMMANDS).map((one) => one())));
  try {
    await buildProgram(files).parseAsync();
  } catch (error) {
    if (error instanceof ConfigError) console.error(`The configuration is not valid:\n${error.message}`);
    else console.error(error instanceof Error && error.message ? error.message : error);
    process.exit(1);
  }
}
