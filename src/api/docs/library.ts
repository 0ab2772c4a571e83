import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Guide, parseGuide } from './guide.ts';
import type { CodeHighlighter } from './markup.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GUIDES_FOLDER = 'docs/guides';
/** Folder of the guides. The number at the start of a guide's file name determines its place in the order. */
export const GUIDES_PATH = ROOT + GUIDES_FOLDER;

/** Sections of the documentation, by the reader's purpose. */
export const DOCUMENTATION_PARTS = ['Tutorials', 'How-to', 'Reference', 'Explanation'] as const;
type Part = (typeof DOCUMENTATION_PARTS)[number];

/** Section of each page in docs/ that is not in the section 'How-to', by the page's name. */
const PART_OF: Readonly<Record<string, Part>> = {
  interface: 'Reference',
  configuration: 'Reference',
  glossary: 'Reference',
  home: 'Explanation',
  cost: 'Explanation',
  emissions: 'Explanation',
  billing: 'Explanation',
  'plain-words': 'Explanation',
  groups: 'Explanation',
  live: 'Explanation',
  'several-ingest': 'Explanation',
  benchmarks: 'Explanation',
};
/** Folders whose README the navigation lists, but not their other pages. */
const FOLDERS: Readonly<Record<string, Part>> = { 'docs/runbooks': 'How-to', 'docs/decisions': 'Explanation' };
/** Page outside docs/ that answers readers' most frequent questions. */
const DEVICES = 'deploy/DEVICES.md';

/** A page of the documentation, rendered from a Markdown file. */
export interface DocumentationPage extends Guide {
  part: Part;
  /** Whether the navigation lists the page. */
  isListed: boolean;
}

/** Renders all hand-written pages. Links between the Markdown files become links between the pages. */
export async function buildDocumentationPages(highlight: CodeHighlighter): Promise<DocumentationPage[]> {
  const files = await findFiles();
  const hrefOf = new Map(files.map(({ file, href }) => [file, href]));
  return Promise.all(
    files.map(async ({ file, href, part, isListed }) => {
      const markdown = await readFile(ROOT + file, 'utf8');
      const link = (target: string) => resolveLink(target, posix.dirname(file), hrefOf);
      return { ...parseGuide(href, markdown, highlight, link), part, isListed };
    }),
  );
}

/** Returns the files of all pages with their paths, in the order of the navigation. */
async function findFiles() {
  const markdownIn = async (folder: string) =>
    (await readdir(ROOT + folder)).filter((name) => name.endsWith('.md')).sort();
  const guides = (await markdownIn(GUIDES_FOLDER)).filter((name) => /^\d/.test(name));
  const pages = (await markdownIn('docs')).map((name) => name.slice(0, -3));
  const inFolders = await Promise.all(
    Object.entries(FOLDERS).map(async ([folder, part]) =>
      (await markdownIn(folder)).map((name) => ({
        file: `${folder}/${name}`,
        href: name === 'README.md' ? `/${folder}` : `/${folder}/${name.slice(0, -3)}`,
        part,
        isListed: name === 'README.md',
      })),
    ),
  );
  return [
    ...guides.map((name) => ({
      file: `${GUIDES_FOLDER}/${name}`,
      href: `/docs/guides/${name.replace(/^\d+-|\.md$/g, '')}`,
      part: 'Tutorials' as const,
      isListed: true,
    })),
    { file: DEVICES, href: '/docs/devices', part: 'How-to' as const, isListed: true },
    ...pages.map((name) => ({
      file: `docs/${name}.md`,
      href: `/docs/${name}`,
      part: PART_OF[name] ?? ('How-to' as const),
      isListed: true,
    })),
    ...inFolders.flat(),
  ];
}

/**
 * Returns the address to which a link in a Markdown file leads. Null if this site does not show the target; the page then shows
 * only the link's text.
 */
function resolveLink(target: string, folder: string, hrefOf: ReadonlyMap<string, string>): string | null {
  if (/^([a-z]+:|\/|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const file = posix.join(folder, path);
  const href = hrefOf.get(file) ?? hrefOf.get(posix.join(file, 'README.md'));
  if (href === undefined) return null;
  return anchor === undefined ? href : `${href}#${anchor}`;
}
