import { escapeHtml } from '#src/core/html.ts';
import type { RemarkBody } from '#src/events/remark.ts';
import type { Language, RecipientLocale } from '../words/words.ts';
import { type Mail, renderMailHtml } from './compose.ts';
import { collapseWhitespace } from './content.ts';

/** Texts of a mail about a remark, in the language of the recipient. */
interface RemarkTexts {
  subject: string;
  sentences: readonly string[];
  /** Text of the link that opens the dashboard of the home. */
  look: string;
  /** Text of the link that switches mails about remarks off. */
  off: string;
  /** Sentence that explains why the recipient gets the mail. */
  reason: string;
}

/** Describes a remark in the language and the time zone of the recipient. */
export type RemarkComposer = (
  remark: RemarkBody,
  reader: { language: Language; timezone: string },
) => Promise<RemarkTexts>;

/**
 * Composes a mail about a remark (a notice about unusual usage). `home`: URL of the home's dashboard. `off`: URL that switches such mails
 * off.
 */
export function composeRemarkMail(
  { subject, sentences, reason, ...labels }: RemarkTexts,
  { reader, home, off }: { reader: RecipientLocale; home: string; off: string },
): Mail {
  const line = (label: string, value: string) => reader.words.common.line({ label, value });
  const text = [...sentences, '', line(labels.look, home), '', reason, line(labels.off, off), ''].join('\n');
  const link = (url: string, label: string) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
  const body = [
    ...sentences.map((one) => `<p>${escapeHtml(one)}</p>`),
    `<p>${link(home, labels.look)}</p>`,
    `<p style="color:#57606a">${escapeHtml(reason)} ${link(off, labels.off)}.</p>`,
  ].join('');
  return { subject: collapseWhitespace(subject), text, html: renderMailHtml(reader, body) };
}
