import type { FastifyReply } from 'fastify';
import { escapeHtml } from '#src/core/html.ts';

/**
 * Content security policy of pages with a single sentence. It allows only inline styles and forms that are sent to this origin.
 */
export const PLAIN_PAGE_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Returns an HTML page with one sentence. `text`: plain text. `more`: HTML after the sentence, such as a form. `head`: HTML for
 * the head. `language`: ISO 639-1.
 */
export const renderPlainPage = (
  title: string,
  text: string,
  { more = '', head = '', language = 'en' }: { more?: string; head?: string; language?: string } = {},
): string => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>${head}</head>
<body style="font:18px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem">
<p>${escapeHtml(text)}</p>
${more}</body>
</html>
`;

/** Sends an HTML page with one sentence. */
export const sendPlainPage = (
  reply: FastifyReply,
  status: number,
  title: string,
  text: string,
  options: { more?: string; language: string },
) =>
  reply
    .status(status)
    .header('Content-Security-Policy', PLAIN_PAGE_SECURITY_POLICY)
    .type('text/html; charset=utf-8')
    .send(renderPlainPage(title, text, options));

/** Whether the client is a browser that opens a page. */
export const isHtmlRequested = ({ accept = '' }: { accept?: string | undefined }): boolean =>
  /\btext\/html\b/i.test(accept);
