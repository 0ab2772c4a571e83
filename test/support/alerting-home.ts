import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type AlertEvaluator, startAlertEvaluator } from '#src/alerts/pool.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createTestMeter, type TestMeter } from './meters.ts';

/** A database with the threads that evaluate alert rules, and a home that is created for each test. */
interface HomeWithAlerts {
  database: TestDatabase;
  db: Database;
  evaluator: AlertEvaluator;
  home: TestMeter;
}

/**
 * Registers hooks that create and remove a home with alerts. `begin` receives the home before each test. `now`: current time for the
 * refresh of the aggregates.
 */
export function setUpHomeWithAlerts(now: Date, begin: (made: HomeWithAlerts) => void): void {
  let database: TestDatabase;
  let evaluator: AlertEvaluator;
  let home: TestMeter;
  beforeAll(async () => {
    database = await createTestDatabase();
    evaluator = startAlertEvaluator(2);
    await database.settle(now);
  });
  afterAll(async () => {
    await evaluator.close();
    await database.drop();
  });
  beforeEach(async () => {
    home = await createTestMeter(database);
    begin({ database, db: createDatabase(database.pool), evaluator, home });
  });
  afterEach(async () => {
    await database.pool.query('DELETE FROM users WHERE user_id = $1', [home.userId]);
  });
}
