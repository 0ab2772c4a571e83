/** The top topic can be changed; an id of the default form still tells whose it is. */
const TOPIC = /^(?:OTGW\/(value|set)\/([^/]+)|.+\/(value|set)\/(otgw-[0-9A-Fa-f]{12}))(?:\/(.+))?$/;

export interface OtgwTopic {
  device: string;
  /** What is below the device; null: its root, where it is online or offline. */
  label: string | null;
  /** A wish of the owner's, not a value. */
  command: boolean;
}

/** Reads `OTGW/value/{id}/{label}` and `OTGW/set/{id}/…`; null for every other topic. */
export function parseOtgwTopic(topic: string): OtgwTopic | null {
  const [, side, id, otherSide, otherId, label = null] = TOPIC.exec(topic) ?? [];
  const device = id ?? otherId;
  return device === undefined ? null : { device, label, command: (side ?? otherSide) === 'set' };
}
