/** A bridge may put something before `openWB`. */
const TOPIC = /^((?:.+\/)?openWB)\/(.+)$/;
/** 2.x: `counter/0/get/imported`. Without an id it is the sum of all. */
const TWO = /^(counter|pv|bat|chargepoint)\/(\d{1,6})\/get\/([a-z_]+)$/;
/** 1.9: `evu/WhImported`, `lp/1/kWhCounter`. */
const ONE = /^(evu|pv|housebattery|lp\/[1-8]|Verbraucher\/[1-9])\/([A-Za-z0-9]+)$/;

/** What a part of an installation is. */
type Part = 'counter' | 'pv' | 'bat' | 'chargepoint' | 'consumer';
const PARTS_OF_ONE: Readonly<Record<string, Part>> = {
  evu: 'counter',
  pv: 'pv',
  housebattery: 'bat',
  lp: 'chargepoint',
  Verbraucher: 'consumer',
};

export interface OpenWbTopic {
  /** `openWB/counter/0`, `openWB/lp/1`. */
  device: string;
  version: 1 | 2;
  part: Part;
  field: string;
}

/** Reads a topic of a part; `other` for all else beneath `openWB/`, wishes (`set/…`) and sums among it; null: somebody else's. */
export function parseTopic(topic: string): OpenWbTopic | 'other' | null {
  const [, root = '', rest] = TOPIC.exec(topic) ?? [];
  if (rest === undefined) return null;
  const [, part, id, field = ''] = TWO.exec(rest) ?? [];
  if (part) return { device: `${root}/${part}/${id}`, version: 2, part: part as Part, field };
  const [, place, name = ''] = ONE.exec(rest) ?? [];
  if (!place) return 'other';
  return { device: `${root}/${place}`, version: 1, part: PARTS_OF_ONE[place.split('/')[0] ?? ''] as Part, field: name };
}
