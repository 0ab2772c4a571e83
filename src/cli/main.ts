import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Where Node keeps what it made of each source (types stripped, compiled), so that the next start takes half the time. In
 * the installation and not in the machine's folder for temporary files, where somebody else could have put code of theirs. Where
 * this cannot be written nothing is kept. NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1 keeps none.
 */
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/energy', import.meta.url)));
// Only what is imported from here on is kept.
const { run } = await import('./program.ts');
await run();
