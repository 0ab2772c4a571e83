const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Whether a text is a version as releases have it: `1.7.0`, `1.7.0-rc.1`. Pure. */
export const isVersion = (text: string): boolean => VERSION.test(text);

/** What the changelog says of a version, without its heading; null where it says nothing. Pure. */
export function notesOf(changelog: string, version: string): string | null {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n') + 1).trim();
  return notes ? `${notes}\n` : null;
}
