import { flushCompileCache } from 'node:module';
import { upgradeDatabase } from '#src/start/upgrade-database.ts';

/** `node upgrade-process.ts DATA_DIR AT`: upgrades the database. The process kills itself when it reports the step or relation AT. */
const [dataDir = '', at = ''] = process.argv.slice(2);
// A killed process would not write Node's compile cache.
flushCompileCache();
function onProgress(text: string): void {
  if (text.includes(at)) process.kill(process.pid, 'SIGKILL');
}
await upgradeDatabase(dataDir, { step: onProgress, progress: onProgress });
