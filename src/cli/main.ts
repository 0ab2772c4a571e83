import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Enables Node's compile cache, which halves the time of the next start. The cache is in the installation's folder, because other users
 * could plant code in the folder for temporary files. NODE_COMPILE_CACHE names another folder; NODE_DISABLE_COMPILE_CACHE=1 disables the
 * cache.
 */
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/energy', import.meta.url)));
// `program.ts` is imported here, because Node caches only modules that are imported after the cache was enabled.
const { runCommandLine: run } = await import('./program.ts');
await run();
