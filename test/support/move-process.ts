import { flushCompileCache } from 'node:module';
import { moveInstallation } from '#src/start/move.ts';

/**
 * `node move-process.ts SOURCE TARGET AT NTH`: moves a database. The process kills itself when it reports the step or relation AT for the
 * NTH time. If AT is `-`, the move runs to its end.
 */
const [source = '', target = '', at = '', nth = '1'] = process.argv.slice(2);
// A killed process would not write Node's compile cache.
flushCompileCache();
let times = 0;
function onProgress(text: string): void {
  if (text.includes(at) && ++times === Number(nth)) process.kill(process.pid, 'SIGKILL');
}
await moveInstallation(source, target, { timescale: 'auto' }, { step: onProgress, progress: onProgress });
