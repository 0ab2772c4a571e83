/** `boiler_data`, `thermostat_data_hc1`, and of one value `boiler_data/nrgconstotal`, `thermostat_data/hc1/currtemp`. */
const TOPIC = /^(.+)\/(boiler|thermostat)_data(?:_(hc[1-8]))?(?:\/(hc[1-8]))?(?:\/([a-z][a-z0-9]*))?$/;
const STATUS = /^((?:.+\/)?ems-esp)\/status$/;

export interface EmsEspTopic {
  base: string;
  of: 'boiler' | 'thermostat' | 'status';
  /** Of a heating circuit; empty: of all of them, or of the boiler. */
  circuit: string;
  /** Of one value; empty: JSON of all of them. */
  name: string;
}

/** Reads a topic of the boiler or the thermostat; null for every other one, what is of hot water among them. */
export function parseTopic(topic: string): EmsEspTopic | null {
  const status = STATUS.exec(topic)?.[1];
  if (status !== undefined) return { base: status, of: 'status', circuit: '', name: '' };
  const [, base, of, circuit, nested, name = ''] = TOPIC.exec(topic) ?? [];
  if (base === undefined) return null;
  return { base, of: of as 'boiler' | 'thermostat', circuit: circuit ?? nested ?? '', name };
}
