/** Longest table that the service takes (`POST /v1/imports`). */
const MAX_BYTES = 8 * 1_048_576;

/** Why a chosen file is not sent. */
export type NoTable = 'tooLarge' | 'notText' | 'semicolons' | 'unreadable';

/** The text of a chosen table, or why it is none. What is checked here is what spreadsheets do by themselves; the rest the service says. */
export async function readTable(file: Blob): Promise<{ text: string } | { problem: NoTable }> {
  if (file.size > MAX_BYTES) return { problem: 'tooLarge' };
  // It may have been changed or removed since it was chosen.
  const bytes = await file.arrayBuffer().catch(() => null);
  if (bytes === null) return { problem: 'unreadable' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const header = /^[^\r\n]*/.exec(text)?.[0] ?? '';
    return header.includes(';') && !header.includes(',') ? { problem: 'semicolons' } : { text };
  } catch {
    return { problem: 'notText' };
  }
}
