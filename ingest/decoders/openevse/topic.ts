/** A topic below a charger's base topic, or the one on which a charger announces its base. */
export type OpenevseTopic =
  | { about: 'announcement' }
  /** `name`: what comes after the base; one word. */
  | { about: 'value'; base: string; name: string };

const ANNOUNCEMENT = /(?:^|\/)openevse\/announce\/[^/]+$/;
/** `openevse-55ad` (the host's name, the default), `openevse`, `emon/openevse-55ad`, `emonevse_drive`. */
const USUAL_BASE = /(?:^|\/)(?:open|emon)evse(?:[-_][^/]*)?$/i;

/** What the firmware tells below its base, and what of it is energy. Other words are somebody else's (`online`, `events`). */
const NAMES = new Set([
  ...['total_energy', 'watthour', 'wh', 'power', 'session_energy', 'wattsec', 'session_elapsed', 'elapsed'],
  ...['total_day', 'total_week', 'total_month', 'total_year', 'total_switches', 'amp', 'voltage', 'frequency', 'pilot'],
  ...['max_current', 'temp', 'temp_max', 'temp1', 'temp2', 'temp3', 'temp4', 'state', 'status', 'flags', 'vehicle'],
  ...['colour', 'manual_override', 'evse_connected', 'divertmode', 'rfid_auth', 'freeram', 'srssi', 'config', 'claim'],
  ...['override', 'schedule', 'limit', 'config_version', 'battery_level', 'battery_range', 'time_to_full_charge'],
]);

/** Reads a topic by its shape alone; null where it can be no charger's. */
export function parseOpenevseTopic(topic: string): OpenevseTopic | null {
  if (ANNOUNCEMENT.test(topic)) return { about: 'announcement' };
  const cut = topic.lastIndexOf('/');
  const name = topic.slice(cut + 1);
  return cut > 0 && NAMES.has(name) ? { about: 'value', base: topic.slice(0, cut), name } : null;
}

/** Whether a base is a charger's by its name alone. */
export const isUsualBase = (base: string): boolean => USUAL_BASE.test(base);
