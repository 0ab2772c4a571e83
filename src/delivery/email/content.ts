/** A line of a mail. */
export type Row = [label: string, text: string];

/** What a message says about an event. */
export interface Content {
  /** One sentence without its full stop, for SMS and subjects. */
  sentence: string;
  rows: Row[];
}

/** Joins a text into one line for subjects and text messages, because a location that a person typed may contain line breaks. */
export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
