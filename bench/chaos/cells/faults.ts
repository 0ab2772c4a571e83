import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterFault } from '../cluster/faults.ts';
import type { PublishingHome } from '../cluster/homes.ts';
import { printToStderr } from '../cluster/measure-fault.ts';
import type { ChaosCell, InstallationWithCells } from './installation.ts';

/** A fault that is injected into an installation with cells. */
export interface CellFault extends ClusterFault {
  /** Whether a run with `--quick` includes this fault. */
  isQuick?: true;
  /** Cell whose homes must not be affected by the fault; omitted if the fault affects all cells. */
  spared?: ChaosCell;
}

/** Number of homes that a fault moves with one command. */
const MOVED_HOMES = 3;
const FROZEN_S = 30;
const AWAY_MS = 10_000;
/** A move command must succeed within this many runs. */
const MAX_MOVES = 5;
const ROUTER = { of: 'acknowledged', seconds: 5 } as const;
const INGEST = { of: 'stored', seconds: 10 } as const;
const DATABASE = { of: 'stored', seconds: 30 } as const;
/** Goal for faults of a whole cell, in which all processes of the cell and its database stop, and start again on the same machine. */
const WHOLE_CELL = { of: 'stored', seconds: 90 } as const;
/** Goal for faults during a move of accounts. Devices may stay connected to the previous cell (installation) for 10 s. */
const MOVE = { of: 'stored', seconds: 15 } as const;
const nothing = async () => {};

/** Returns all faults of cells (installations). `heldMs`: for each moved account, the time in ms for which no cell served it, up to now. */
export function createCellFaults(
  installation: InstallationWithCells,
  homes: readonly PublishingHome[],
): { faults: CellFault[]; heldMs: number[] } {
  const [first, c2] = installation.cells;
  const mover = createMover(installation, homes);
  return {
    heldMs: mover.heldMs,
    faults: [
      ...ofRouters(installation),
      ...ofIngest(first, c2),
      ...ofDatabase(first, c2),
      {
        name: `${MOVED_HOMES} accounts moved to the other cell, and back`,
        goal: MOVE,
        holdS: 0,
        isQuick: true,
        async harm() {
          const users = mover.next();
          await mover.move(users, first, c2);
          await mover.move(users, c2, first);
        },
        heal: nothing,
      },
      ...createMoveFaults(installation, mover),
    ],
  };
}

function ofRouters({ routers }: InstallationWithCells): CellFault[] {
  const [one, other = one] = routers.all;
  const kills = (router: typeof one, number: number): CellFault => ({
    name: `router ${number} killed`,
    goal: ROUTER,
    holdS: 0,
    isQuick: true,
    harm: () => router.kill(),
    heal: () => router.start(),
  });
  return [kills(one, 1), kills(other, 2)];
}

function ofIngest(cell: ChaosCell, spared: ChaosCell): CellFault[] {
  const fault = (name: string, more: Omit<CellFault, 'name' | 'spared' | 'goal'>): CellFault => ({
    name: `${name} of cell ${cell.name}`,
    ...{ spared, goal: INGEST },
    ...more,
  });
  return [
    fault('ingest killed', {
      holdS: 0,
      isQuick: true,
      harm: () => cell.of('ingest').kill(),
      heal: () => cell.of('ingest').start(),
    }),
    fault('ingest frozen', {
      holdS: FROZEN_S,
      harm: async () => cell.of('ingest', 1).signal('SIGSTOP'),
      heal: async () => cell.of('ingest', 1).signal('SIGCONT'),
    }),
    fault('all ingest killed', {
      holdS: 0,
      async harm() {
        const all = [0, 1].map((number) => cell.of('ingest', number));
        await Promise.all(all.map((one) => one.kill()));
        for (const one of all) await one.start();
      },
      heal: nothing,
    }),
  ];
}

function ofDatabase(cell: ChaosCell, spared: ChaosCell): CellFault[] {
  const { patroni } = cell;
  let primary: Awaited<ReturnType<typeof patroni.primary>> | undefined;
  const fault = (name: string, more: Omit<CellFault, 'name' | 'spared' | 'cutsDeliveries'>): CellFault => ({
    name: `${name} of cell ${cell.name}`,
    ...{ spared, cutsDeliveries: true },
    ...more,
  });
  return [
    fault('primary killed', {
      goal: DATABASE,
      holdS: 0,
      async harm() {
        primary = await patroni.primary();
        await primary.kill();
      },
      heal: async () => primary?.start(),
    }),
    fault('primary frozen', {
      goal: { of: 'stored', seconds: FROZEN_S + 5 },
      holdS: FROZEN_S,
      async harm() {
        primary = await patroni.primary();
        primary.freeze();
      },
      heal: async () => primary?.continue(),
    }),
    fault('everything killed', {
      goal: WHOLE_CELL,
      holdS: 0,
      async harm() {
        await Promise.all([cell.kill(), ...patroni.nodes.map((node) => node.kill())]);
        await pause(AWAY_MS);
        const fromMs = performance.now();
        const seconds = () => ((performance.now() - fromMs) / 1_000).toFixed(1);
        for (const node of patroni.nodes) node.start();
        await patroni.primary();
        printToStderr(`  a primary after ${seconds()} s`);
        await cell.start();
        printToStderr(`  all processes after ${seconds()} s`);
      },
      heal: nothing,
    }),
  ];
}

/**
 * Faults during the move of an account. A later run of the move command must complete the move, even if the fault makes the first run fail.
 */
function createMoveFaults({ routers, cells: [first, c2], move }: InstallationWithCells, mover: Mover): CellFault[] {
  const [router] = routers.all;
  const whileMoving = (name: string, interrupt: (running: ReturnType<typeof move>) => Promise<unknown>): CellFault => ({
    name: `${name} while an account moves`,
    goal: DATABASE,
    cutsDeliveries: true,
    holdS: 0,
    async harm() {
      const users = mover.next().slice(0, 1);
      const running = move(users, first, c2);
      await pause(1_500);
      await interrupt(running);
      await running.ended;
      await mover.move(users, first, c2);
    },
    heal: nothing,
  });
  return [
    whileMoving('the command killed', async (running) => running.kill()),
    whileMoving('router 1 killed', async (running) => {
      await router.kill();
      await running.ended;
      await router.start();
    }),
    whileMoving('primary of the other cell killed', async () => {
      const primary = await c2.patroni.primary();
      await primary.kill();
      await c2.patroni.primary();
      primary.start();
    }),
  ];
}

type Mover = ReturnType<typeof createMover>;

/** Creates an object that moves accounts, and records for how long neither cell served each account. */
function createMover({ move }: InstallationWithCells, homes: readonly PublishingHome[]) {
  let used = 0;
  const heldMs: number[] = [];
  const ofFirst = homes.filter(({ userId }) => !userId.startsWith('usr_c2_'));
  return {
    heldMs,
    /** Returns accounts of the first cell that no fault has moved yet. */
    next(): string[] {
      const users = ofFirst.slice(used, used + MOVED_HOMES).map(({ userId }) => userId);
      used += MOVED_HOMES;
      return users;
    },
    /** Repeats the move command until it succeeds, as an operator does. Throws after the last attempt. */
    async move(users: readonly string[], from: ChaosCell, to: ChaosCell): Promise<void> {
      for (let run = 1; ; run++) {
        const { code, stdout, stderr } = await move(users, from, to).ended;
        if (code === 0) return void heldMs.push(JSON.parse(stdout).held_ms);
        printToStderr(`  run ${run} of the move to ${to.name} failed: ${stderr.trim()}`);
        if (run === MAX_MOVES) throw new Error(`the move failed ${run} times`);
        await pause(2_000);
      }
    },
  };
}
