import { createHash } from 'node:crypto';

/** Escapes text for XML and removes the characters that XML cannot contain. */
export const escapeXmlText = (text: string): string =>
  text.replaceAll(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '').replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? '');
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export const formatFeedStart = ({ id, title, subtitle, self, at }: FeedHead): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:espi="http://naesb.org/espi"><id>${id}</id>${self === undefined ? '' : `<link rel="self" href="${self.href}" type="espi-feed/${self.type}"/>`}<title>${title}</title>${subtitle === undefined ? '' : `<subtitle>${escapeXmlText(subtitle)}</subtitle>`}<updated>${at}</updated>`;

interface FeedHead {
  id: string;
  title: string;
  subtitle?: string | undefined;
  /** URL of the feed, and the type of its ESPI resource. Missing if no server responds at the URL. */
  self?: { href: string; type: string } | undefined;
  at: string;
}
export const FEED_END = '</feed>\n';

interface Entry {
  self: string;
  /** Type of the ESPI resource that the entry contains. */
  type: string;
  related?: readonly (readonly [kind: 'entry' | 'feed', type: string, href: string])[];
  content: string;
}

/** Returns a function that formats the entries of a feed. All entries have the same time, `at`. */
export function createEntryFormatter(about: string, at: string): (title: string, entry: Entry) => string {
  const link = (rel: string, kind: string, type: string, href: string) =>
    `<link rel="${rel}" href="${href}" type="espi-${kind}/${type}"/>`;
  return (title, { self, type, related = [], content }) => {
    const links = [
      link('self', 'entry', type, self),
      link('up', 'feed', type, self.slice(0, self.lastIndexOf('/'))),
      ...related.map(([kind, of, href]) => link('related', kind, of, href)),
    ];
    return `<entry><id>${createUuidUrn(about, self)}</id>${links.join('')}<title>${title}</title><content>${content}</content><published>${at}</published><updated>${at}</updated></entry>\n`;
  };
}

/** Formats a period with its start and its duration in seconds. */
export const formatPeriodXml = (fromMs: number, toMs: number): string =>
  `<espi:duration>${(toMs - fromMs) / 1_000}</espi:duration><espi:start>${fromMs / 1_000}</espi:start>`;

/** UUID of the namespace of URLs (RFC 9562, 6.6). */
const NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** Returns the identifier for a name: a URN with a UUID, always the same for the same name. */
export const createUuidUrn = (about: string, name: string): string =>
  `urn:uuid:${createNameBasedUuid(NAMESPACE, `http://naesb.org/espi/${about}/${name}`)}`;

/** Returns the UUID of a name in a namespace, by RFC 9562, 5.5. */
export function createNameBasedUuid(namespace: Buffer, name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name).digest();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
