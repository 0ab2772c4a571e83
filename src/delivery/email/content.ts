/** A line of a mail: a label and its text. */
export type MailRow = [label: string, text: string];

/** Text of a message about an event. */
export interface MessageContent {
  /** One sentence without its full stop, for SMS and subjects. */
  sentence: string;
  rows: MailRow[];
}

/** Joins a text into one line for subjects and text messages, because a location that a person typed may contain line breaks. */
export const joinLines = (text: string) => text.replace(/\s+/g, ' ').trim();
