import { connectAsync } from 'mqtt';

/**
 * Child process that publishes `messages` register readings of its devices in turn with QoS 1, over one connection per device or over
 * `connections` connections. Reports to its parent when the last message is acknowledged.
 */
interface Task {
  /** URL of the broker, or URLs of several brokers over which the connections are spread. */
  url: string | readonly string[];
  devices: { deviceId: string; secret: string }[];
  messages: number;
  startMs: number;
  /** Time in ms between two messages of a device by the device's clock. Default: one second. */
  stepMs?: number;
  connections?: number;
  startKwh?: number;
  /** Maximum number of messages that await their acknowledgement, over all connections. Default: 2,000. */
  maxUnderWay?: number;
}

process.once('message', async (task: Task) => {
  const { maxUnderWay = 2_000 } = task;
  const urls = [task.url].flat();
  const clients = await Promise.all(
    task.devices.slice(0, task.connections).map(({ deviceId, secret }, index) =>
      // RabbitMQ requires a client id that begins with the user name.
      connectAsync(urls[index % urls.length] as string, { username: deviceId, password: secret, clientId: deviceId }),
    ),
  );
  process.send?.({ state: 'connected' });
  await new Promise((resolve) => process.once('message', resolve));
  let underWay = 0;
  let wake: () => void = () => {};
  for (let index = 0; index < task.messages; index++) {
    const which = index % task.devices.length;
    const turn = Math.floor(index / task.devices.length);
    const payload = JSON.stringify({
      ts: new Date(task.startMs + turn * (task.stepMs ?? 1_000)).toISOString(),
      energy_total_kwh: (task.startKwh ?? 1_000) + turn / 1_000,
    });
    underWay++;
    clients[which % clients.length]?.publish(
      `energy/v1/${task.devices[which]?.deviceId}/readings`,
      payload,
      { qos: 1 },
      () => {
        underWay--;
        wake();
      },
    );
    while (underWay >= maxUnderWay) await new Promise<void>((resolve) => (wake = resolve));
  }
  while (underWay > 0) await new Promise<void>((resolve) => (wake = resolve));
  // Exits without waiting for the connections to end: the parent may already have stopped the brokers.
  process.send?.({ state: 'acknowledged' }, () => process.exit(0));
});
