import { type Check, ok, problem, skipped, warning } from '../finding.ts';

const OTHERS = 0o077;
const EVERYBODY = 0o007;
const OTHERS_WRITE = 0o002;
const OTHERS_READ = 0o004;

export const files: Check = {
  name: 'files',
  judge({ files: facts }) {
    if (facts === null) return [skipped('not looked at: the configuration is not valid')];
    const findings = facts.flatMap(({ path, what, mode, isWritable }) => {
      const rights = mode.toString(8).padStart(3, '0');
      if (what === 'secret' && (mode & OTHERS) !== 0)
        return [
          problem(
            `${path} can be read by others (mode ${rights})`,
            `chmod 600 ${path}. Who read it can forge what it signs and open what it seals: think of making a new one.`,
          ),
        ];
      if (what === 'own key')
        return (mode & EVERYBODY) === 0
          ? []
          : [problem(`${path} can be read by everybody (mode ${rights})`, `chmod o-rwx ${path}, and replace the key`)];
      if (what === 'folder' && (mode & OTHERS_WRITE) !== 0)
        return [problem(`${path} can be written by everybody (mode ${rights})`, `chmod 700 ${path}`)];
      if (what !== 'secret' && !isWritable)
        return [
          problem(
            `${path} cannot be written by this user`,
            `Run this as the user of the service; if it is, give the folder to it: chown -R USER ${path}`,
          ),
        ];
      if (what === 'messages' && (mode & OTHERS_READ) !== 0)
        return [
          warning(`${path} can be read by everybody (mode ${rights}): links to sign in are in it`, `chmod 700 ${path}`),
        ];
      return [];
    });
    return findings.length > 0 ? findings : [ok('of DATA_DIR are readable and writable for whom they should be')];
  },
};
