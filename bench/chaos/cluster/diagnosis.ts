import type { Home } from './homes.ts';
import type { Cluster } from './installation.ts';

/** Who waits for what where readings do not go on: homes, and queues of each broker that answers. */
export async function diagnosis({ rabbit }: Cluster, homes: readonly Home[]): Promise<string> {
  const late = homes.filter(({ readings, stored }) => (readings.at(-20)?.readAtMs ?? 0) > stored.upToMs);
  const lines = late.map(({ deviceId, readings, publisher, stored }) => {
    const written = readings.filter(({ readAtMs }) => readAtMs <= stored.upToMs).length;
    return `  ${deviceId}: ${readings.length} published, ${publisher.acknowledged.size} acknowledged, ${written} stored`;
  });
  const columns = ['name', 'messages_ready', 'messages_unacknowledged', 'consumers', 'leader', 'online'];
  const asked = rabbit.nodes.map(async (node) => {
    const said = await node.ctl('-q', '-t', '15', 'list_queues', ...columns).catch((error: Error) => error.message);
    const waiting = said.split('\n').filter((line) => !/\t0\t0\t/.test(line));
    return [`  ${node.name} says:`, ...waiting.slice(0, 20).map((line) => `    ${line}`)];
  });
  return ['late:', ...lines, ...(await Promise.all(asked)).flat()].join('\n');
}
