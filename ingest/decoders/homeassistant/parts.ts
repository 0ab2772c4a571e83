import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import { getConfigField, getConfigText } from './abbreviations.ts';
import type { ConfigTopic } from './topic.ts';

/** One announced entity, with the members that it inherits from its device. */
export interface EntityConfig {
  device: string;
  component: string;
  /** Name of the entity within the device. */
  object: string;
  config: Json;
}

/**
 * Members that an entity inherits from its device if the entity does not set them itself. Each row contains the long name of a member and
 * all of its spellings.
 */
const SHARED: readonly (readonly [string, readonly string[]])[] = [
  ['~', ['~']],
  ['state_topic', ['state_topic', 'stat_t']],
  ['availability', ['availability', 'avty']],
  ['availability_topic', ['availability_topic', 'avty_t']],
  ['availability_mode', ['availability_mode', 'avty_mode']],
  ['availability_template', ['availability_template', 'avty_tpl']],
  ['payload_available', ['payload_available', 'pl_avail']],
  ['payload_not_available', ['payload_not_available', 'pl_not_avail']],
];
const MAX_PARTS = 1_000;

/**
 * Returns the entities of an announcement: one if the topic announces an entity; all entities of the device if the topic announces a
 * device.
 */
export function getEntityConfigs(topic: ConfigTopic, config: Json): EntityConfig[] {
  const device = deviceOf(config, topic);
  if (topic.component !== 'device') return [{ device, component: topic.component, object: topic.object, config }];
  return Object.entries(asObjectOrNull(getConfigField(config, 'components')) ?? {})
    .slice(0, MAX_PARTS)
    .flatMap(([object, given]) => {
      const own = asObjectOrNull(given);
      const component = getConfigText(own, 'platform');
      if (!own || !component) return [];
      const inherited = SHARED.flatMap(([name, spellings]) =>
        spellings.some((one) => getMember(own, one) !== undefined) ? [] : [[name, getConfigField(config, name)]],
      );
      const whole = { ...own, ...Object.fromEntries(inherited), device: getConfigField(config, 'device') };
      return [{ device, component, object, config: whole }];
    });
}

/**
 * Returns the device's id: the first identifier, or else the address, or else the id in the topic. If the identifier ends with the serial
 * number, or with the id in the topic of a whole device, only this ending is used: rtlamr2mqtt announces meter 33333333 as `meter_33333333`
 * but publishes its messages under `33333333`.
 */
function deviceOf(config: Json, { component, node, object }: ConfigTopic): string {
  const device = asObjectOrNull(getConfigField(config, 'device'));
  const identifiers = getConfigField(device, 'identifiers');
  const connections = getConfigField(device, 'connections');
  const serial = getConfigText(device, 'serial_number');
  const pair: unknown = Array.isArray(connections) ? connections[0] : undefined;
  const address: unknown = Array.isArray(pair) ? pair[1] : undefined;
  for (const id of [Array.isArray(identifiers) ? identifiers[0] : identifiers, address]) {
    const ending = [serial, component === 'device' ? object : null].find(
      (one) => one !== null && typeof id === 'string' && id.endsWith(`_${one}`),
    );
    if (ending) return ending;
    if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
  }
  return node ?? object;
}
