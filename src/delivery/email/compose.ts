import { escapeHtml } from '#src/core/html.ts';
import type { DeviceNames } from '../device-names.ts';
import type { RecipientLocale, Words } from '../words/words.ts';
import type { MailRow } from './content.ts';
import { composeEventMail, type MailedEvent } from './event-mails.ts';

/** Content of a mail: a subject, and a body as text and as HTML. */
export interface Mail {
  subject: string;
  text: string;
  html: string;
  /** Whether the mail contains a link that gives access to an account or a home. */
  givesAccess?: boolean;
}

/** A link in a mail. `is` determines the text of the link. */
export interface MailLink {
  is: keyof Words['links'];
  url: string;
}

/** Composes a mail about an event. `names`: names of the devices that the event mentions. */
export function composeMail(
  event: MailedEvent,
  reader: RecipientLocale,
  names: DeviceNames,
  to: MailLink | null,
): Mail {
  const { common, links } = reader.words;
  const { sentence, rows } = composeEventMail(event, reader, names);
  const last = to && links[to.is];
  const line = ([label, value]: MailRow) => common.line({ label, value });
  const text = [`${sentence}.`, '', ...rows.map(line), ...(to && last ? ['', line([last, to.url])] : []), ''].join(
    '\n',
  );
  const cells = rows
    .map(
      ([name, value]) =>
        `<tr><td style="padding:2px 16px 2px 0;color:#57606a">${escapeHtml(name)}</td><td style="padding:2px 0"><b>${escapeHtml(value)}</b></td></tr>`,
    )
    .join('');
  const link = to ? `<p style="color:#57606a"><a href="${escapeHtml(to.url)}">${last}</a>.</p>` : '';
  return {
    subject: sentence,
    text,
    html: renderMailHtml(reader, `<p>${escapeHtml(sentence)}.</p><table>${cells}</table>${link}`),
  };
}

/** Returns the HTML document of a mail. `body`: HTML. */
export const renderMailHtml = ({ language }: Pick<RecipientLocale, 'language'>, body: string): string =>
  `<!doctype html><html lang="${language}"><body style="font-family:system-ui,sans-serif;font-size:16px;line-height:1.5">${body}</body></html>`;
