/** What an OBIS code (IEC 62056-61) says of a value. */
export interface ObisMeaning {
  /** `register`: since ever; `power`: now. */
  quantity: 'register' | 'power' | 'none';
  direction: 'import' | 'export' | null;
  /** `t1`, `l2`. */
  parts: readonly string[];
  medium: 'gas' | 'heat' | 'water' | '';
  /** Why it does not count. */
  not: 'reactive' | 'apparent' | 'balance' | 'period' | 'unmeasured' | 'again' | null;
}

/**
 * `1-0:1.8.0*255`, `1.8.1`, `2_8_0`: medium and channel (A-B), what flows (C), what is made of it (D), tariff (E), and the
 * billing period (F). Numbers beside it would make it a version, a date or an address.
 */
const CODE =
  /(?:^|[^\d.])(?:([0-9])[-._]\d{1,3}[:._])?([1-9]\d?)[._]([1-9]\d?)[._](\d{1,2})(?:[*&](\d{1,3})|[._]255)?(?!\d|\.\d)/;

/** Phases have the codes of the whole, 20 further on each. */
const PHASE_STEP = 20;
const MEDIA: Readonly<Record<string, ObisMeaning['medium']>> = {
  5: 'heat',
  6: 'heat',
  7: 'gas',
  8: 'water',
  9: 'water',
};
/** Total since ever; now; and those of D that are means, highest values and periods. */
const REGISTER = 8;
const POWER = 7;
const CURRENT_PERIOD = 255;

/** Reads the first OBIS code of a name or a message's key; null where there is none that is of energy or power. */
export function readObis(name: string): ObisMeaning | null {
  const [code, a = '1', c, d, e, f] = CODE.exec(name) ?? [];
  if (code === undefined) return null;
  const [flow, made, tariff] = [Number(c), Number(d), Number(e)];
  const medium = MEDIA[a] ?? '';
  // Some meters print 00 for what is now.
  const isOld = f !== undefined && ![0, CURRENT_PERIOD].includes(Number(f));
  const none: ObisMeaning = { quantity: 'none', direction: null, parts: [], medium, not: null };
  if (medium !== '') return null;
  if (flow > 80 || ![2, 4, 5, 6, POWER, REGISTER, 9, 29].includes(made)) return null;
  const phase = Math.floor(flow / PHASE_STEP);
  const what = flow % PHASE_STEP;
  if (what >= 3 && what <= 8) return { ...none, not: 'reactive' };
  if (what === 9 || what === 10) return { ...none, not: 'apparent' };
  if (what === 16) return { ...none, not: 'balance' };
  // 15 is the sum of both directions.
  if (what !== 1 && what !== 2) return what === 15 ? none : null;
  if (isOld) return { ...none, not: 'period' };
  if (made !== REGISTER && made !== POWER) return { ...none, not: made === 9 || made === 29 ? 'period' : 'unmeasured' };
  return {
    quantity: made === REGISTER ? 'register' : 'power',
    direction: what === 1 ? 'import' : 'export',
    parts: [...(tariff > 0 && made === REGISTER ? [`t${tariff}`] : []), ...(phase > 0 ? [`l${phase}`] : [])],
    medium,
    not: null,
  };
}
