/** Error message for a text that PostgreSQL cannot store unchanged (`isStorableText`). */
export const UNSTORABLE_TEXT_MESSAGE = 'must not contain NUL, or half of a character (a lone surrogate)';

/** Whether PostgreSQL stores a text unchanged. It must contain neither NUL nor an unpaired surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Replaces NUL and unpaired surrogates by U+FFFD. */
export const replaceUnstorableCharacters = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

const MAY_BE_UNSTORABLE = /\\u(?:0000|[Dd][89A-Fa-f])/;
/** Matches consecutive `\u` escapes, of which two may form one character. Also matches one other escape, such as `\\`. */
const ESCAPES = /(?:\\u[\dA-Fa-f]{4})+|\\[^u]/g;

/** Replaces the escapes of NUL and of unpaired surrogates in a JSON text by U+FFFD. An invalid JSON text remains invalid. */
export function replaceUnstorableEscapes(json: string): string {
  if (!MAY_BE_UNSTORABLE.test(json)) return json;
  return json.replace(ESCAPES, (run) => {
    if (run[1] !== 'u') return run;
    const text: string = JSON.parse(`"${run}"`);
    return JSON.stringify(replaceUnstorableCharacters(text)).slice(1, -1);
  });
}
