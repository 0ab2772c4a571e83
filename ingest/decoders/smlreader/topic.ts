/** `…/sensor/1/obis/1-0:1.8.0/255/value`; `*255` before 2.1.5, nothing before 2.1.1. */
const TOPIC =
  /^(.+\/sensor\/[^/]+)\/obis\/(\d{1,3})-(\d{1,3}):(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:[/*](\d{1,3}))?\/value$/;

export interface SmlReaderTopic {
  /** What stands before `obis`: the base topic and the reading head. */
  device: string;
  /** `1-0:1.8.0`. */
  code: string;
  /** The last number: 255 is what is now, and is left out by old versions. */
  period: number;
}

/** Reads a value's topic; null for every other one. */
export function parseTopic(topic: string): SmlReaderTopic | null {
  const [, device, a, b, c, d, e, f = '255'] = TOPIC.exec(topic) ?? [];
  return device === undefined ? null : { device, code: `${a}-${b}:${c}.${d}.${e}`, period: Number(f) };
}
