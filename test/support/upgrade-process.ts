import { flushCompileCache } from 'node:module';
import { upgradeDatabase } from '#src/start/upgrade-database.ts';

/**
 * `node upgrade-process.ts DATA_DIR AT`: upgrades the database. The process kills itself with SIGKILL when it reports AT (part of a step's
 * text, or the name of a copied relation).
 */
const [dataDir = '', at = ''] = process.argv.slice(2);
// A killed process would not write Node's compile cache, so the cache is written now.
flushCompileCache();
function onProgress(text: string): void {
  if (text.includes(at)) process.kill(process.pid, 'SIGKILL');
}
await upgradeDatabase(dataDir, { step: onProgress, progress: onProgress });
