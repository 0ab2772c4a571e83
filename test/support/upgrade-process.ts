import { upgradeDatabase } from '#src/start/upgrade-database.ts';

/**
 * `node upgrade-process.ts DATA_DIR AT`: upgrades, in a process that ends itself with SIGKILL when it says AT (part of a step's text, or the
 * name of a relation that was gone through).
 */
const [dataDir = '', at = ''] = process.argv.slice(2);
function said(text: string): void {
  if (text.includes(at)) process.kill(process.pid, 'SIGKILL');
}
await upgradeDatabase(dataDir, { step: said, progress: said });
