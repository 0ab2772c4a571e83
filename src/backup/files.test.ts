import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBackupCopies, packFiles, unpackArchive } from './files.ts';
import { createDecrypter, createEncryptionKey, type EncryptionKey, formatKeyFile, parseKeyFile } from './seal.ts';
import type { TarEntry } from './tar.ts';

let folder: string;
let key: EncryptionKey;
const opener = createDecrypter('correct horse');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'energy-'));
  key = await createEncryptionKey('correct horse');
});
afterAll(() => rm(folder, { recursive: true }));

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function* whole(...pieces: Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

/** Lengths of test files: empty, and around the boundaries of blocks and of chunks. */
const FILES = [0, 1, 511, 512, 513, 262_143, 262_144, 700_000].map((size) => ({
  path: `some/file-${size}`,
  bytes: randomBytes(size),
}));

async function* entries(): AsyncGenerator<TarEntry> {
  yield { path: 'some', size: 0, mtime: 0, content: null };
  for (const { path, bytes } of FILES)
    yield {
      path,
      size: bytes.length,
      mtime: 1_795_000_000,
      content: whole(bytes.subarray(0, 100), bytes.subarray(100)),
    };
}

async function read(file: string, open: ReturnType<typeof createDecrypter> | null) {
  const found: { path: string; sha256: string; mtime: number }[] = [];
  for await (const { path, mtime, content } of unpackArchive(file, open)) {
    const parts: Buffer[] = [];
    for await (const part of content ?? []) parts.push(part);
    if (content) found.push({ path, sha256: hashOf(Buffer.concat(parts)), mtime });
  }
  return found;
}

const EXPECTED = FILES.map(({ path, bytes }) => ({ path, sha256: hashOf(bytes), mtime: 1_795_000_000 }));

describe('a packed archive', () => {
  test('is read back as it was written: unencrypted, encrypted by a passphrase, or encrypted by the public key alone', async () => {
    const open = join(folder, await packFiles(folder, 'open.tar.zst', entries(), null));
    expect(await read(open, null)).toEqual(EXPECTED);
    const sealed = join(folder, await packFiles(folder, 'sealed.tar.zst', entries(), key));
    expect(sealed).toMatch(/\.sealed$/);
    expect(await read(sealed, opener)).toEqual(EXPECTED);
    const half = parseKeyFile(formatKeyFile(key), 'K');
    expect(half.seed).toBeNull();
    const byHalf = join(folder, await packFiles(folder, 'half.tar.zst', entries(), half));
    expect(await read(byHalf, opener)).toEqual(EXPECTED);
    // The encrypted file does not contain the name of the packed file. The key file contains only the public key, so it cannot
    // decrypt.
    expect((await readFile(byHalf)).includes('some/file')).toBe(false);
    expect(formatKeyFile(key)).not.toContain((key.seed as Buffer).toString('base64'));
    for (const file of [open, sealed, byHalf]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('cannot be decrypted with another passphrase, without one, or under another name', async () => {
    const sealed = join(folder, await packFiles(folder, 'mine.tar.zst', entries(), key));
    await expect(read(sealed, createDecrypter('wrong horse'))).rejects.toThrow('passphrase is not the one');
    await expect(read(sealed, null)).rejects.toThrow('--passphrase-file');
    const other = join(folder, 'other.tar.zst.sealed');
    await writeFile(other, await readFile(sealed));
    await expect(read(other, opener)).rejects.toThrow('is torn or was changed');
  });

  test('that is cut off anywhere, or in which any byte changed, is detected, encrypted or not', async () => {
    for (const [name, with_] of [
      ['torn-sealed', key],
      ['torn-open', null],
    ] as const) {
      const file = join(folder, await packFiles(folder, `${name}.tar.zst`, entries(), with_));
      const good = await readFile(file);
      const chunk = 256 * 1024 + 16;
      const head = good.indexOf(10) + 1;
      const cuts = [0, 10, head, head + chunk, head + 2 * chunk, good.length - 1, good.length - 17].filter(
        (at) => at < good.length,
      );
      for (const cut of cuts) {
        await writeFile(file, good.subarray(0, cut));
        await expect(read(file, opener)).rejects.toThrow(/torn-(open|sealed)\.tar\.zst.* is torn/);
      }
      for (const at of [3, head + 5, Math.floor(good.length / 2), good.length - 1]) {
        const changed = Buffer.from(good);
        changed[at] = (changed[at] as number) ^ 1;
        await writeFile(file, changed);
        await expect(read(file, opener)).rejects.toThrow(/is torn or was changed|passphrase is not/);
      }
      // Damage to an encrypted file: two chunks are exchanged.
      if (with_) {
        const [a, b] = [good.subarray(head, head + chunk), good.subarray(head + chunk, head + 2 * chunk)];
        await writeFile(file, Buffer.concat([good.subarray(0, head), b, a, good.subarray(head + 2 * chunk)]));
        await expect(read(file, opener)).rejects.toThrow('is torn or was changed');
      }
    }
  });

  test('leaves no file behind if its source fails', async () => {
    const failing = async function* (): AsyncGenerator<TarEntry> {
      yield* entries();
      throw Object.assign(new Error('write'), { code: 'ENOSPC' });
    };
    await expect(packFiles(folder, 'failed.tar.zst', failing(), key)).rejects.toThrow(/disk of .* is full/);
    expect((await readdir(folder)).filter((name) => name.includes('failed'))).toEqual([]);
  });
});

test('a truncated manifest, or one of a newer version, is reported with its file', async () => {
  await writeFile(join(folder, 'backup.json'), '{"format": 1');
  await expect(findBackupCopies(folder)).rejects.toThrow('backup.json is torn');
  await writeFile(join(folder, 'backup.json'), '{"format": 9, "service": "7.0.0"}');
  await expect(findBackupCopies(folder)).rejects.toThrow('made by a newer version (7.0.0)');
});

test('an invalid key file is reported with how to create one', () => {
  expect(() => parseKeyFile('{}', '/etc/key')).toThrow('energy backup init');
});
