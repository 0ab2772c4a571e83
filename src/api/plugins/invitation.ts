import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { PLAIN_PAGE_POLICY, renderPlainPage } from '#src/api/plain-page.ts';
import { AppError, ERRORS } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { recordAct } from '#src/users/audit.ts';
import { acceptByMail, findInvitation } from '#src/users/members.ts';

const OVER =
  'This invitation is not valid: it was used or withdrawn, or is older than 7 days. Ask the owner of the home for another one.';
const MAY = { read: 'see the home', manage: 'see and manage the home' };

/**
 * Adds the page of an invitation to a home: GET shows it with a button, POST accepts it for the account of the address that it was mailed
 * to, which is made if there is none (mail scanners follow links, and must not accept). The page has one form and no script. The token is
 * the permission; it signs nobody in.
 */
export function addInvitation(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
      payload.resume();
      payload.on('end', () => done(null, {}));
    });
    const memberIdOf = (params: unknown) => verifyMailedToken(secret, 'member', (params as { token: string }).token);
    scope.get('/invitation/:token', async (request, reply) => {
      const memberId = memberIdOf(request.params);
      const invitation = memberId && (await findInvitation(context.db, memberId, context.clock()));
      if (!invitation) return send(reply, 404, OVER);
      const { home_email, email, access } = invitation;
      const form = '<form method="post"><button style="font:inherit">Accept the invitation</button></form>\n';
      const text = `${home_email} invites you, ${email}, to ${MAY[access]}. Both get a mail, and both can end it at any time.`;
      return send(reply, 200, text, form);
    });
    scope.post('/invitation/:token', async (request, reply) => {
      const memberId = memberIdOf(request.params);
      if (memberId === null) return send(reply, 404, OVER);
      try {
        const { email, home_email } = await joinOrBeginTransaction(context.db, async (trx) => {
          const accepted = await acceptByMail(trx, memberId, context.clock());
          const details = { access: accepted.access, by: 'the link of a mail' };
          const act = { actor: null, address: request.ip, action: 'member.joined', target: memberId, details };
          await recordAct(trx, act);
          return accepted;
        });
        const link = '<p><a href="/dashboard/sign-in">Sign in to the dashboard</a></p>\n';
        return send(reply, 200, `${email} is now a member of the home of ${home_email}.`, link);
      } catch (error) {
        if (!(error instanceof AppError) || ERRORS[error.is].status >= 500) throw error;
        return error.is === 'unprocessable'
          ? send(reply, 404, OVER)
          : send(reply, ERRORS[error.is].status, `${error.message}.`);
      }
    });
  });
}

function send(reply: FastifyReply, status: number, text: string, more = '') {
  reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .send(renderPlainPage('Invitation', text, { more }));
}
