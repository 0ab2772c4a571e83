import type { LANGUAGES } from '#src/database/enums.ts';
import type { RemarkBody } from '#src/events/remark.ts';
import { escapeHtml, type Mail, oneLine } from './compose.ts';

export type Language = (typeof LANGUAGES)[number];

/** A remark in the words of its reader. */
interface RemarkTexts {
  subject: string;
  sentences: readonly string[];
  /** Text of the link to the home. */
  look: string;
  /** Text of the link that switches these mails off. */
  off: string;
  /** Why the reader gets the mail. */
  reason: string;
}

/** Puts a remark into words, in the language and the time zone of its reader. */
export type ComposeRemark = (
  remark: RemarkBody,
  reader: { language: Language; timezone: string },
) => Promise<RemarkTexts>;

/** Composes a mail about a remark. `home`, `off`: addresses of the home and of the page that switches these mails off. Pure. */
export function layOutRemark(
  { subject, sentences, reason, ...labels }: RemarkTexts,
  { language, home, off }: { language: Language; home: string; off: string },
): Mail {
  const text = [...sentences, '', `${labels.look}: ${home}`, '', reason, `${labels.off}: ${off}`, ''].join('\n');
  const link = (url: string, label: string) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`;
  const body = [
    ...sentences.map((one) => `<p>${escapeHtml(one)}</p>`),
    `<p>${link(home, labels.look)}</p>`,
    `<p style="color:#57606a">${escapeHtml(reason)} ${link(off, labels.off)}.</p>`,
  ].join('');
  const html = `<!doctype html><html lang="${language}"><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5">${body}</body></html>`;
  return { subject: oneLine(subject), text, html };
}
