import type { Command } from 'commander';
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  retryDelivery,
  testWebhook,
  updateWebhook,
  webhookDeliveries,
} from '#src/api/v1/webhooks/operations.ts';
import { toWire } from '#src/api/v1/webhooks/shape.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { findWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { withDatabase } from './beside.ts';
import { addCreate, addDelete, addList, addUpdate, addVerb, type Noun, print } from './nouns/verbs.ts';

const WEBHOOK: Noun = { name: 'webhook', id: 'webhook_id', columns: ['webhook_id', 'event', 'status', 'url'] };

/** Registers `energy webhooks …`, which calls the operations of the HTTP API. An `--auth-token` of `-` is read from standard input. */
export function register(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('subscriptions to events (--auth-token - reads the secret from standard input)');
  addList(webhooks, WEBHOOK, listWebhooks, { ofUser: true });
  webhooks
    .command('get <webhook_id>')
    .description('one subscription')
    .option('--json', 'print one JSON object')
    .action((webhookId: string, { json }: { json?: boolean }) =>
      withDatabase(async (db) => {
        const row = await findWebhook(db, EVERYBODY, webhookId);
        if (!row) throw new Error(`There is no webhook ${webhookId}`);
        print({ ...toWire(row), user_id: row.user_id }, json);
      }),
    );
  addCreate(webhooks, WEBHOOK, createWebhook);
  addUpdate(webhooks, WEBHOOK, updateWebhook);
  addDelete(webhooks, WEBHOOK, deleteWebhook, 'with the log of its deliveries');
  addVerb(webhooks, 'deliveries', WEBHOOK, webhookDeliveries);
  addVerb(webhooks, 'retry', WEBHOOK, retryDelivery, { more: ['delivery_id'] });
  addVerb(webhooks, 'test', WEBHOOK, testWebhook);
}
