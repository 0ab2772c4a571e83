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
import { webhookToResponse } from '#src/api/v1/webhooks/shape.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findWebhook } from '#src/delivery/webhook/subscriptions.ts';
import {
  type ApiNoun,
  addActionCommand,
  addCreateCommand,
  addDeleteCommand,
  addListCommand,
  addUpdateCommand,
  printResponse,
} from './nouns/verbs.ts';
import { runOnServiceDatabase } from './running-service.ts';
import { addListenCommand } from './webhooks-listen.ts';

const WEBHOOK: ApiNoun = { name: 'webhook', id: 'webhook_id', columns: ['webhook_id', 'events', 'status', 'url'] };

/**
 * Registers `energy webhooks …`, which calls the operations of the HTTP API. If `--auth-token` is `-`, the secret is read from standard
 * input.
 */
export function registerCommands(program: Command): void {
  const webhooks = program.command('webhooks');
  addListCommand(webhooks, WEBHOOK, listWebhooks, { ofUser: true });
  webhooks
    .command('get <webhook_id>')
    .description('show one subscription')
    .option('--json', 'print one JSON object')
    .action((webhookId: string, { json }: { json?: boolean }) =>
      runOnServiceDatabase(async (db) => {
        const row = await findWebhook(db, ALL_ACCOUNTS, webhookId);
        if (!row) throw new Error(`There is no webhook ${webhookId}`);
        printResponse({ ...webhookToResponse(row), user_id: row.user_id }, json);
      }),
    );
  addCreateCommand(webhooks, WEBHOOK, createWebhook);
  addUpdateCommand(webhooks, WEBHOOK, updateWebhook);
  addDeleteCommand(webhooks, WEBHOOK, deleteWebhook, 'with the log of its deliveries');
  addActionCommand(webhooks, 'deliveries', WEBHOOK, webhookDeliveries);
  addActionCommand(webhooks, 'retry', WEBHOOK, retryDelivery, { more: ['delivery_id'] });
  addActionCommand(webhooks, 'test', WEBHOOK, testWebhook);
  addListenCommand(webhooks);
}
