import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findAlert, updateAlert } from '#src/alerts/store.ts';
import type { ApiContext } from '#src/api/context.ts';
import { sendPlainPage } from '#src/api/plain-page.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { AppError, ERRORS, requireFound } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { wordsOf } from '#src/delivery/words/words.ts';
import { recordAction } from '#src/users/audit.ts';
import { acceptByMail, findInvitation } from '#src/users/members.ts';
import { findLanguageOfAccount, updateUser } from '#src/users/store.ts';

/** Origin of an act in the audit log. */
const BY_MAIL = 'the link of a mail';

/**
 * Adds the pages of links in mails: to unsubscribe, and to accept an invitation to a home. GET shows a confirmation; only
 * POST changes something, because mail scanners follow links (RFC 8058). A page has one form and no script. The token in
 * the link is the permission. It allows nothing else, and signs nobody in.
 */
export function addMailedLinks(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    // Mail programs send either form encoding; browsers send only the urlencoded one. The content has no meaning.
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    scope.addContentTypeParser(forms, (_request, payload, done) => {
      payload.resume();
      payload.on('end', () => done(null, {}));
    });
    addUnsubscribePage(scope, context, secret);
    addInvitationPage(scope, context, secret);
  });
}

const tokenOf = ({ params }: FastifyRequest): string => (params as { token: string }).token;
const formWith = (button: string) => `<form method="post"><button style="font:inherit">${button}</button></form>\n`;

/** Adds the unsubscribe link of mails, which pauses the alert or switches mails about remarks off. */
function addUnsubscribePage(scope: FastifyInstance, { db }: ApiContext, secret: string): void {
  /** Returns what the mails of a link are about: an alert, or the account whose home the remarks are on. */
  const targetOf = (request: FastifyRequest): string =>
    requireFound(verifyMailedToken(secret, 'unsubscribe', tokenOf(request)));
  scope.get('/unsubscribe/:token', async (request, reply) => {
    const { language, title, question, button } = await textsOf(db, targetOf(request));
    return sendPlainPage(reply, 200, title, question, { more: formWith(button), language });
  });
  scope.post('/unsubscribe/:token', async (request, reply) => {
    const target = targetOf(request);
    const { language, title, done } = await textsOf(db, target);
    await joinOrBeginTransaction(db, (trx) => endMails(trx, target, request.ip));
    return sendPlainPage(reply, 200, title, done, { language });
  });
}

const isAccount = (target: string): boolean => target.startsWith('usr_');

/** Returns the texts of a page, in the language of the mail. 404 if the account whose home the remarks are on was deleted. */
async function textsOf(db: Database, target: string) {
  if (isAccount(target)) {
    const language = requireFound(await findLanguageOfAccount(db, target));
    return { language, ...(await wordsOf(language)).pages.endRemarks };
  }
  const alert = await findAlert(db, ALL_ACCOUNTS, target);
  const language = (alert && (await findLanguageOfAccount(db, alert.user_id))) ?? 'en';
  return { language, ...(await wordsOf(language)).pages.endAlert };
}

/** Pauses an alert, or switches an account's mails about remarks off. 404 if there is none. */
async function endMails(trx: Database, target: string, address: string): Promise<void> {
  const by = BY_MAIL;
  if (isAccount(target)) {
    requireFound(await updateUser(trx, ALL_ACCOUNTS, target, { remarks_by_mail: false }));
    const details = { members: ['remarks_by_mail'], by };
    return recordAction(trx, { actor: null, address, action: 'user.changed', target, details });
  }
  requireFound(await updateAlert(trx, ALL_ACCOUNTS, target, { status: 'paused' }));
  await recordAction(trx, { actor: null, address, action: 'alert.changed', target, details: { status: 'paused', by } });
}

/**
 * Adds the page of an invitation to a home. POST accepts it for the account with the invited address, which is created
 * if necessary.
 */
function addInvitationPage(scope: FastifyInstance, { db, clock }: ApiContext, secret: string): void {
  /** Returns the invitation of a link (null if it has ended), and the page's texts in the browser's language or else the home's. */
  const open = async (request: FastifyRequest) => {
    const memberId = verifyMailedToken(secret, 'member', tokenOf(request));
    const invitation = memberId === null ? null : await findInvitation(db, memberId, clock());
    const accepted = negotiateLanguage(request.headers['accept-language'] ?? '');
    const language = accepted ?? invitation?.home_language ?? 'en';
    return { memberId, invitation, language, words: (await wordsOf(language)).pages.invitation };
  };
  scope.get('/invitation/:token', async (request, reply) => {
    const { invitation, language, words } = await open(request);
    if (!invitation) return sendPlainPage(reply, 404, words.title, words.over, { language });
    const { home_email: home, email: member, access } = invitation;
    const question = words.question[access]({ home, member });
    return sendPlainPage(reply, 200, words.title, question, { more: formWith(words.button), language });
  });
  scope.post('/invitation/:token', async (request, reply) => {
    const { memberId, language, words } = await open(request);
    if (memberId === null) return sendPlainPage(reply, 404, words.title, words.over, { language });
    try {
      const { email: member, home_email: home } = await joinOrBeginTransaction(db, async (trx) => {
        const accepted = await acceptByMail(trx, memberId, { now: clock(), language });
        const details = { access: accepted.access, by: BY_MAIL };
        const act = { actor: null, address: request.ip, action: 'member.joined', target: memberId, details };
        await recordAction(trx, act);
        return accepted;
      });
      const more = `<p><a href="/dashboard/sign-in">${words.signIn}</a></p>\n`;
      return sendPlainPage(reply, 200, words.title, words.done({ member, home }), { more, language });
    } catch (error) {
      if (!(error instanceof AppError) || ERRORS[error.is].status >= 500) throw error;
      if (error.is === 'unprocessable') return sendPlainPage(reply, 404, words.title, words.over, { language });
      const refused: Readonly<Record<string, string>> = words.refused;
      const text = refused[error.is] ?? `${error.message}.`;
      return sendPlainPage(reply, ERRORS[error.is].status, words.title, text, { language });
    }
  });
}
