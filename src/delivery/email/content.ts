/** A line of a mail: a label and its text. */
export type MailRow = [label: string, text: string];

/** Text of a message about an event. */
export interface MessageContent {
  /** One sentence without a full stop, for subjects of mails and for SMS. */
  sentence: string;
  rows: MailRow[];
}

/** Joins the lines of a text, for subjects and SMS. */
export const collapseWhitespace = (text: string) => text.replace(/\s+/g, ' ').trim();
