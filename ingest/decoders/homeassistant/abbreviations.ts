import { getMember, type Json } from '../read/payload.ts';

/** Home Assistant's abbreviations for the members of a discovery configuration that the decoder reads. */
const SHORT = new Map([
  ['action_template', 'act_tpl'],
  ['action_topic', 'act_t'],
  ['availability', 'avty'],
  ['availability_mode', 'avty_mode'],
  ['availability_template', 'avty_tpl'],
  ['availability_topic', 'avty_t'],
  ['components', 'cmps'],
  ['connections', 'cns'],
  ['current_temperature_template', 'curr_temp_tpl'],
  ['current_temperature_topic', 'curr_temp_t'],
  ['device', 'dev'],
  ['device_class', 'dev_cla'],
  ['entity_category', 'ent_cat'],
  ['identifiers', 'ids'],
  ['manufacturer', 'mf'],
  ['model', 'mdl'],
  ['object_id', 'obj_id'],
  ['origin', 'o'],
  ['payload_available', 'pl_avail'],
  ['payload_not_available', 'pl_not_avail'],
  ['platform', 'p'],
  ['serial_number', 'sn'],
  ['state_class', 'stat_cla'],
  ['state_topic', 'stat_t'],
  ['temperature_low_state_template', 'temp_lo_stat_tpl'],
  ['temperature_low_state_topic', 'temp_lo_stat_t'],
  ['temperature_state_template', 'temp_stat_tpl'],
  ['temperature_state_topic', 'temp_stat_t'],
  ['temperature_unit', 'temp_unit'],
  ['topic', 't'],
  ['unique_id', 'uniq_id'],
  ['unit_of_measurement', 'unit_of_meas'],
  ['value_template', 'val_tpl'],
]);

/** Returns a member of a discovery configuration by its long name. The configuration may use the long name or the abbreviation. */
export function getConfigField(config: Json | null, name: string): unknown {
  const long = getMember(config, name);
  const short = SHORT.get(name);
  return long === undefined && short !== undefined ? getMember(config, short) : long;
}

/** Returns a member of a discovery configuration as text, if it is a number or a text that is not empty; otherwise null. */
export function getConfigText(config: Json | null, name: string): string | null {
  const value = getConfigField(config, name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= 1_000 ? value : null;
}

/**
 * Returns a topic of a discovery configuration; null if the configuration has no such topic. A `~` at the beginning or end of the topic is
 * replaced by `base`.
 */
export function getConfigTopic(config: Json | null, name: string, base: string | null): string | null {
  const topic = getConfigText(config, name);
  if (topic === null || base === null) return topic;
  const begun = topic.startsWith('~') ? base + topic.slice(1) : topic;
  return begun.endsWith('~') ? begun.slice(0, -1) + base : begun;
}
