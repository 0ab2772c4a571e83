/** A file or folder in an archive. `mtime`: seconds since 1970. A folder has no content. */
export interface TarEntry {
  path: string;
  size: number;
  mtime: number;
  content: AsyncIterable<Buffer> | null;
}

const BLOCK = 512;
const MAX_PATH_BYTES = 100;
/** Largest size in bytes that eleven octal digits can express. */
const MAX_SIZE = 8 ** 11;

/** Fields of a header (POSIX.1-1988, ustar): offset and length. */
const FIELDS = {
  path: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits - 1, '0')}\0`;

function sumOf(head: Buffer): number {
  let sum = 0;
  for (const [at, byte] of head.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  return sum;
}

function headOf({ path, size, mtime, content }: TarEntry): Buffer {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || size >= MAX_SIZE)
    throw new Error(`${path} does not fit into a copy.`);
  const head = Buffer.alloc(BLOCK);
  const put = (field: keyof typeof FIELDS, text: string) => head.write(text, FIELDS[field][0], 'utf8');
  put('path', path);
  put('mode', octal(content === null ? 0o700 : 0o600, 8));
  put('uid', octal(0, 8));
  put('gid', octal(0, 8));
  put('size', octal(size, 12));
  put('mtime', octal(Math.floor(mtime), 12));
  put('type', content === null ? '5' : '0');
  put('magic', 'ustar\x0000');
  put('sum', `${sumOf(head).toString(8).padStart(6, '0')}\0 `);
  return head;
}

const paddingOf = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/**
 * Writes a tar archive (ustar). If a file shrinks while it is read, the archive fills the missing bytes with zeros; if it grows,
 * the added bytes are omitted. The WAL of the copy contains the changes.
 */
export async function* createTarStream(entries: AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    yield headOf(entry);
    let remaining = entry.size;
    for await (const bytes of entry.content ?? []) {
      const taken = bytes.subarray(0, remaining);
      remaining -= taken.length;
      yield taken;
      if (remaining === 0) break;
    }
    for (; remaining > 0; remaining -= Math.min(remaining, 2 ** 20)) yield Buffer.alloc(Math.min(remaining, 2 ** 20));
    yield paddingOf(entry.size);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/**
 * Reads a tar archive that `createTarStream` wrote. The content of an entry must be read before the next entry. Throws "torn" if
 * the archive is incomplete or not a tar archive.
 */
export async function* readTarEntries(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new BlockReader(source);
  for (;;) {
    const head = await reader.exactly(BLOCK);
    if (head.every((byte) => byte === 0)) return await reader.drain();
    const text = (field: keyof typeof FIELDS) => {
      const [at, length] = FIELDS[field];
      return head.toString('utf8', at, at + length).replace(/\0.*$/s, '');
    };
    const number = (field: keyof typeof FIELDS) => Number.parseInt(text(field).trim(), 8);
    const type = text('type');
    if (number('sum') !== sumOf(head) || (type !== '0' && type !== '5')) throw new Error('not an archive of ours');
    const size = number('size');
    const path = text('path');
    if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`${path} leads out of the archive`);
    const content = type === '5' ? null : reader.take(size);
    yield { path, size, mtime: number('mtime'), content };
    for await (const _ of content ?? []);
    await reader.exactly(paddingOf(size).length);
  }
}

/** Reads a stream in pieces of a requested size. */
class BlockReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<Buffer> {
    if (this.#rest.length > 0) return this.#rest;
    const next = await this.#source.next();
    if (next.done) throw new Error('the archive ends too early');
    return next.value;
  }

  /** Yields the next `size` bytes as they arrive. */
  async *take(size: number): AsyncGenerator<Buffer> {
    for (let remainingBytes = size; remainingBytes > 0; ) {
      const bytes = await this.#more();
      const taken = bytes.subarray(0, remainingBytes);
      this.#rest = bytes.subarray(taken.length);
      remainingBytes -= taken.length;
      yield taken;
    }
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.take(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Reads the stream to its end, so that every layer of it, such as decryption, checks its end. */
  async drain(): Promise<void> {
    this.#rest = Buffer.alloc(0);
    for (let next = await this.#source.next(); !next.done; next = await this.#source.next());
  }
}
