import { connectAsync } from 'mqtt';

/**
 * Child process: publishes `messages` QoS 1 registers of its devices over one connection per device, and reports when the
 * last is acknowledged. Told `{url, devices: [{deviceId, secret}], messages, startMs}`.
 */
interface Task {
  url: string;
  devices: { deviceId: string; secret: string }[];
  messages: number;
  startMs: number;
}

const MAX_UNDER_WAY = 2_000;

process.once('message', async (task: Task) => {
  const clients = await Promise.all(
    task.devices.map(({ deviceId, secret }) => connectAsync(task.url, { username: deviceId, password: secret })),
  );
  process.send?.({ state: 'connected' });
  await new Promise((resolve) => process.once('message', resolve));
  let underWay = 0;
  let wake: () => void = () => {};
  for (let index = 0; index < task.messages; index++) {
    const which = index % clients.length;
    const turn = Math.floor(index / clients.length);
    const payload = JSON.stringify({
      ts: new Date(task.startMs + turn * 1_000).toISOString(),
      energy_total_kwh: 1_000 + turn / 1_000,
    });
    underWay++;
    clients[which]?.publish(`energy/v1/${task.devices[which]?.deviceId}/readings`, payload, { qos: 1 }, () => {
      underWay--;
      wake();
    });
    while (underWay >= MAX_UNDER_WAY) await new Promise<void>((resolve) => (wake = resolve));
  }
  while (underWay > 0) await new Promise<void>((resolve) => (wake = resolve));
  process.send?.({ state: 'acknowledged' });
  await Promise.all(clients.map((client) => client.endAsync()));
  process.exit(0);
});
