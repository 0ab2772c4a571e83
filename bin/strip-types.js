// Preloaded (node --import) where this package lies below node_modules: there Node strips no types
// (ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING). This does it for the package's own files, by the program that Node has inside.
// Children and threads get it with the flags of their process. In a checkout or an image Node does it itself.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'amaro';

const root = `${pathToFileURL(dirname(dirname(fileURLToPath(import.meta.url)))).href}/`;
const isOurs = (url) => url.startsWith(root) && !url.startsWith(`${root}node_modules/`) && /\.ts(?:[?#]|$)/.test(url);

registerHooks({
  load(url, context, next) {
    if (!isOurs(url)) return next(url, context);
    const { code } = transformSync(readFileSync(new URL(url), 'utf8'), { mode: 'strip-only' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
