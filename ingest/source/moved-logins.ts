import type { Logger } from '#src/core/log.ts';
import type { LoginProcessRegistry } from '#src/devices/login-processes.ts';
import type { LoggedInConnections } from './broker-session.ts';

/** Interval in ms of the search for logins that have connected to another process. */
const LOOK_MS = 1_000;

/**
 * If a login has connected to another process, ends its connections at this process within a second. Polls the database, because NOTIFY
 * would take a server-wide lock at each commit.
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
    /** Time since the last answer of the database, in ms. */
    silentMs: () => performance.now() - answeredAtMs,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Ends the connections of all logins that are now at another process. `watchMovedLogins` misses some of them: logins that move twice within
 * a second, and moves that PostgreSQL lost with the content of its unlogged table.
 */
export async function closeSessionsOfMovedLogins(
  sessions: LoggedInConnections,
  places: LoginProcessRegistry,
): Promise<void> {
  const open = new Set([...sessions.open].flatMap(({ by, claiming }) => (claiming ? [] : [by.username])));
  if (open.size > 0) for (const username of await places.elsewhere([...open])) sessions.moveAway(username);
}
