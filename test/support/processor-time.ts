/** Returns the CPU time in ms that `work` needs in this process, which does not depend on other processes. */
export function measureProcessorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
