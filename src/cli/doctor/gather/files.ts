import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import type { FileFacts } from '../facts.ts';

/** Rights of what is in DATA_DIR, as far as it is there. */
export async function gatherFiles({ dataDir, tls }: Config): Promise<FileFacts[]> {
  const wanted: { path: string; what: FileFacts['what'] }[] = [
    { path: dataDir, what: 'folder' },
    { path: join(dataDir, 'secret.key'), what: 'secret' },
    // One of the operator's own may be a group's to read, as Debian's ssl-cert has it.
    tls.keyFile === undefined
      ? { path: join(dataDir, 'tls', 'key.pem'), what: 'secret' }
      : { path: tls.keyFile, what: 'own key' },
    { path: join(dataDir, 'mail'), what: 'messages' },
    { path: join(dataDir, 'sms'), what: 'messages' },
  ];
  const found = await Promise.all(
    wanted.map(async ({ path, what }) => {
      const status = await stat(path).catch(() => null);
      if (status === null) return [];
      const isWritable = await access(path, constants.W_OK).then(
        () => true,
        () => false,
      );
      return [{ path, what, mode: status.mode & 0o777, isWritable }];
    }),
  );
  return found.flat();
}
