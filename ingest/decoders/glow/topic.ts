/** `glow/{mac}/SENSOR/electricitymeter` or `…/gasmeter`; the first word may be another. */
const TOPIC = /^[^/]+\/([0-9A-Fa-f]{12})\/SENSOR\/(electricitymeter|gasmeter)$/;

export interface GlowTopic {
  /** The display's MAC. */
  mac: string;
  meter: 'electricitymeter' | 'gasmeter';
}

/** Reads the topic of a Glow display's sensor; null for every other one. */
export function parseGlowTopic(topic: string): GlowTopic | null {
  const [, mac, meter] = TOPIC.exec(topic) ?? [];
  return mac && meter ? { mac, meter: meter as GlowTopic['meter'] } : null;
}
