import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findAlert, updateAlert } from '#src/alerts/store.ts';
import type { ApiContext } from '#src/api/context.ts';
import { sendPlainPage } from '#src/api/plain-page.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { AppError, ERROR_DEFINITIONS, requireFound } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { loadWords } from '#src/delivery/words/words.ts';
import { recordAuditedAction } from '#src/users/audit.ts';
import { acceptInvitationByMail, findInvitation } from '#src/users/members.ts';
import { findLanguageOfAccount, updateUser } from '#src/users/store.ts';

/** Value of `by` in the audit log if a person caused the action by a link in a mail. */
const BY_MAIL = 'the link of a mail';

/**
 * Adds the pages to which links in mails lead: to unsubscribe, and to accept an invitation to a home. GET returns a confirmation
 * form; only POST changes data, because mail scanners open links (RFC 8058). The token in the link authorizes only this action.
 */
export function addMailedLinkPages(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    // Media types of the confirmation form. Its content is ignored.
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

/** Adds the unsubscribe page. It pauses an alert, or switches off mails about remarks (notices about unusual usage). */
function addUnsubscribePage(scope: FastifyInstance, { db }: ApiContext, secret: string): void {
  /** Returns the id for which an unsubscribe link was created: of an alert or, for mails about remarks, of the home's account. */
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

/** Returns the texts of an unsubscribe page in the language of the account's mails. Throws 404 if the account was deleted. */
async function textsOf(db: Database, target: string) {
  if (isAccount(target)) {
    const language = requireFound(await findLanguageOfAccount(db, target));
    return { language, ...(await loadWords(language)).pages.endRemarks };
  }
  const alert = await findAlert(db, ALL_ACCOUNTS, target);
  const language = (alert && (await findLanguageOfAccount(db, alert.user_id))) ?? 'en';
  return { language, ...(await loadWords(language)).pages.endAlert };
}

/** Pauses an alert, or switches off an account's mails about remarks. Throws 404 if the alert or the account does not exist. */
async function endMails(trx: Database, target: string, address: string): Promise<void> {
  const by = BY_MAIL;
  if (isAccount(target)) {
    requireFound(await updateUser(trx, ALL_ACCOUNTS, target, { remarks_by_mail: false }));
    const details = { members: ['remarks_by_mail'], by };
    return recordAuditedAction(trx, { actor: null, address, action: 'user.changed', target, details });
  }
  requireFound(await updateAlert(trx, ALL_ACCOUNTS, target, { status: 'paused' }));
  await recordAuditedAction(trx, {
    actor: null,
    address,
    action: 'alert.changed',
    target,
    details: { status: 'paused', by },
  });
}

/**
 * Adds the page on which a person accepts an invitation to a home. POST creates an account for the invited address if there is
 * none.
 */
function addInvitationPage(scope: FastifyInstance, { db, clock }: ApiContext, secret: string): void {
  /**
   * Returns the invitation of a link (null if it has ended), and the texts of the page in the browser's or the home's language.
   */
  const open = async (request: FastifyRequest) => {
    const memberId = verifyMailedToken(secret, 'member', tokenOf(request));
    const invitation = memberId === null ? null : await findInvitation(db, memberId, clock());
    const accepted = negotiateLanguage(request.headers['accept-language'] ?? '');
    const language = accepted ?? invitation?.home_language ?? 'en';
    return { memberId, invitation, language, words: (await loadWords(language)).pages.invitation };
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
        const accepted = await acceptInvitationByMail(trx, memberId, { now: clock(), language });
        const details = { access: accepted.access, by: BY_MAIL };
        const act = { actor: null, address: request.ip, action: 'member.joined', target: memberId, details };
        await recordAuditedAction(trx, act);
        return accepted;
      });
      const more = `<p><a href="/dashboard/sign-in">${words.signIn}</a></p>\n`;
      return sendPlainPage(reply, 200, words.title, words.done({ member, home }), { more, language });
    } catch (error) {
      if (!(error instanceof AppError) || ERROR_DEFINITIONS[error.is].status >= 500) throw error;
      if (error.is === 'unprocessable') return sendPlainPage(reply, 404, words.title, words.over, { language });
      const refused: Readonly<Record<string, string>> = words.refused;
      const text = refused[error.is] ?? `${error.message}.`;
      return sendPlainPage(reply, ERROR_DEFINITIONS[error.is].status, words.title, text, { language });
    }
  });
}
