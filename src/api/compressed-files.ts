import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseAcceptWeights } from './tables/accept.ts';

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];

export interface CompressedFile {
  type: string;
  etag: string;
  plain: Buffer;
  /** Compressed forms of the file, by content coding. If a client accepts both codings equally, the first is sent. */
  coded: Readonly<Record<'br' | 'gzip', Buffer>>;
}

/** Compresses a file with brotli and gzip. `compress`: returns the brotli form. */
export async function compressFile(
  type: string,
  content: string | Buffer,
  compress: (plain: Buffer) => Promise<Buffer> = (plain) => compressBrotli(plain, 9),
): Promise<CompressedFile> {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, plain, coded: { br: await compress(plain), gzip: await gzipped(plain) } };
}

export const compressBrotli = (plain: Buffer, quality: number): Promise<Buffer> =>
  brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });

/**
 * Returns a function that returns files by path. Each file is built at its first request and cached. If building fails, the next
 * request tries again.
 */
export function createFileCache(build: (path: string) => Promise<CompressedFile> | undefined) {
  const files = new Map<string, Promise<CompressedFile>>();
  return (path: string): Promise<CompressedFile> | undefined => {
    const file = files.get(path) ?? build(path);
    if (!file) return undefined;
    files.set(path, file);
    file.catch(() => files.delete(path));
    return file;
  };
}

/** Sends a file in the content coding that the client prefers, or status 304 if the client has the current version. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, { type, etag, plain, coded }: CompressedFile) {
  reply.headers({ 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding', 'Content-Type': type });
  if (request.headers['if-none-match']?.includes(etag)) return reply.status(304).send();
  const weights = parseAcceptWeights(String(request.headers['accept-encoding'] ?? ''));
  const [coding] = (Object.keys(coded) as (keyof typeof coded)[])
    .filter((one) => (weights.get(one) ?? 0) > 0)
    .toSorted((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  return coding ? reply.header('Content-Encoding', coding).send(coded[coding]) : reply.send(plain);
}
