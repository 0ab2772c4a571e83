import type { Command } from 'commander';
import { loadConfig } from '#src/config/load.ts';
import type { startServiceProcesses } from '#src/start/all.ts';
import { restartWithHeapFlags } from '#src/start/children.ts';
import { formatBrokerLine } from './device-address.ts';

/** Registers `energy start|ingest|api|worker`, which start the whole service or one of its roles (process types). */
export function registerCommands(program: Command): void {
  program.command('start').action(start);
  program.command('ingest').action(async () => {
    restartWithHeapFlags('ingest');
    await (await import('#src/start/ingest.ts')).runIngest(loadConfig());
  });
  program.command('api').action(async () => {
    restartWithHeapFlags('api');
    await (await import('#src/start/api.ts')).runApi(loadConfig());
  });
  program.command('worker').action(async () => {
    restartWithHeapFlags('worker');
    await (await import('#src/start/worker.ts')).runWorker(loadConfig());
  });
}

async function start(): Promise<void> {
  restartWithHeapFlags('start');
  const interrupt = new AbortController();
  let service: Awaited<ReturnType<typeof startServiceProcesses>> | undefined;
  const stop = async () => {
    if (interrupt.signal.aborted) return;
    interrupt.abort(new Error('Interrupted.'));
    console.log('Stopping …');
    // While the service is starting, `service` is undefined; startServiceProcesses then stops when its signal aborts.
    if (!service) return;
    await service.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
  try {
    service = await (await import('#src/start/all.ts')).startServiceProcesses(loadConfig(), interrupt.signal);
  } catch (error) {
    if (interrupt.signal.aborted) process.exit(0);
    throw error;
  }
  if (interrupt.signal.aborted) return void service.stop().then(() => process.exit(0));
  const { config } = service;
  console.log(`API       ${config.publicUrl}/v1`);
  console.log(`Dashboard ${config.publicUrl}/dashboard`);
  console.log(`MQTT      ${formatBrokerLine(config)}`);
  console.log(`Database  ${service.databaseLine}`);
  console.log(`TLS       ${service.certFile}`);
  if (service.adminKey) {
    console.log(`\nAdministrator's API key, shown only this once:\n\n  ${service.adminKey}\n`);
    console.log(
      `Sign in to the dashboard as administrator (the link is valid once, for a day):\n\n  ${service.signInLink}\n`,
    );
  }
  console.log('Ready. Press Ctrl-C to stop.');
}
