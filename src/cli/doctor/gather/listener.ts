import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** The process that listens on a TCP port of this machine, as the kernel tells (proc(5)); null where it is not seen. */
export function listenerOn(port: number): { pid: number; title: string } | null {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => socketsOn(port, table)));
  if (sockets.size === 0) return null;
  for (const pid of entries('/proc').filter((name) => /^\d+$/.test(name))) {
    const has = entries(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
    if (has) return { pid: Number(pid), title: titleOf(pid) };
  }
  return null;
}

/** As /proc shows them among the open files of a process. */
const socketsOn = (port: number, table: string): string[] =>
  textOf(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , state]) => state === LISTENING && Number.parseInt(local.split(':').at(-1) ?? '', 16) === port,
    )
    .map((fields) => `socket:[${fields[9]}]`);

const titleOf = (pid: string): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200);

// What is gone meanwhile, or is another user's, is not there.
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
