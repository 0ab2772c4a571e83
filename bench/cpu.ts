import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a function that reads a field of /proc/PID/stat. The returned function takes the number of the field in proc(5). */
function fieldsOf(pid: string): (number: number) => number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (number) => Number(fields[number - 3]);
}

/** Returns the CPU time that a process has used so far, user plus system, in ms. */
export function readProcessCpuMs(pid: number): number {
  const own = fieldsOf(String(pid));
  return (own(14) + own(15)) * 10;
}

/**
 * Returns the CPU time that a PostgreSQL server and all its processes have used so far, including ended processes, user plus system, in ms.
 */
export function readPostgresCpuMs(postgresDir: string): number {
  const postmaster = readFileSync(join(postgresDir, 'postmaster.pid'), 'utf8').split('\n', 1)[0] as string;
  const own = fieldsOf(postmaster);
  let ticks = own(14) + own(15) + own(16) + own(17);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const of = fieldsOf(pid);
      if (of(4) === Number(postmaster)) ticks += of(14) + of(15);
    } catch {
      // The process has ended since the list of processes was read, so it is ignored.
    }
  }
  return ticks * 10;
}
