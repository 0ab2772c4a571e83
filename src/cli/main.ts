import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Node's compile cache, which stores each source file compiled and without types, so that the next start takes half the time. The cache is
 * in the installation's folder, because in the machine's folder for temporary files another user could plant code. If the folder is not
 * writable, nothing is cached. NODE_COMPILE_CACHE names another folder; NODE_DISABLE_COMPILE_CACHE=1 disables the cache.
 */
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/energy', import.meta.url)));
// The program is imported here, because Node caches only modules that are imported after the cache was enabled.
const { runCommandLine: run } = await import('./program.ts');
await run();
