/**
 * Topic filter (below the prefix of the gateway) for the first value of a device that is announced. `READ_BY_ANOTHER_FAMILY_FILTER`:
 * another decoder family reads the topics of the device and lists it. Null: the device has sent a value.
 */
export type FirstValueTopicFilter = string | null;

export const READ_BY_ANOTHER_FAMILY_FILTER = '';

/** Whether a listed device is announced but has not sent a value yet. */
export const isAwaitingFirstValue = (awaits: FirstValueTopicFilter): awaits is string =>
  awaits !== null && awaits !== READ_BY_ANOTHER_FAMILY_FILTER;

/**
 * Combines the topics of a device into one topic filter for a bridge. The result is the only topic, or the first levels that all topics
 * have in common, followed by `/#`. A topic that has no level in common with the first is left out. The first element may already be such a
 * filter.
 */
export function combineTopicsToFilter([first, ...rest]: readonly [string, ...string[]]): string {
  return rest.reduce(joined, first);
}

/** Whether the native id of a device is part of a topic, as one or more whole levels. */
export const isDeviceIdInTopic = (topic: string, nativeId: string): boolean => `/${topic}/`.includes(`/${nativeId}/`);

function joined(filter: string, topic: string): string {
  if (filter === topic) return filter;
  const levels = filter.replace(/\/#$/, '').split('/');
  const others = topic.split('/');
  const differing = levels.findIndex((level, at) => level !== others[at]);
  const shared = levels.slice(0, differing === -1 ? undefined : differing).join('/');
  // If the first level of the topics is empty, the common part is also empty. The filter would then be `/#`, which matches every topic that
  // begins with a slash.
  return shared === '' ? filter : `${shared}/#`;
}
