import { VERSION } from '#src/core/version.ts';
import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped, warning } from '../finding.ts';

export const schema: Check = {
  name: 'schema',
  judge({ database }) {
    if (!database || !isSeen(database.server)) return [skipped('not looked at: no database answers')];
    const { isMade, pending, unknown } = database.server.schema;
    if (unknown.length > 0)
      return [
        problem(
          `a newer version of the service made this database: this one (${VERSION}) does not know ${unknown.join(', ')}`,
          'Run that version again, or a later one. To go back, restore the copy that was made before the upgrade.',
        ),
      ];
    if (!isMade)
      return [
        warning('the database has no schema yet', 'The first start of the service makes it, or: energy migrate.'),
      ];
    if (pending.length > 0)
      return [
        warning(
          `${pending.length} migrations of this version are not applied: ${pending.join(', ')}`,
          'Make a copy of the database, then start this version of the service, or run: energy migrate.',
        ),
      ];
    return [ok(`is that of version ${VERSION}`)];
  },
};
