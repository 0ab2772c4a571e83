/** What ESPurna publishes below a device's root. */
export interface EspurnaTopic {
  root: string;
  /** `energy`, `power`; `data`: many of them in one object; `app`: the firmware's name; `status`: its will. */
  leaf: string;
  /** Of a device with several: `energy/0`. */
  index: string;
}

const TOPIC = /^(.{1,100})\/(?:(energy|power)(?:\/(\d{1,2}))?|(data|app|status))$/;

/** Reads `{root}/energy`, `{root}/power/0`, `{root}/data` …; these words are anybody's, so the root must be known. Null for every other topic. */
export function parseEspurnaTopic(topic: string): EspurnaTopic | null {
  const [, root, quantity, index = '', other] = TOPIC.exec(topic) ?? [];
  return root === undefined ? null : { root, leaf: quantity ?? other ?? '', index };
}
