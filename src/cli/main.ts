import { Command } from 'commander';
import { ConfigError } from '#src/config/load.ts';
import { VERSION } from '#src/core/version.ts';
import { register as registerAccounts } from './accounts.ts';
import { register as registerConfig } from './config.ts';
import { register as registerDecode } from './decode.ts';
import { register as registerDemo } from './demo.ts';
import { register as registerDevices } from './devices.ts';
import { register as registerImport } from './import.ts';
import { register as registerMigrate } from './migrate.ts';
import { register as registerRejected } from './rejected.ts';
import { register as registerRollups } from './rollups.ts';
import { register as registerServe } from './serve.ts';

const program = new Command('energy')
  .description('Smart-energy data service: meters in over MQTT, provably right kWh out over HTTPS.')
  .version(VERSION)
  .showHelpAfterError();
for (const register of [
  registerServe,
  registerDemo,
  registerMigrate,
  registerConfig,
  registerAccounts,
  registerDevices,
  registerDecode,
  registerRejected,
  registerRollups,
  registerImport,
]) {
  register(program);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof ConfigError) console.error(`The configuration is not valid:\n${error.message}`);
  else console.error(error instanceof Error && error.message ? error.message : error);
  process.exit(1);
}
