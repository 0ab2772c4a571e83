/** Parsed topic below the base topic of OpenDTU. */
export type OpenDtuTopic =
  /** A quantity of an inverter: of its grid side (input 0), or of one of its panel inputs. */
  | { what: 'quantity'; device: string; input: number; field: string }
  | { what: 'reachable'; device: string }
  /** A topic of one inverter or of all inverters that is not read. */
  | { what: 'nothing' };

/** Serial number of an inverter, as its label shows it: `116180212345`. */
const SERIAL = /^[0-9a-f]{12}$/;
const STATUS = new Set(['reachable', 'producing', 'last_update', 'limit_relative', 'limit_absolute']);
/** Topics of the sums over all inverters: unambiguous words below any base topic, `power` only below the default one. */
const SUMS = /(?:^|\/)(?:ac\/(?:yieldtotal|yieldday|is_valid)|dc\/(?:irradiation|is_valid))$|^solar\/[ad]c\/power$/;

/** Topics of the sums that OpenDTU announces to Home Assistant. The base topic is unknown here, so any base is accepted. */
const ANNOUNCED_SUMS = /(?:^|\/)(?:ac\/(?:power|yieldtotal|yieldday)|dc\/power)$/;

/**
 * Whether an announced topic is the sum over an OpenDTU's inverters, which are read individually. `maker`: the manufacturer in the
 * announcement.
 */
export const isOpenDtuSum = (maker: string | null, topic: string | null): boolean =>
  maker === 'OpenDTU' && topic !== null && ANNOUNCED_SUMS.test(topic);

/**
 * Parses `solar/{serial}/0/yieldtotal` and similar topics. Owners choose the base topic, so the end of the topic identifies it: a serial
 * number and the words after it. Returns null for every other topic.
 */
export function parseOpenDtuTopic(topic: string): OpenDtuTopic | null {
  if (SUMS.test(topic)) return { what: 'nothing' };
  const [device = '', part = '', leaf = ''] = topic.split('/').slice(-3);
  if (SERIAL.test(part) && leaf === 'name') return { what: 'nothing' };
  if (!SERIAL.test(device)) return null;
  if (/^[0-6]$/.test(part)) return { what: 'quantity', device, input: Number(part), field: leaf };
  if (part === 'status' && STATUS.has(leaf)) return leaf === 'reachable' ? { what: leaf, device } : { what: 'nothing' };
  return part === 'device' || part === 'radio' || part === 'cmd' ? { what: 'nothing' } : null;
}
