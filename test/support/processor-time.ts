/**
 * Returns the CPU time of `work` in this process, in ms. Other processes do not add to it, so a bound on it is reliable
 * on a busy machine.
 */
export function measureProcessorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
