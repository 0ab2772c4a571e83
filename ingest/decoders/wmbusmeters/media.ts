/** Before the channel, by what a meter is of; a medium that is not here says nothing of energy, or nothing that is certain. */
const PREFIXES: Record<string, string> = {
  electricity: '',
  gas: 'gas/',
  heat: 'heat/',
  'heat volume at inlet': 'heat/',
  'heat volume at outlet': 'heat/',
  'heat/cooling load': 'heat/',
  // Cold is counted as heat is, and must not be taken for it.
  'cooling load volume at inlet': 'heat/cooling/',
  'cooling load volume at outlet': 'heat/cooling/',
  water: 'water/',
  'cold water': 'water/',
  'warm water': 'water/',
  'hot water': 'water/',
  'hot/cold water': 'water/',
};

/** What stands before the channels of a medium; null where it is not known. */
export function prefixOf(media: unknown): string | null {
  const word = typeof media === 'string' ? media.trim().toLowerCase() : '';
  return Object.hasOwn(PREFIXES, word) ? (PREFIXES[word] as string) : null;
}
