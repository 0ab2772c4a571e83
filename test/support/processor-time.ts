/**
 * Returns the CPU time in ms that `work` needs in this process. It does not include other processes, so a test can limit it even on a busy
 * machine.
 */
export function measureProcessorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
