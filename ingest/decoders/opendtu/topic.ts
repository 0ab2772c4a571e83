/** What OpenDTU publishes on, below its base topic. */
export type OpenDtuTopic =
  /** A quantity of an inverter: of its grid side (input 0), or of one of its panels' inputs. */
  | { what: 'quantity'; device: string; input: number; field: string }
  | { what: 'reachable'; device: string }
  /** Of an inverter or of all of them, and nothing that is read. */
  | { what: 'nothing' };

/** An inverter's serial number, as firmware prints it: `116180212345`. */
const SERIAL = /^[0-9a-f]{12}$/;
const STATUS = new Set(['reachable', 'producing', 'last_update', 'limit_relative', 'limit_absolute']);
/** Sums over all inverters: below any base topic by words of their own, `power` below the default one. */
const SUMS = /(?:^|\/)(?:ac\/(?:yieldtotal|yieldday|is_valid)|dc\/(?:irradiation|is_valid))$|^solar\/[ad]c\/power$/;

/** The words of sums again, all that OpenDTU announces to Home Assistant: which base topic is its own is not known here. */
const ANNOUNCED_SUMS = /(?:^|\/)(?:ac\/(?:power|yieldtotal|yieldday)|dc\/power)$/;

/** Whether what is announced to Home Assistant is a sum over an OpenDTU's inverters, which are read one by one. `maker`: as it is announced. */
export const isAnnouncedSum = (maker: string | null, topic: string | null): boolean =>
  maker === 'OpenDTU' && topic !== null && ANNOUNCED_SUMS.test(topic);

/**
 * Reads `solar/{serial}/0/yieldtotal` and its neighbours. Owners choose the base topic, so the end of the topic tells: a serial
 * number and what follows it. Null for every other topic.
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
