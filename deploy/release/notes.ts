const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** Whether a text is a release version: `1.7.0`, `1.7.0-rc.1`. Pure. */
export const isVersion = (text: string): boolean => VERSION.test(text);

/** Returns the changelog's section for a version, without its heading; null if there is none. Pure. */
export function findReleaseNotes(changelog: string, version: string): string | null {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n') + 1).trim();
  return notes ? `${notes}\n` : null;
}
