import { levelOf } from '#src/rollups/levels.ts';
import { EXPORTED, LEVEL_FILES, SERIES_FILES } from './relations.ts';

/** What is in the archive, for whoever opens it. */
export async function* readme(userId: string, now: Date): AsyncGenerator<string> {
  const files = [
    ...EXPORTED.map(({ file, means }) => [`${file}.json`, means]),
    ...LEVEL_FILES.map(({ relation, file }) => [`${file}.csv`, levelOf(relation).comment]),
    ...SERIES_FILES.map(({ relation, means }) => [`${relation}.csv`, means]),
    ['messages/', 'Mails and SMS that were kept as files instead of being sent.'],
  ];
  yield `Everything that is known of ${userId}, as of ${now.toISOString()}.

Times are UTC. Columns …_milliwatt_hours are mWh (a million of them are a kWh), columns …_ms milliseconds. Rows whose
ids end in /gas, /heat, /water or a place in the home are told apart of a device; of those that end in _m3, m³ stand in
the place of kWh; those that end in /estimated_export have the estimated part of the export as energy. Passwords, keys and other
secrets are left out. Files were written one after the other while the service went on, this one first.

${files.map(([name, means]) => `${name}\n  ${means}\n`).join('')}`;
}
