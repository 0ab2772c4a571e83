import type { FastifyInstance } from 'fastify';
import { updateAlert } from '#src/alerts/store.ts';
import type { ApiContext } from '#src/api/context.ts';
import { PLAIN_PAGE_POLICY, renderPlainPage } from '#src/api/plain-page.ts';
import { AppError } from '#src/core/errors.ts';
import { verifyMailedToken } from '#src/core/secrets.ts';
import { REACH_OF_ALL } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { recordAct } from '#src/users/audit.ts';

/**
 * Adds the unsubscribe link of mails: GET shows a confirmation, POST pauses the alert (RFC 8058: mail scanners follow links, and must not
 * pause an alert). The token in the link is the permission and allows nothing else.
 */
export function addUnsubscribe(app: FastifyInstance, context: ApiContext, secret: string): void {
  void app.register(async (scope) => {
    // Mail programs send a form of either type, browsers of one.
    const forms = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    scope.addContentTypeParser(forms, (_request, payload, done) => {
      payload.resume();
      payload.on('end', () => done(null, {}));
    });
    const alertOf = (params: unknown): string => {
      const alertId = verifyMailedToken(secret, 'unsubscribe', (params as { token: string }).token);
      if (alertId === null) throw new AppError('notFound');
      return alertId;
    };
    scope.get('/unsubscribe/:token', async (request, reply) => {
      alertOf(request.params);
      const form = '<form method="post"><button style="font:inherit">Pause this alert</button></form>\n';
      reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
      return reply
        .type('text/html; charset=utf-8')
        .send(renderPlainPage('Alert', 'Get no more messages of this alert?', form));
    });
    scope.post('/unsubscribe/:token', async (request, reply) => {
      const target = alertOf(request.params);
      await joinOrBeginTransaction(context.db, async (trx) => {
        const alert = await updateAlert(trx, REACH_OF_ALL, target, { status: 'paused' });
        if (!alert) throw new AppError('notFound');
        const details = { status: 'paused', by: 'the link of a mail' };
        await recordAct(trx, { actor: null, address: request.ip, action: 'alert.changed', target, details });
      });
      reply.header('Content-Security-Policy', PLAIN_PAGE_POLICY);
      return reply
        .type('text/html; charset=utf-8')
        .send(renderPlainPage('Alert', 'The alert is paused. It can be resumed where alerts are managed.'));
    });
  });
}
