import sax from 'sax';
import { openFileStream } from './file-rows.ts';

/** A part of a Green Button file. Texts are trimmed. */
export type EspiFilePart =
  | { part: 'entry' }
  /** `link`: link of an entry. `feedLink`: link of the feed, for example to the next page of the feed. */
  | { part: 'link' | 'feedLink'; rel: string; href: string }
  /** Start of an ESPI resource in the entry: `UsagePoint`, `IntervalBlock`, … */
  | { part: 'resource'; name: string }
  | { part: 'readingType'; members: Readonly<Record<string, string>> }
  | { part: 'reading'; members: Readonly<Record<string, string>> };

const ESPI = 'http://naesb.org/espi';
const ATOM = 'http://www.w3.org/2005/Atom';
/** Maximum depth of elements, and (below) maximum length of texts. Files of utilities do not exceed these limits. */
const MAX_DEPTH = 50;
const MAX_TEXT = 1_000;
const MAX_ATTRIBUTES = 100;
/** Number of characters that are parsed at once. The limits are checked after each such slice. */
const SLICE = 4_096;

/**
 * Reads a Green Button file (Atom with ESPI resources), gzipped or plain, in slices. Yields only the elements that the import needs. Throws
 * if the file is not well-formed XML or declares a document type, which could define endless entities.
 */
export async function* readEspiParts(file: string, onBytes?: (bytes: number) => void): AsyncGenerator<EspiFilePart> {
  const bytes = openFileStream(file, onBytes);
  const { write, close, take } = reader(file);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) {
      write(decoded(file, () => decoder.decode(chunk as Buffer, { stream: true })));
      yield* take();
    }
    write(decoded(file, () => decoder.decode()));
    close();
    yield* take();
  } finally {
    bytes.destroy();
  }
}

function decoded(file: string, decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new Error(`${file} is not UTF-8, which Green Button files are.`);
  }
}

/** Creates a parser of one file. Each call of `take` returns the parts that the parser has found since the previous call. */
function reader(file: string) {
  let found: EspiFilePart[] = [];
  let failure: Error | null = null;
  const parser = sax.parser(true, { xmlns: true, position: true });
  const path: string[] = [];
  let members: Record<string, string> | null = null;
  let text = '';
  const fail = (what: string) => {
    failure ??= new Error(`${file}, line ${parser.line + 1}: ${what}`);
  };
  parser.onerror = (error) => {
    fail(`it is no well-formed XML (${error.message.split('\n')[0]}). Is it a Green Button file, and whole?`);
    // The error is removed so that the parser does not throw it again. `fail` has stored it.
    Object.assign(parser, { error: null });
  };
  parser.ondoctype = () => fail('it declares a document type, as no Green Button file does. It was not read.');
  parser.onopentag = (tag) => {
    const { local, uri, attributes: given } = tag as sax.QualifiedTag;
    if (Object.keys(given).length > MAX_ATTRIBUTES)
      fail(`an element has more than ${MAX_ATTRIBUTES} attributes. It was not read.`);
    path.push(local);
    text = '';
    if (path.length > MAX_DEPTH) fail(`its elements lie more than ${MAX_DEPTH} deep. It was not read.`);
    const of = (name: string) => given[name]?.value ?? '';
    if (uri === ATOM && local === 'entry') found.push({ part: 'entry' });
    if (uri === ATOM && local === 'link')
      found.push({ part: path.at(-2) === 'feed' ? 'feedLink' : 'link', rel: of('rel'), href: of('href') });
    if (uri !== ESPI) return;
    if (path.at(-2) === 'content') found.push({ part: 'resource', name: local });
    if (local === 'ReadingType' || local === 'IntervalReading') members = {};
  };
  const addText = (more: string) => {
    if (text.length < MAX_TEXT) text += more;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    const local = path.pop() ?? '';
    if (members === null) return;
    if (local === 'ReadingType') found.push({ part: 'readingType', members });
    if (local === 'IntervalReading') found.push({ part: 'reading', members });
    if (local === 'ReadingType' || local === 'IntervalReading') members = null;
    else if (text.length < MAX_TEXT) members[local] = text.trim();
    text = '';
  };
  const runParser = (act: () => void) => {
    try {
      act();
    } catch (error) {
      fail(
        `it is no well-formed XML (${(error as Error).message.split('\n')[0]}). Is it a Green Button file, and whole?`,
      );
    }
    // The number of attributes is limited, because sax compares each attribute with all previous ones.
    const { attribList = [] } = parser as sax.SAXParser & { attribList?: unknown[] };
    if (attribList.length > MAX_ATTRIBUTES)
      fail(`an element has more than ${MAX_ATTRIBUTES} attributes. It was not read.`);
    if (failure) throw failure;
  };
  return {
    write(chunk: string) {
      for (let from = 0; from < chunk.length; from += SLICE)
        runParser(() => parser.write(chunk.slice(from, from + SLICE)));
    },
    close: () => runParser(() => parser.close()),
    take(): EspiFilePart[] {
      const taken = found;
      found = [];
      return taken;
    },
  };
}
