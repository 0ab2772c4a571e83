import { connectAsync, type MqttClient } from 'mqtt';
import { createMeterReading } from '#simulators/devices/native-meter.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';

/**
 * Child process in which each device connects and repeatedly sends the register value of a simulated home's meter, until the process is
 * ended.
 */
interface Task {
  url: string;
  devices: { deviceId: string; secret: string }[];
  everyMs: number;
}

/** Number of devices that connect at the same time. */
const AT_ONCE = 100;
/** Number of simulated homes. Several meters send the values of the same home. */
const HOMES = 50;

process.once('message', async ({ url, devices, everyMs }: Task) => {
  const homes = Array.from({ length: HOMES }, (_, seed) =>
    createSimulatedHome(drawHomeTraits(String(seed)), Date.now() - 86_400_000),
  );
  const clients: MqttClient[] = [];
  const report = async (index: number) => {
    const home = homes[index % HOMES] as (typeof homes)[number];
    const reading = JSON.stringify(createMeterReading(home, Date.now(), true));
    await clients[index]?.publishAsync(`energy/v1/${devices[index]?.deviceId}/readings`, reading, { qos: 1 });
  };
  let next = 0;
  const connectSome = async () => {
    for (let index = next++; index < devices.length; index = next++) {
      const { deviceId, secret } = devices[index] as Task['devices'][number];
      clients[index] = await connectAsync(url, {
        username: deviceId,
        password: secret,
        clientId: deviceId,
        keepalive: 300,
      });
      await report(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectSome));
  process.send?.('connected');
  for (;;) {
    const fromMs = Date.now();
    for (let from = 0; from < clients.length; from += AT_ONCE) {
      const some = clients.slice(from, from + AT_ONCE);
      await Promise.all(some.map((_client, index) => report(from + index)));
    }
    await new Promise((done) => setTimeout(done, Math.max(0, fromMs + everyMs - Date.now())));
  }
});
