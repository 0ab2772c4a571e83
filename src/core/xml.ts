import { setImmediate } from 'node:timers/promises';
import sax from 'sax';

export interface XmlElement {
  /** Name without its namespace prefix. */
  name: string;
  /** Text directly inside the element, without leading and trailing blanks. */
  text: string;
  children: XmlElement[];
}

/** Maximum number of elements in a document: enough for a year of quarter-hours. */
const MAX_ELEMENTS = 150_000;
const MAX_DEPTH = 50;
const MAX_TEXT = 1_000;
const MAX_ATTRIBUTES = 100;
/** Number of characters that are parsed before other work of the process may run. */
const SLICE = 65_536;

/**
 * Parses an XML document to a tree without attributes. Returns null if the text is not well-formed, too large, or declares a document type,
 * which could define entities that expand without end.
 */
export async function parseXml(text: string): Promise<XmlElement | null> {
  const { parser, result } = treeBuilder();
  for (let from = 0; from < text.length; from += SLICE) {
    try {
      parser.write(text.slice(from, from + SLICE));
    } catch {
      return null;
    }
    if (result.isRefused) return null;
    await setImmediate();
  }
  try {
    parser.close();
  } catch {
    return null;
  }
  return result.isRefused ? null : result.root;
}

function treeBuilder() {
  const result: { root: XmlElement | null; isRefused: boolean } = { root: null, isRefused: false };
  const open: XmlElement[] = [];
  let elements = 0;
  const parser = sax.parser(true, {});
  const refuse = () => {
    result.isRefused = true;
  };
  parser.onerror = refuse;
  parser.ondoctype = refuse;
  parser.onopentag = ({ name, attributes }) => {
    elements++;
    if (elements > MAX_ELEMENTS || open.length >= MAX_DEPTH || Object.keys(attributes).length > MAX_ATTRIBUTES)
      refuse();
    if (result.isRefused) return;
    const element: XmlElement = { name: name.slice(name.indexOf(':') + 1), text: '', children: [] };
    const parent = open.at(-1);
    if (parent) parent.children.push(element);
    else result.root ??= element;
    open.push(element);
  };
  const addText = (text: string) => {
    const element = open.at(-1);
    if (!element || element.text.length + text.length > MAX_TEXT) return;
    element.text += text;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    const element = open.pop();
    if (element) element.text = element.text.trim();
  };
  return { parser, result };
}

/** Returns all descendants with a name, in document order. Does not search inside an element with this name. */
export function findElements(root: XmlElement, name: string): XmlElement[] {
  return root.children.flatMap((child) => (child.name === name ? [child] : findElements(child, name)));
}

/** Returns the text of the first descendant with a name, or undefined if there is none. */
export function getElementText(root: XmlElement, name: string): string | undefined {
  for (const child of root.children) {
    const text = child.name === name ? child.text : getElementText(child, name);
    if (text !== undefined) return text;
  }
  return undefined;
}
