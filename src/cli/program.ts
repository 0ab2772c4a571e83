import { Command, type ErrorOptions } from 'commander';
import { ConfigError } from '#src/config/load.ts';
import { VERSION } from '#src/core/version.ts';

interface Commands {
  register(program: Command): void;
}

/** The file of each command. Only that of the one which is asked for is loaded: every role starts by way of here. */
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
  'upgrade-database': () => import('./upgrade-database.ts'),
  doctor: () => import('./doctor.ts'),
  completion: () => import('./completion.ts'),
};

/** A command that names an option which it does not know before one that is missing: mostly this one is misspelt. */
class PlainCommand extends Command {
  /** Commander's own, which names what is spelt most like it; its types leave it out. */
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

/** The program with the commands of these files. */
export function programOf(files: Iterable<Commands>): Command {
  const program = new PlainCommand('energy')
    .description('Smart-energy data service: meters in over MQTT, provably right kWh out over HTTPS.')
    .version(VERSION)
    // In the place of the whole help, which would push the error off the screen.
    .showHelpAfterError('(add --help to see what it knows)');
  for (const { register } of files) register(program);
  return program;
}

/** Runs the command of this process's arguments; ends the process with 1 where it fails. */
export async function run(): Promise<void> {
  const named = process.argv[2] ?? '';
  // Own names only: `constructor` is no command. Completion is about all of them.
  const load = Object.hasOwn(COMMANDS, named) && named !== 'completion' ? COMMANDS[named] : undefined;
  // Help, too, and what is no command: all are shown. A module is itself, however often it is asked for.
  const files = load ? [await load()] : new Set(await Promise.all(Object.values(COMMANDS).map((one) => one())));
  try {
    await programOf(files).parseAsync();
  } catch (error) {
    if (error instanceof ConfigError) console.error(`The configuration is not valid:\n${error.message}`);
    else console.error(error instanceof Error && error.message ? error.message : error);
    process.exit(1);
  }
}
