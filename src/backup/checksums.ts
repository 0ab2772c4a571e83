import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Size in bytes of a page of PostgreSQL, and two offsets in the page's header: that of the checksum, and that of the end of the free space
 * (storage/bufpage.h).
 */
const PAGE_BYTES = 8_192;
const CHECKSUM_AT = 8;
const UPPER_AT = 14;
/** Number of pages in a segment file of 1 GiB. The page numbers of a relation continue from one segment file to the next. */
const PAGES_IN_FILE = 2 ** 17;

/** Start values of the 32 sums from which PostgreSQL computes a page's checksum (storage/checksum_impl.h). */
const OFFSETS = Uint32Array.of(
  0x5b1f36e9,
  0xb8525960,
  0x02ab50aa,
  0x1de66d2a,
  0x79ff467a,
  0x9bb9f8a3,
  0x217e7cd2,
  0x83e13d2c,
  0xf8d4474f,
  0xe39eb970,
  0x42c6ae16,
  0x993216fa,
  0x7b093b5d,
  0x98daff3c,
  0xf718902a,
  0x0b1c9cdb,
  0xe58f764b,
  0x187636bc,
  0x5d7b3bb1,
  0xe73de7de,
  0x92bec979,
  0xcca6c0b2,
  0x304a0979,
  0x85aa43d4,
  0x783125bb,
  0x6ca8eaa2,
  0xe407eac6,
  0x4b5cfc3e,
  0x9fbf8c76,
  0x15ca20be,
  0xf2ca9fd3,
  0x959bd756,
);
const FNV_PRIME = 16_777_619;

/**
 * Computes the checksum of a page as PostgreSQL does: 32 interleaved FNV-1a sums are combined with the page's number. `page` is
 * not changed.
 */
function pageChecksum(page: Buffer, pageNumber: number): number {
  const sums = OFFSETS.slice();
  const mix = (lane: number, value: number) => {
    const mixed = ((sums[lane] as number) ^ value) >>> 0;
    sums[lane] = Math.imul(mixed, FNV_PRIME) ^ (mixed >>> 17);
  };
  for (let at = 0; at < PAGE_BYTES; at += 4) {
    // The bytes that contain the stored checksum count as zero.
    const word = at === CHECKSUM_AT ? page.readUInt32LE(at) & 0xffff_0000 : page.readUInt32LE(at);
    mix((at / 4) % 32, word);
  }
  for (let round = 0; round < 2; round++) for (let lane = 0; lane < 32; lane++) mix(lane, 0);
  let folded = pageNumber;
  for (const sum of sums) folded ^= sum;
  return ((folded >>> 0) % 65_535) + 1;
}

/** Result of checking the page checksums of a stopped cluster. `damaged`: the first pages whose checksum is wrong. */
interface ChecksumReport {
  pages: number;
  damaged: { file: string; page: number }[];
}

const MAX_DAMAGED = 20;

/**
 * Recomputes the checksum of every page of a stopped cluster, and compares it with the stored checksum. The cluster must have been created
 * with checksums.
 */
export async function checkChecksums(cluster: string): Promise<ChecksumReport> {
  const report: ChecksumReport = { pages: 0, damaged: [] };
  const folders = (await readdir(join(cluster, 'base'))).map((name) => `base/${name}`);
  for (const folder of ['global', ...folders])
    for (const name of await readdir(join(cluster, folder))) {
      // File names of relations: a number, optionally a fork, and after the first gibibyte the number of the segment.
      const relation = /^\d+(?:_(?:fsm|vm|init))?(?:\.(\d+))?$/.exec(name);
      if (relation) await checkFile(join(cluster, folder, name), Number(relation[1] ?? 0) * PAGES_IN_FILE, report);
    }
  return report;
}

async function checkFile(file: string, firstPage: number, report: ChecksumReport): Promise<void> {
  let number = firstPage;
  let rest: Buffer = Buffer.alloc(0);
  for await (const bytes of createReadStream(file, { highWaterMark: 128 * PAGE_BYTES })) {
    let all = rest.length > 0 ? Buffer.concat([rest, bytes]) : (bytes as Buffer);
    for (; all.length >= PAGE_BYTES; all = all.subarray(PAGE_BYTES)) {
      const page = all.subarray(0, PAGE_BYTES);
      // A new page of a relation contains only zeros.
      const isNew = page.readUInt16LE(UPPER_AT) === 0;
      if (
        !isNew &&
        page.readUInt16LE(CHECKSUM_AT) !== pageChecksum(page, number) &&
        report.damaged.length < MAX_DAMAGED
      )
        report.damaged.push({ file, page: number });
      report.pages++;
      number++;
    }
    rest = all;
  }
}
