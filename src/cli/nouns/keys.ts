import type { Command } from 'commander';
import { listKeys, revokeKey } from '#src/api/v1/keys/operations.ts';
import { toWire } from '#src/api/v1/keys/shape.ts';
import { describeKey } from '#src/auth/keys.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { withDatabase } from '../beside.ts';
import { addDelete, addList, type Noun, print } from './verbs.ts';

const KEY: Noun = {
  name: 'key',
  id: 'key_id',
  columns: ['key_id', 'prefix', 'name', 'last_used_at', 'expires_at', 'scopes'],
};

/** `energy keys list|get|delete`, beside those that make and end them. A key cannot be changed: it is rotated. */
export function addKeyVerbs(keys: Command): void {
  addList(keys, KEY, listKeys, { ofUser: true });
  keys
    .command('get <key_id>')
    .description('one key; never the key itself')
    .option('--json', 'print one JSON object')
    .action((keyId: string, { json }: { json?: boolean }) =>
      withDatabase(async (db) => {
        const row = await describeKey(db, EVERYBODY, keyId);
        if (!row) throw new Error(`There is no valid key ${keyId}`);
        print({ ...toWire(row), user_id: row.user_id }, json);
      }),
    );
  addDelete(keys, KEY, revokeKey, 'as energy keys revoke does, without asking');
}
