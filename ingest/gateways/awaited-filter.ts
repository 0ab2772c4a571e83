/**
 * Topic filter, below the gateway's prefix, on which an announced device's first value is expected. `READ_BY_ANOTHER_FAMILY_FILTER`:
 * another decoder family reads these topics and lists the device. Null: the device has sent a value.
 */
export type FirstValueTopicFilter = string | null;

export const READ_BY_ANOTHER_FAMILY_FILTER = '';

/** Whether an announced device is listed but has not sent a value yet. */
export const isAwaitingFirstValue = (awaits: FirstValueTopicFilter): awaits is string =>
  awaits !== null && awaits !== READ_BY_ANOTHER_FAMILY_FILTER;

/**
 * Combines a device's topics into one filter for a bridge: the only topic, or the common leading levels followed by
 * `/#`. Topics without a common leading level are left out. The first element may already be such a filter.
 */
export function combineTopicsToFilter([first, ...rest]: readonly [string, ...string[]]): string {
  return rest.reduce(joined, first);
}

/** Whether consecutive levels of a topic equal the device's native id. */
export const isDeviceIdInTopic = (topic: string, nativeId: string): boolean => `/${topic}/`.includes(`/${nativeId}/`);

function joined(filter: string, topic: string): string {
  if (filter === topic) return filter;
  const levels = filter.replace(/\/#$/, '').split('/');
  const others = topic.split('/');
  const differing = levels.findIndex((level, at) => level !== others[at]);
  const shared = levels.slice(0, differing === -1 ? undefined : differing).join('/');
  // If the first level of the topics is empty, the shared part is empty, too. The filter `/#` would then match all topics that begin with a
  // slash.
  return shared === '' ? filter : `${shared}/#`;
}
