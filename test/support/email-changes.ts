import { createMailedToken } from '#src/core/secrets.ts';
import type { TestApi } from './api.ts';

/** Returns the recipient and the token of the confirmation mail for an account's latest change of e-mail address. */
export async function readConfirmationMail(api: TestApi, userId: string): Promise<{ to: string; token: string }> {
  const { rows } = await api.database.pool.query(
    `SELECT data FROM events JOIN deliveries USING (event_id)
     WHERE user_id = $1 AND type = 'user.email_to_confirm' AND target = 'email' ORDER BY event_id DESC LIMIT 1`,
    [userId],
  );
  const { email, email_change_id } = rows[0].data;
  return { to: email, token: createMailedToken('the secret of the tests', 'email', email_change_id) };
}

/** Confirms a change of e-mail address with the token, like the button on the page of the mailed link. */
export const confirmEmail = (api: TestApi, token: string) =>
  api.send('/dashboard/email', { method: 'POST', body: { token } });
