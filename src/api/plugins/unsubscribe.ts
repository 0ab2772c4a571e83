import type { FastifyInstance } from 'fastify';
import { findAlert, updateAlert } from '#src/alerts/store.ts';
import type { ApiContext } from '#src/api/context.ts';
import { PLAIN_PAGE_POLICY, renderPlainPage } from '#src/api/plain-page.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { REACH_OF_ALL } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { wordsOf } from '#src/delivery/words/words.ts';
import { recordAct } from '#src/users/audit.ts';
import { languageOfAccount, updateUser } from '#src/users/store.ts';

/**
 * Adds the unsubscribe link of mails: GET shows a confirmation, POST pauses the alert or switches mails about remarks off (RFC 8058: mail
 * scanners follow links, and must not change anything). The token in the link is the permission and allows nothing else.
 */
export function addUnsubscribe(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    // Mail programs send either form encoding; browsers send only the urlencoded one.
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    scope.addContentTypeParser(forms, (_request, payload, done) => {
      payload.resume();
      payload.on('end', () => done(null, {}));
    });
    /** Returns what the mails of a link are about: an alert, or the account whose home the remarks are on. */
    const targetOf = (params: unknown): string => {
      const target = verifyMailedToken(secret, 'unsubscribe', (params as { token: string }).token);
      if (target === null) throw new AppError('notFound');
      return target;
    };
    scope.get('/unsubscribe/:token', async (request, reply) => {
      const { language, title, question, button } = await textsOf(context.db, targetOf(request.params));
      const form = `<form method="post"><button style="font:inherit">${button}</button></form>\n`;
      reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY).type('text/html; charset=utf-8');
      return reply.send(renderPlainPage(title, question, { more: form, language }));
    });
    scope.post('/unsubscribe/:token', async (request, reply) => {
      const target = targetOf(request.params);
      const { language, title, done } = await textsOf(context.db, target);
      await joinOrBeginTransaction(context.db, (trx) => endMails(trx, target, request.ip));
      reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY).type('text/html; charset=utf-8');
      return reply.send(renderPlainPage(title, done, { language }));
    });
  });
}

const isAccount = (target: string): boolean => target.startsWith('usr_');

/** Returns the texts of a page, in the language of the mail. 404 if the account whose home the remarks are on was deleted. */
async function textsOf(db: Database, target: string) {
  if (isAccount(target)) {
    const language = requireFound(await languageOfAccount(db, target));
    return { language, ...(await wordsOf(language)).pages.endRemarks };
  }
  const alert = await findAlert(db, REACH_OF_ALL, target);
  const language = (alert && (await languageOfAccount(db, alert.user_id))) ?? 'en';
  return { language, ...(await wordsOf(language)).pages.endAlert };
}

/** Pauses an alert, or switches an account's mails about remarks off. 404 if there is none. */
async function endMails(trx: Database, target: string, address: string): Promise<void> {
  const by = 'the link of a mail';
  if (isAccount(target)) {
    requireFound(await updateUser(trx, REACH_OF_ALL, target, { remarks_by_mail: false }));
    const details = { members: ['remarks_by_mail'], by };
    return recordAct(trx, { actor: null, address, action: 'user.changed', target, details });
  }
  requireFound(await updateAlert(trx, REACH_OF_ALL, target, { status: 'paused' }));
  await recordAct(trx, { actor: null, address, action: 'alert.changed', target, details: { status: 'paused', by } });
}
