import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scrypt,
} from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

/**
 * Format of an encrypted file: one line of JSON (the header), then chunks. scrypt derives the private half of an X25519 pair from
 * a passphrase. Each chunk is encrypted by AES-256-GCM with a nonce that contains its number and whether it is the last, so that
 * chunks cannot be removed, exchanged or repeated (STREAM: Hoang, Reyhanitabar, Rogaway, Vizár, 2015).
 */
const MAGIC = 'energy-sealed-1 ';
const CHUNK_BYTES = 256 * 1024;
const TAG_BYTES = 16;
const MAX_HEAD_BYTES = 2_048;

/**
 * Cost parameters of scrypt, recommended by OWASP: 64 MiB of memory and some 0.4 s for each attempt. Small machines have only 512
 * MiB of memory.
 */
const COST = { N: 2 ** 16, r: 8, p: 2 };
const MAX_SCRYPT_BYTES = 256 * 2 ** 20;

const base64 = z.base64().max(64);
const publicHalf = z.object({
  // Maximum scrypt parameters in a file's header, because a hostile file could otherwise require any amount of memory.
  scrypt: z.object({
    N: z
      .number()
      .int()
      .min(2 ** 10)
      .max(2 ** 17),
    r: z.number().int().min(1).max(8),
    p: z.number().int().min(1).max(16),
    salt: base64,
  }),
  /** X25519, 32 bytes. */
  public_key: base64,
});
const head = publicHalf.extend({ nonce: base64, ephemeral: base64.nullable() });
type PublicHalf = z.infer<typeof publicHalf>;

/** Key that encrypts backup files. `seed` is null if only the public half is known. */
export interface EncryptionKey {
  half: PublicHalf;
  seed: Buffer | null;
}

const deriveSeed = async (passphrase: string, { N, r, p, salt }: PublicHalf['scrypt']): Promise<Buffer> =>
  promisify<string, Buffer, number, object, Buffer>(scrypt)(
    passphrase.normalize('NFC'),
    Buffer.from(salt, 'base64'),
    32,
    { N, r, p, maxmem: MAX_SCRYPT_BYTES },
  );

/** DER prefixes of a raw X25519 key (RFC 8410): PKCS #8 of the private half, SubjectPublicKeyInfo of the public half. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI = Buffer.from('302a300506032b656e032100', 'hex');
const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
const publicKeyOf = (raw: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(raw, 'base64')]), format: 'der', type: 'spki' });
const rawOf = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'spki' }).subarray(SPKI.length).toString('base64');

/** Derives a key from a passphrase, with a new salt. */
export async function createEncryptionKey(passphrase: string): Promise<EncryptionKey> {
  const cost = { ...COST, salt: randomBytes(16).toString('base64') };
  const seed = await deriveSeed(passphrase, cost);
  return { half: { scrypt: cost, public_key: rawOf(createPublicKey(privateKeyOf(seed))) }, seed };
}

/** Returns the text of a BACKUP_KEY_FILE: the public half, which encrypts but cannot decrypt. */
export const formatKeyFile = ({ half }: EncryptionKey): string =>
  `${JSON.stringify({ format: 1, ...half }, null, 2)}\n`;

/** Reads the text of a BACKUP_KEY_FILE. Throws if the text is not a key. `file`: name for the error. */
export function parseKeyFile(text: string, file: string): EncryptionKey {
  try {
    return { half: publicHalf.parse(JSON.parse(text)), seed: null };
  } catch {
    throw new Error(
      `${file} is not a key file of back-ups. Create one: energy backup init --passphrase-file F --key-file K.`,
    );
  }
}

/** Derives the key with which the numbered chunks of one file are encrypted by AES-256-GCM. */
const chunkKey = (material: Buffer, nonce: string, headLine: string, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', material, Buffer.from(nonce, 'base64'), `energy back-up\n${name}\n${headLine}`, 32));

function nonceOf(chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 3);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/**
 * Encrypts a stream. `name`: name of the file. Decryption needs the same name, so that one encrypted file cannot replace another.
 */
export async function* encryptStream(
  source: AsyncIterable<Buffer>,
  key: EncryptionKey,
  name: string,
): AsyncGenerator<Buffer> {
  const pair = key.seed === null ? generateKeyPairSync('x25519') : null;
  const material =
    key.seed ??
    diffieHellman({
      privateKey: (pair as { privateKey: KeyObject }).privateKey,
      publicKey: publicKeyOf(key.half.public_key),
    });
  const nonce = randomBytes(16).toString('base64');
  const headLine = `${MAGIC}${JSON.stringify({ ...key.half, nonce, ephemeral: pair && rawOf(pair.publicKey) })}\n`;
  const secret = chunkKey(material, nonce, headLine, name);
  yield Buffer.from(headLine);
  let number = 0;
  for await (const { bytes, isLast } of chunksOf(source, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', secret, nonceOf(number++, isLast));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Returns a function that decrypts streams. The key is derived once for all files with the same scrypt parameters. */
export function createDecrypter(
  passphrase: string,
): (source: AsyncIterable<Buffer>, name: string) => AsyncGenerator<Buffer> {
  const seeds = new Map<string, Promise<Buffer>>();
  const seedOf = (cost: PublicHalf['scrypt']) => {
    const known = JSON.stringify(cost);
    const seed = seeds.get(known) ?? deriveSeed(passphrase, cost);
    seeds.set(known, seed);
    return seed;
  };
  return async function* open(source, name) {
    const iterator = source[Symbol.asyncIterator]();
    const { headLine, rest } = await readHead(iterator, name);
    const fields = parseHead(headLine, name);
    const seed = await seedOf(fields.scrypt);
    if (rawOf(createPublicKey(privateKeyOf(seed))) !== fields.public_key)
      throw new Error(`The passphrase is not the one with which ${name} was encrypted.`);
    const { ephemeral, nonce } = fields;
    const material =
      ephemeral === null ? seed : diffieHellman({ privateKey: privateKeyOf(seed), publicKey: publicKeyOf(ephemeral) });
    const secret = chunkKey(material, nonce, headLine, name);
    let number = 0;
    for await (const { bytes, isLast } of chunksOf(continued(rest, iterator), CHUNK_BYTES + TAG_BYTES)) {
      if (bytes.length < TAG_BYTES) throw createDamagedFileError(name);
      const decipher = createDecipheriv('aes-256-gcm', secret, nonceOf(number++, isLast));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const plain = decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES));
      try {
        decipher.final();
      } catch {
        throw createDamagedFileError(name);
      }
      yield plain;
    }
  };
}

/** Error of a file that is incomplete or changed. */
export const createDamagedFileError = (name: string): Error =>
  new Error(`${name} is torn or was changed. Use another copy.`);

async function readHead(iterator: AsyncIterator<Buffer>, name: string): Promise<{ headLine: string; rest: Buffer }> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const end = bytes.indexOf(10);
    if (end >= 0) return { headLine: bytes.subarray(0, end + 1).toString('utf8'), rest: bytes.subarray(end + 1) };
    const next = await iterator.next();
    if (next.done || bytes.length > MAX_HEAD_BYTES) throw createDamagedFileError(name);
    bytes = Buffer.concat([bytes, next.value]);
  }
}

function parseHead(line: string, name: string): z.infer<typeof head> {
  try {
    if (!line.startsWith(MAGIC)) throw createDamagedFileError(name);
    return head.parse(JSON.parse(line.slice(MAGIC.length)));
  } catch {
    throw createDamagedFileError(name);
  }
}

async function* continued(first: Buffer, iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
}

/** Cuts a stream into chunks of a size. The last chunk may be shorter, or empty if the stream is empty. */
async function* chunksOf(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of source) {
    parts.push(part);
    length += part.length;
    // Holds back a full chunk until more bytes follow, because the last chunk must be marked as such.
    if (length <= size) continue;
    let all = Buffer.concat(parts);
    for (; all.length > size; all = all.subarray(size)) yield { bytes: all.subarray(0, size), isLast: false };
    parts = [all];
    length = all.length;
  }
  yield { bytes: Buffer.concat(parts), isLast: true };
}
