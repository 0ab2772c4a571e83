import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { createWebhook } from '#src/delivery/webhook/subscriptions.ts';
import { createUser } from '#src/users/store.ts';
import { type Cell, startCell } from '../../../test/support/cluster/cell.ts';
import { type PatroniCluster, startPatroni } from '../../../test/support/cluster/patroni.ts';
import { getRoutedCell, type RouterGroup, startRouters } from '../../../test/support/cluster/router.ts';
import { makeLocalCertificate } from '../../../test/support/local-certificate.ts';
import { TESTED_PROGRAM } from '../../../test/support/program.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/support/receiver.ts';
import { createTemporaryFolder } from '../../../test/support/service.ts';
import { WEBHOOK_SECRET } from '../cluster/installation.ts';

/** A cell of the installation, whose database has a standby that Patroni manages. */
export interface ChaosCell extends Cell {
  patroni: PatroniCluster;
  pool: Pool;
  /** Pool whose statements fail instead of waiting if the database hangs. On a busy machine they may also fail. */
  watchPool: Pool;
}

/** A complete installation of deploy/cells on the loopback interface: two routers in front of two cells, and a receiver of webhooks. */
export interface InstallationWithCells {
  routers: RouterGroup;
  /** `first` and `c2`. */
  cells: readonly [ChaosCell, ChaosCell];
  receiver: WebhookReceiver;
  /**
   * Runs `energy cells move` from one cell to another. `isKilled`: whether SIGKILL ends the command. Resolves with its exit code and
   * output.
   */
  move(users: readonly string[], from: ChaosCell, to: ChaosCell): RunningMove;
  remove(): Promise<void>;
}

/** A running `energy cells move`. */
interface RunningMove {
  kill(): void;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

const NAMES = ['first', 'c2'] as const;
const ROLES = ['worker', 'api', 'ingest', 'ingest'] as const;

/** Starts the installation. It needs Patroni, etcd and HAProxy of Debian 13. */
export async function installCells(): Promise<InstallationWithCells> {
  const undo: (() => Promise<unknown>)[] = [];
  const remove = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const receiver = await startWebhookReceiver();
    undo.push(() => receiver.close());
    const folder = await createTemporaryFolder();
    undo.push(() => folder.remove());
    const ca = join(folder.path, 'ca.pem');
    await writeFile(ca, receiver.ca);
    const tls = await makeLocalCertificate();
    const cells: ChaosCell[] = [];
    for (const name of NAMES) {
      const patroni = await startPatroni();
      undo.push(() => patroni.stop());
      await patroni.ready();
      const env = {
        WEBHOOK_ALLOW_PRIVATE: 'true',
        WEBHOOK_CA_FILE: ca,
        LOG_LEVEL: process.env.CHAOS_LOG ?? 'silent',
      };
      const cell = await startCell({ name, url: patroni.url, tls, env, roles: ROLES });
      undo.push(() => cell.remove());
      const pool = createPool(patroni.url, { max: 3 });
      const watchPool = createPool(patroni.url, { max: 1, isAnswering: true });
      undo.push(() => Promise.all([pool.end(), watchPool.end()]));
      cells.push({ ...cell, patroni, pool, watchPool });
      await subscribe(pool, cell, receiver);
    }
    const [first, c2] = cells as [ChaosCell, ChaosCell];
    const routers = await startRouters({ tls, first: getRoutedCell(first), c2: getRoutedCell(c2), count: 2 });
    undo.push(() => routers.stop());
    return { routers, cells: [first, c2], receiver, move: (...given) => startMove(routers, ...given), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Subscribes an administrator of the cell to the alerts of all its homes. */
async function subscribe(pool: Pool, { env }: Cell, receiver: WebhookReceiver): Promise<void> {
  const db = createDatabase(pool);
  const { user_id: adminId } = await createUser(db, { email: 'admin@example.com', role: 'admin' });
  const webhook = { events: ['alert.triggered'], url: receiver.url, authToken: WEBHOOK_SECRET } as const;
  await createWebhook(db, createSecretEncrypter(env.SECRET_KEY as string), adminId, webhook);
}

function startMove(routers: RouterGroup, users: readonly string[], from: Cell, to: Cell): RunningMove {
  const args = [TESTED_PROGRAM, 'cells', 'move', ...users, '--to', to.name, '--file', routers.cellsFile, '--json'];
  const env = { ...from.env, PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
  let kill = () => {};
  const ended = new Promise<Awaited<RunningMove['ended']>>((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    kill = () => void child.kill('SIGKILL');
  });
  return { kill: () => kill(), ended };
}
