import { pino } from 'pino';
import { createSecretEncrypter, type SecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createQueryFunction, type Database } from '#src/database/connect.ts';
import type { DeliveryChannel } from '#src/delivery/channel.ts';
import { createDispatcher, type Dispatcher } from '#src/delivery/dispatch.ts';
import { createWebhookChannel, type WebhookOptions } from '#src/delivery/webhook/send.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { addEvents } from '#src/events/outbox.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** Deliveries of a test, which triggers each attempt itself and controls the clock. */
export interface TestDeliveries {
  database: TestDatabase;
  db: Database;
  box: SecretEncrypter;
  dispatcher: Dispatcher;
  /** Creates the dispatcher of another worker. `onDone`: called after each attempt of this dispatcher. */
  another(onDone?: () => void): Dispatcher;
  /** Messages that the dispatcher passed to the mail and SMS channels. */
  told: { target: string; event: { type: string; data: Record<string, unknown> } }[];
  now: Date;
  later(seconds: number): void;
  /** Sends due deliveries until none is due. */
  run(): Promise<void>;
  user(email: string): Promise<string>;
  subscribe(userId: string, url: string, authToken?: string): Promise<string>;
  /** Stores an event `user.created` about the user. Returns the event's id. */
  happen(userId: string, data?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const noChannel: DeliveryChannel = { send: async () => ({ succeeded: true, responseStatus: null, error: null }) };

/** Creates a dispatcher of deliveries for tests. `email`: real mail channel; by default, messages are only recorded. */
export async function createTestDeliveries({
  email,
  ...options
}: Partial<WebhookOptions> & { email?: (db: Database) => DeliveryChannel } = {}): Promise<TestDeliveries> {
  const database = await createTestDatabase();
  const db = createDatabase(database.pool);
  const box = createSecretEncrypter('the secret of the tests');
  const clock = () => test.now;
  const messages: TestDeliveries['told'] = [];
  const remember: DeliveryChannel = {
    send(sending) {
      messages.push(sending);
      return noChannel.send(sending);
    },
  };
  const webhook = createWebhookChannel({
    ...{ db, box, clock, environment: 'live', publicUrl: 'https://service.example', allowPrivate: true },
    ...options,
  });
  const another = (onDone?: () => void) =>
    createDispatcher({
      ...(onDone && { onDone }),
      pool: database.pool,
      channels: { webhook, email: email?.(db) ?? remember, sms: remember },
      clock,
      log: pino({ level: 'silent' }),
      random: () => 0.5,
    });
  const dispatcher = another();
  const test: TestDeliveries = {
    database,
    db,
    box,
    dispatcher,
    another,
    told: messages,
    now: new Date('2026-06-15T12:00:00Z'),
    later(seconds) {
      test.now = new Date(test.now.getTime() + seconds * 1_000);
    },
    async run() {
      while ((await dispatcher.pass()) > 0 || dispatcher.underWay() > 0) await dispatcher.settle();
    },
    user: async (email) => (await createUser(db, { email, role: 'homeowner' })).user_id,
    subscribe: async (userId, url, authToken = 'a secret token') =>
      (await createWebhook(db, box, userId, { events: ['user.created'], url, authToken })).webhook_id,
    async happen(userId, data = {}) {
      const [id] = await addEvents(
        createQueryFunction(db),
        [{ type: 'user.created', userId, data: data as never }],
        test.now,
      );
      return id as string;
    },
    async close() {
      webhook.close();
      await database.drop();
    },
  };
  return test;
}
