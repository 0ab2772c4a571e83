import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Start time of a process in clock ticks (field 22 of /proc/pid/stat); tells a process from a later one of its number. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isHeld(file: string): number | null {
  const [pid = '', started = ''] = readFileSync(file, 'utf8').trim().split(' ');
  const now = startOf(Number(pid));
  return now !== null && now === started ? Number(pid) : null;
}

/**
 * Takes the data directory for this process. Throws where another living service holds it; what a killed one left
 * behind is taken over. Returns how to give it back.
 */
export async function lockDataDir(dataDir: string): Promise<() => void> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'service.lock');
  const mine = `${process.pid} ${startOf(process.pid) ?? ''}\n`;
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, mine, { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = isHeld(file);
    if (holder !== null) {
      throw new Error(
        `Another service (process ${holder}) already runs on ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
      );
    }
    rmSync(file, { force: true });
  }
  throw new Error(`Could not take ${file}. Remove it if no service runs on ${dataDir}.`);
}
