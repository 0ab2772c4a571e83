import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped } from '../finding.ts';

export const mail: Check = {
  name: 'mail',
  judge({ mail: facts, config }) {
    if (!('valid' in config)) return [skipped('not looked at: the configuration is not valid')];
    if (facts === null) return [ok('kept as files in DATA_DIR/mail: no SMTP_URL')];
    if (isSeen(facts)) return [ok('the server of SMTP_URL takes the login; nothing was sent')];
    const isLogin = /auth|535|credentials|login/i.test(facts.why);
    return [
      problem(
        `the server of SMTP_URL: ${facts.why}`,
        isLogin
          ? 'It does not take this login: correct user and password in SMTP_URL.'
          : 'Check host and port in SMTP_URL: smtps:// is for port 465, smtp:// for 587 and 25.',
      ),
    ];
  },
};
