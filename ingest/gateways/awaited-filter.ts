/** MQTT topic filter for the first value of an announced device. Null if the device has already sent a value. */
export type FirstValueTopicFilter = string | null;

export const READ_BY_OTHER_FAMILY_MARKER = '';

/** Whether a listed device is announced but has not sent a value yet. */
export const isAwaitingFirstValue = (awaits: FirstValueTopicFilter): awaits is string =>
  awaits !== null && awaits !== READ_BY_OTHER_FAMILY_MARKER;

/**
 * Returns one topic filter for all topics of a device: the topic itself if there is only one, otherwise the levels that the topics have in
 * common, followed by `/#`. A topic without a common level is left out.
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
  // If the common part is empty, the filter would be `/#`, which matches every topic that begins with a slash.
  return shared === '' ? filter : `${shared}/#`;
}
