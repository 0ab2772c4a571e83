import { type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * A plug behind Z-Wave JS UI with named topics and the payload type *time-value* (Unix ms of receipt), retained. `value/65537` is the
 * home's energy register in kWh with three decimals, `value/66049` its power in W.
 *
 * @param options.node Location and name, such as `Kitchen/Plug`.
 */
export function zwavejsPlug({ node }: { node: string }): FamilyDevice {
  const topic = (value: string) => `zwave/${node}/meter/endpoint_0/value/${value}`;
  return {
    family: 'zwavejs',
    nativeId: `zwave/${node}`,
    greeting: (atMs) => [
      {
        topic: 'zwave/_CLIENTS/ZWAVE_GATEWAY-home/status',
        payload: JSON.stringify({ value: true, time: atMs }),
        retain: true,
      },
      {
        topic: `zwave/${node}/status`,
        payload: JSON.stringify({ time: atMs, value: true, status: 'Alive', nodeId: 5 }),
        retain: true,
      },
    ],
    messages(home, atMs) {
      const values = {
        66049: home.at(atMs).powerW,
        65537: Number(formatRegister(getRegisterAt(home, atMs), 'kWh', 3)),
        66561: 230.1,
      };
      return Object.entries(values).map(([key, value]) => ({
        topic: topic(key),
        payload: JSON.stringify({ time: atMs, value }),
        retain: true,
      }));
    },
  };
}
