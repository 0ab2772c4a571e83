/** Most bytes of a receiver's answer that the delivery log keeps: enough for an error message, not for a page. */
export const KEPT_ANSWER_BYTES = 1_024;

/**
 * The first bytes of an answer as text that the database can hold and a page can show: of what is no UTF-8, and of control
 * characters but tabs and ends of lines, U+FFFD is left. A character that the limit cuts is dropped. Pure.
 */
export function answerText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, KEPT_ANSWER_BYTES), { stream: true });
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}
