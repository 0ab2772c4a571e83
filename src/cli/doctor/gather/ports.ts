import type { Config } from '#src/config/load.ts';
import { canListen } from '#src/start/ports.ts';
import type { PortFacts } from '../facts.ts';
import { listenerOn } from './listener.ts';

/** Each port that the service listens on: whether it is free, and else who has it. */
export async function gatherPorts({ api, mqtt, operator }: Config): Promise<PortFacts[]> {
  const wanted = [
    { variable: 'API_PORT', port: api.port, host: api.host },
    { variable: 'HTTP_PORT', port: api.httpPort, host: api.host },
    ...(mqtt.url === undefined
      ? [
          { variable: 'MQTT_PORT', port: mqtt.port, host: mqtt.host },
          { variable: 'MQTTS_PORT', port: mqtt.tlsPort, host: mqtt.tlsHost },
        ]
      : []),
    ...(operator.port === null ? [] : [{ variable: 'OPERATOR_PORT', port: operator.port, host: operator.host }]),
  ];
  // One that is chosen anew at each start is free by intent.
  return Promise.all(wanted.filter(({ port }) => port !== 0).map(stateOf));
}

async function stateOf(wanted: { variable: string; port: number; host: string }): Promise<PortFacts> {
  try {
    if (await canListen(wanted.host, wanted.port)) return { ...wanted, state: 'free', holder: null };
  } catch (error) {
    return { ...wanted, state: 'unusable', holder: null, why: (error as Error).message };
  }
  return { ...wanted, state: 'taken', holder: listenerOn(wanted.port) };
}
