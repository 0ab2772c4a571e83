import { flushCompileCache } from 'node:module';
import { moveUsers } from '#src/start/users-move/move-users.ts';
import { createMoveOptions } from './account-moves.ts';

/**
 * `node move-users-process.ts SOURCE TARGET AT ACCOUNT…`: moves accounts. The process kills itself when it reports the step or relation
 * AT.
 */
const [source = '', target = '', at = '', ...accounts] = process.argv.slice(2);
// A killed process would not write Node's compile cache.
flushCompileCache();
function onProgress(text: string): void {
  if (text.includes(at)) process.kill(process.pid, 'SIGKILL');
}
await moveUsers(source, target, createMoveOptions(accounts, { step: onProgress, progress: onProgress }));
