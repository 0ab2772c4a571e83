import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { move, Piscina, transferableSymbol, valueSymbol } from 'piscina';

const IDLE_MS = 30_000;

/**
 * Creates a pool of worker threads. `file`: the module whose default export runs a task. If a thread crashes, only its task fails. Aborting
 * a task ends its thread.
 */
export function createThreadPool<Task, Answer>(
  file: URL,
  { least, most, mayWait }: { least: number; most: number; mayWait: number },
) {
  // A thread does not inherit the compile cache, without which it starts slowly.
  const cache = getCompileCacheDir();
  const pool = new Piscina<Task, Answer>({
    env: { ...process.env, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
    filename: file.href,
    minThreads: least,
    maxThreads: most,
    idleTimeout: IDLE_MS,
    maxQueue: mayWait,
  });
  return {
    /** Runs a task as soon as a thread is free. `moved`: memory that is moved to the thread instead of copied. */
    run: (
      task: Task,
      { moved = [], signal }: { moved?: readonly ArrayBufferLike[]; signal?: AbortSignal } = {},
    ): Promise<Answer> => pool.run(task, { transferList: moved as ArrayBuffer[], ...(signal && { signal }) }),
    /** Returns the number of tasks that wait for a thread. */
    waiting: (): number => pool.queueSize,
    close: (): Promise<void> => pool.close({ force: true }),
  };
}

/** Marks the memory of a task's result to be moved to the caller's thread instead of copied. */
export const markResultForTransfer = (value: object, arrays: readonly { buffer: ArrayBufferLike }[]): unknown =>
  move({ [transferableSymbol]: arrays.map(({ buffer }) => buffer), [valueSymbol]: value } as never);
