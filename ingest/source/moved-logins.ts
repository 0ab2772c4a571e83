import type { Logger } from '#src/core/log.ts';
import type { LoginProcessRegistry } from '#src/devices/login-processes.ts';
import type { LoggedInConnections } from './broker-session.ts';

/** Interval in ms at which a process checks for logins that have connected to another process. */
const LOOK_MS = 1_000;

/**
 * Ends the connections and sessions of a login at this process within a second after the login has connected to another process. Polls the
 * database: NOTIFY would take a server-wide lock at each commit.
 */
export function watchMovedLogins(sessions: LoggedInConnections, places: LoginProcessRegistry, log: Logger) {
  let answeredAtMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async () => {
    try {
      const moved = await places.moved();
      answeredAtMs = performance.now();
      for (const username of moved) sessions.moveAway(username);
      if (moved.length > 0) await places.confirm(moved);
    } catch (error) {
      log.debug({ err: error }, 'moved logins could not be read; trying again');
    }
    if (!isStopped) timer = setTimeout(look, LOOK_MS).unref();
  };
  timer = setTimeout(look, LOOK_MS).unref();
  return {
    /** Time since the database last answered, in ms. */
    silentMs: () => performance.now() - answeredAtMs,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Ends the connections and sessions of all logins that are connected to another process. `watchMovedLogins` cannot detect two cases: a
 * login moved twice within a second, or the database lost its unlogged table.
 */
export async function closeSessionsOfMovedLogins(
  sessions: LoggedInConnections,
  places: LoginProcessRegistry,
): Promise<void> {
  const open = new Set([...sessions.open].flatMap(({ by, claiming }) => (claiming ? [] : [by.username])));
  if (open.size > 0) for (const username of await places.elsewhere([...open])) sessions.moveAway(username);
}
