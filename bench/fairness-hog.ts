import { connectAsync } from 'mqtt';
import { type Habit, HOGS, type Hog } from './fairness-hogs.ts';

/** Child process: publishes as a hog does while it is told to ('go', 'stop'); says 'stopped' once all of it is acknowledged. */
interface Task {
  url: string;
  device: { deviceId: string; secret: string };
  hog: Hog;
}

process.once('message', async ({ url, device: { deviceId, secret }, hog }: Task) => {
  const client = await connectAsync(url, { username: deviceId, password: secret });
  const { payload, perSecond, underWay: most }: Habit = HOGS[hog];
  let isHogging = false;
  let [sent, underWay, acknowledged] = [0, 0, 0];
  let wake: () => void = () => {};
  const publish = () => {
    underWay++;
    client.publish(`energy/v1/${deviceId}/readings`, payload(sent++), { qos: 1 }, () => {
      underWay--;
      acknowledged++;
      wake();
    });
  };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  process.on('message', async (told) => {
    isHogging = told === 'go';
    if (isHogging) acknowledged = 0;
    while (isHogging) {
      if (underWay >= most) await new Promise<void>((resolve) => (wake = resolve));
      else {
        publish();
        if (perSecond) await pause(1_000 / perSecond);
      }
    }
    if (told === 'stop') {
      const inTime = acknowledged;
      while (underWay > 0) await new Promise<void>((resolve) => (wake = resolve));
      process.send?.({ acknowledged: inTime });
    }
  });
  process.send?.('connected');
});
