import { countRoutingMapDifferences, readRoutingExceptions } from './exceptions.ts';
import { readRouterBackends } from './runtime-api.ts';

/** State of a cell, as a router reports it. */
export interface CellHealth {
  cell: string;
  router: string;
  /** Whether the cell responds over HTTPS and over MQTT. Null if the router has no such backend. */
  https: boolean | null;
  mqtt: boolean | null;
}

/**
 * State of a router. `problem`: reason why it cannot be queried, or null. `differing`: number of entries of its map that differ from the
 * file.
 */
interface RouterHealth {
  router: string;
  problem: string | null;
  differing: number | null;
}

export interface CellsHealth {
  cells: CellHealth[];
  routers: RouterHealth[];
  exceptions: number;
}

const CELL_BACKEND = /^(api|mqtt)_([a-z][a-z0-9]*)$/;

/** Queries each router for the health of the cells, and compares its exceptions with the file. */
export async function readCellsHealth({
  file,
  routers,
}: {
  file: string;
  routers: readonly string[];
}): Promise<CellsHealth> {
  const exceptions = (await readRoutingExceptions(file)).size;
  const all = await Promise.all(
    routers.map(async (router) => {
      try {
        const backends = new Map((await readRouterBackends(router)).map(({ name, isUp }) => [name, isUp]));
        const names = [...new Set([...backends.keys()].flatMap((name) => CELL_BACKEND.exec(name)?.[2] ?? []))];
        const cells = names.map((cell) => ({
          ...{ cell, router },
          ...{ https: backends.get(`api_${cell}`) ?? null, mqtt: backends.get(`mqtt_${cell}`) ?? null },
        }));
        return { cells, router: { router, problem: null, differing: await countRoutingMapDifferences(router, file) } };
      } catch (error) {
        return { cells: [], router: { router, problem: (error as Error).message, differing: null } };
      }
    }),
  );
  return { cells: all.flatMap(({ cells }) => cells), routers: all.map(({ router }) => router), exceptions };
}
