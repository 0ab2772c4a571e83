import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the schema files `espi.xsd` and `atom.xsd` (test/data/espi/README.md). */
const FOLDER = process.env.ESPI_SCHEMA ?? fileURLToPath(new URL('../data/espi', import.meta.url));

export const hasEspiSchema = (): boolean => ['espi.xsd', 'atom.xsd'].every((name) => existsSync(join(FOLDER, name)));

/** Returns the paths of the sample files that the Green Button Alliance has published (test/data/espi/README.md). */
export const listEspiFixtures = (): string[] =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .filter((name) => /^test_usage_data.*\.xml$/.test(name))
        .map((name) => join(FOLDER, name))
    : [];

/** Schema that combines the Atom schema (feeds) with the ESPI schema (content of entries). */
const BOTH = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:import namespace="http://www.w3.org/2005/Atom" schemaLocation="atom.xsd"/>
  <xs:import namespace="http://naesb.org/espi" schemaLocation="espi.xsd"/>
</xs:schema>`;
/**
 * The part of W3C's XML schema that the Atom schema imports. It is included here, because the original would be fetched from the network.
 */
const XML = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/XML/1998/namespace">
  <xs:attribute name="base" type="xs:anyURI"/>
  <xs:attribute name="lang" type="xs:language"/>
</xs:schema>`;

/** Validates a feed by the published ESPI schema. Returns libxml2's errors; empty if the feed is valid. */
export async function validateByEspiSchema(feed: string): Promise<string[]> {
  // Loaded only when needed.
  const { validateXML } = await import('xmllint-wasm');
  const schema = (name: string) => {
    const contents = readFileSync(join(FOLDER, name), 'utf8');
    return { fileName: name, contents: contents.replace(/schemaLocation="[^"]*xml\.xsd"/, 'schemaLocation="xml.xsd"') };
  };
  const { valid, errors, rawOutput } = await validateXML({
    xml: [{ fileName: 'feed.xml', contents: feed }],
    schema: [{ fileName: 'both.xsd', contents: BOTH }],
    preload: [schema('atom.xsd'), schema('espi.xsd'), { fileName: 'xml.xsd', contents: XML }],
    maxMemoryPages: 4_096,
  });
  return valid ? [] : [...errors.map(({ rawMessage }) => rawMessage), rawOutput].slice(0, 10);
}
