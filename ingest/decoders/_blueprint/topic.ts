/** Reads `example/{device}/energy`; null for every other topic. */
export function parseTopic(topic: string): { device: string } | null {
  const [root, device, leaf, more] = topic.split('/');
  return root === 'example' && device && leaf === 'energy' && more === undefined ? { device } : null;
}
