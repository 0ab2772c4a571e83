/** Parsed topic: a value below a charger's base topic, or the topic on which a charger announces its base. */
type OpenevseTopic =
  | { about: 'announcement' }
  /** `name`: the single word after the base. */
  | { about: 'value'; base: string; name: string };

const ANNOUNCEMENT = /(?:^|\/)openevse\/announce\/[^/]+$/;
/**
 * Matches the usual base topics: `openevse-55ad` (the name of the host, the default), `openevse`, `emon/openevse-55ad`, `emonevse_drive`.
 */
const USUAL_BASE = /(?:^|\/)(?:open|emon)evse(?:[-_][^/]*)?$/i;

/**
 * Names below the base topic that the firmware publishes, including names for energy. Excludes common words (`online`, `events`) that other
 * devices use, too.
 */
const NAMES = new Set([
  ...['total_energy', 'watthour', 'wh', 'power', 'session_energy', 'wattsec', 'session_elapsed', 'elapsed'],
  ...['total_day', 'total_week', 'total_month', 'total_year', 'total_switches', 'amp', 'voltage', 'frequency', 'pilot'],
  ...['max_current', 'temp', 'temp_max', 'temp1', 'temp2', 'temp3', 'temp4', 'state', 'status', 'flags', 'vehicle'],
  ...['colour', 'manual_override', 'evse_connected', 'divertmode', 'rfid_auth', 'freeram', 'srssi', 'config', 'claim'],
  ...['override', 'schedule', 'limit', 'config_version', 'battery_level', 'battery_range', 'time_to_full_charge'],
]);

/** Parses a topic by its levels; returns null if an OpenEVSE charger does not publish such topics. */
export function parseOpenevseTopic(topic: string): OpenevseTopic | null {
  if (ANNOUNCEMENT.test(topic)) return { about: 'announcement' };
  const cut = topic.lastIndexOf('/');
  const name = topic.slice(cut + 1);
  return cut > 0 && NAMES.has(name) ? { about: 'value', base: topic.slice(0, cut), name } : null;
}

/** Whether the name of a base topic alone identifies a charger. */
export const isDefaultOpenevseBaseTopic = (base: string): boolean => USUAL_BASE.test(base);
