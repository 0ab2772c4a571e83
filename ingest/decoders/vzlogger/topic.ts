/** A topic of one channel of vzlogger. */
export interface VzloggerTopic {
  /** What stands before the channel's word: all channels of a prefix are taken for one meter. */
  device: string;
  /** `chn0`, or the owner's word. */
  channel: string;
  leaf: 'raw' | 'agg' | 'id' | 'uuid';
}

const TOPIC = /^(.+)\/([^/]+)\/(raw|agg|id|uuid)$/;
/** What vzlogger calls a channel whose owner has not named it. */
const USUAL = /^chn\d{1,4}$/;

/** Reads a topic by its shape: `vzlogger/data/chn0/raw`, `vzlogger/haus/bezug/id`; null for every other one. */
export function parseVzloggerTopic(topic: string): VzloggerTopic | null {
  const [, device, channel, leaf] = TOPIC.exec(topic) ?? [];
  if (device === undefined || channel === undefined) return null;
  return { device, channel, leaf: leaf as VzloggerTopic['leaf'] };
}

/** Whether a channel's word is vzlogger's own; another one is a channel once its identifier was announced. */
export const isUsualChannel = (channel: string): boolean => USUAL.test(channel);
