import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { PLAIN_PAGE_POLICY, renderPlainPage } from '#src/api/plain-page.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { AppError, ERRORS } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { type Language, type Words, wordsOf } from '#src/delivery/words/words.ts';
import { recordAct } from '#src/users/audit.ts';
import { acceptByMail, findInvitation } from '#src/users/members.ts';

/**
 * Adds the page of an invitation to a home. GET shows it with a button. POST accepts it for the account with the invited address, which is
 * created if necessary. (Mail scanners follow links, and must not accept.) The page has one form and no script. The token is the
 * permission, and signs nobody in.
 */
export function addInvitation(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
      payload.resume();
      payload.on('end', () => done(null, {}));
    });
    /** Returns the invitation of a link (null if it has ended), and the page's texts in the browser's language or else the home's. */
    const open = async ({ params, headers }: FastifyRequest) => {
      const memberId = verifyMailedToken(secret, 'member', (params as { token: string }).token);
      const invitation = memberId === null ? null : await findInvitation(context.db, memberId, context.clock());
      const language = negotiateLanguage(headers['accept-language'] ?? '') ?? invitation?.home_language ?? 'en';
      const words: PageWords = { language, ...(await wordsOf(language)).pages.invitation };
      return { memberId, invitation, words };
    };
    scope.get('/invitation/:token', async (request, reply) => {
      const { invitation, words } = await open(request);
      if (!invitation) return send(reply, 404, words, words.over);
      const { home_email: home, email: member, access } = invitation;
      const form = `<form method="post"><button style="font:inherit">${words.button}</button></form>\n`;
      return send(reply, 200, words, words.question[access]({ home, member }), form);
    });
    scope.post('/invitation/:token', async (request, reply) => {
      const { memberId, words } = await open(request);
      if (memberId === null) return send(reply, 404, words, words.over);
      try {
        const { email, home_email } = await joinOrBeginTransaction(context.db, async (trx) => {
          const { language } = words;
          const accepted = await acceptByMail(trx, memberId, { now: context.clock(), language });
          const details = { access: accepted.access, by: 'the link of a mail' };
          const act = { actor: null, address: request.ip, action: 'member.joined', target: memberId, details };
          await recordAct(trx, act);
          return accepted;
        });
        const link = `<p><a href="/dashboard/sign-in">${words.signIn}</a></p>\n`;
        return send(reply, 200, words, words.done({ member: email, home: home_email }), link);
      } catch (error) {
        if (!(error instanceof AppError) || ERRORS[error.is].status >= 500) throw error;
        if (error.is === 'unprocessable') return send(reply, 404, words, words.over);
        const refused: Readonly<Record<string, string>> = words.refused;
        return send(reply, ERRORS[error.is].status, words, refused[error.is] ?? `${error.message}.`);
      }
    });
  });
}

/** Texts of the page, with their language. */
type PageWords = Words['pages']['invitation'] & { language: Language };

function send(reply: FastifyReply, status: number, { title, language }: PageWords, text: string, more = '') {
  reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .send(renderPlainPage(title, text, { more, language }));
}
