/**
 * What an announced device is waiting for: a filter of topics, below the gateway's prefix, on which its values are expected. `READ_BY_ANOTHER`:
 * another family reads these topics, and lists the device. Null: a value was received.
 */
export type Awaits = string | null;

export const READ_BY_ANOTHER = '';

/** Whether the device is listed without a value. */
export const isAwaiting = (awaits: Awaits): awaits is string => awaits !== null && awaits !== READ_BY_ANOTHER;

/**
 * One filter for a bridge, from the topics of a device: the only topic, or the leading levels that they share and `/#`. A topic that shares no
 * level with those before it is left out. The first may be such a filter already.
 */
export function awaitedFilter([first, ...rest]: readonly [string, ...string[]]): string {
  return rest.reduce(joined, first);
}

/** Whether levels of a topic are the native id of a device. */
export const isNamedIn = (topic: string, nativeId: string): boolean => `/${topic}/`.includes(`/${nativeId}/`);

function joined(filter: string, topic: string): string {
  if (filter === topic) return filter;
  const levels = filter.replace(/\/#$/, '').split('/');
  const others = topic.split('/');
  const differing = levels.findIndex((level, at) => level !== others[at]);
  const shared = levels.slice(0, differing === -1 ? undefined : differing).join('/');
  // A first level may be empty, and `/#` would be all topics that begin with a slash.
  return shared === '' ? filter : `${shared}/#`;
}
