import type { FastifyInstance } from 'fastify';
import { updateAlert } from '#src/alerts/store.ts';
import type { ApiContext } from '#src/api/context.ts';
import { PLAIN_PAGE_POLICY, renderPlainPage } from '#src/api/plain-page.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import type { LANGUAGES } from '#src/database/enums.ts';
import { REACH_OF_ALL } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { recordAct } from '#src/users/audit.ts';
import { languageOf, updateUser } from '#src/users/store.ts';

type Language = (typeof LANGUAGES)[number];

/** Texts of a page that ends mails. */
interface Texts {
  title: string;
  question: string;
  button: string;
  done: string;
}

const OF_ALERT: Texts = {
  title: 'Alert',
  question: 'Get no more messages of this alert?',
  button: 'Pause this alert',
  done: 'The alert is paused. It can be resumed where alerts are managed.',
};
/** Texts about mails of remarks, in the languages of these mails. The titles are those of the card on the page Home. */
const OF_REMARKS: Record<Language, Texts> = {
  en: {
    title: 'Worth knowing',
    question: 'Get no more mails about your home?',
    button: 'Switch these mails off',
    done: 'The mails are switched off. You can switch them on again in the dashboard, on the page Account.',
  },
  de: {
    title: 'Gut zu wissen',
    question: 'Keine Mails mehr zu Ihrem Zuhause erhalten?',
    button: 'Diese Mails ausschalten',
    done: 'Die Mails sind ausgeschaltet. Sie können sie im Dashboard auf der Seite „Konto“ wieder einschalten.',
  },
  es: {
    title: 'Conviene saber',
    question: '¿No recibir más correos sobre tu casa?',
    button: 'Desactivar estos correos',
    done: 'Los correos están desactivados. Puedes volver a activarlos en el panel, en la página «Cuenta».',
  },
  fr: {
    title: 'Bon à savoir',
    question: 'Ne plus recevoir de messages sur votre logement ?',
    button: 'Désactiver ces messages',
    done: 'Les messages sont désactivés. Vous pouvez les réactiver dans le tableau de bord, à la page « Compte ».',
  },
  nl: {
    title: 'Goed om te weten',
    question: 'Geen mails meer over je huis ontvangen?',
    button: 'Deze mails uitzetten',
    done: 'De mails staan uit. Je kunt ze weer aanzetten in het dashboard, op de pagina ‘Account’.',
  },
};

/**
 * Adds the unsubscribe link of mails: GET shows a confirmation, POST pauses the alert or switches mails about remarks off (RFC 8058: mail
 * scanners follow links, and must not change anything). The token in the link is the permission and allows nothing else.
 */
export function addUnsubscribe(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    // Mail programs send a form of either type, browsers of one.
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

/** Returns the texts of a page, in the language of the mail. 404 if the account is gone. */
async function textsOf(db: Database, target: string): Promise<Texts & { language: Language }> {
  if (!isAccount(target)) return { ...OF_ALERT, language: 'en' };
  const language = requireFound(await languageOf(db, target));
  return { ...OF_REMARKS[language], language };
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
