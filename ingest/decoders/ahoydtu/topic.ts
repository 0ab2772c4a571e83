/** What AhoyDTU publishes on, below its base topic. `device`: the base topic and the inverter's name. */
export type AhoyTopic =
  | { what: 'quantity'; device: string; input: number; field: string }
  /** JSON of all that one side tells (its setting "JSON"). */
  | { what: 'side'; device: string; input: number }
  /** JSON of the sum over all inverters. */
  | { what: 'sum' }
  | { what: 'available'; device: string }
  | { what: 'nothing' };

/** Spelt as nobody else does: enough to know AhoyDTU by below any base topic. */
const FIELDS = new Set([
  ...['U_DC', 'I_DC', 'P_DC', 'YieldDay', 'YieldWeek', 'YieldTotal', 'U_AC', 'U_AC_1N', 'U_AC_2N', 'U_AC_3N'],
  // In newer versions, and as they were before.
  ...['U_AC_12', 'U_AC_23', 'U_AC_31', 'UAC_12', 'UAC_23', 'UAC_31', 'I_AC_1', 'IAC_1', 'I_AC_2', 'I_AC_3'],
  ...['I_AC', 'P_AC', 'F_AC', 'Temp', 'PF_AC', 'Efficiency', 'Irradiation', 'Q_AC', 'MaxPower', 'MaxTemp', 'rssi'],
  ...['ALARM_MES_ID', 'EVT', 'LastAlarmCode', 'FWVersion', 'FWBuildYear', 'FWBuildMonthDay', 'FWBuildHourMinute'],
  ...['BootloaderVersion', 'HWPartId', 'HWPartNumber', 'HWVersion', 'GridProfileCode', 'GridProfileVersion'],
  ...['active_PowerLimit', 'PowerLimit'],
]);
/** These words are anybody's, and AhoyDTU's below its default base topic alone. */
const ABOUT_INVERTER = new Set(['available', 'last_success', 'ack_pwr_limit', 'firmware', 'hardware', 'radio_stat']);
const SIDE = /^ch([0-6])$/;

/**
 * Reads `inverter/{name}/ch0/YieldTotal` and its neighbours; a changed base topic is known by the fields, which JSON has in its body.
 * Null for every other topic.
 */
export function parseAhoyTopic(topic: string): AhoyTopic | null {
  const words = topic.split('/');
  const leaf = words.at(-1) ?? '';
  const before = (count: number) => words.slice(0, -count).join('/');
  const input = SIDE.exec(words.at(-2) ?? '')?.[1];
  if (input !== undefined) {
    return words.at(-3) && words.length > 3 && FIELDS.has(leaf)
      ? { what: 'quantity', device: before(2), input: Number(input), field: leaf }
      : null;
  }
  const side = SIDE.exec(leaf)?.[1];
  if (side !== undefined) {
    return words.at(-2) && words.length > 2 ? { what: 'side', device: before(1), input: Number(side) } : null;
  }
  if (words.at(-2) === 'total' && words.length > 2 && FIELDS.has(leaf)) return { what: 'nothing' };
  if (leaf === 'total' && words.length > 1) return { what: 'sum' };
  const [base, name, about] = words;
  if (base !== 'inverter' || !name || words.length !== 3 || !ABOUT_INVERTER.has(about ?? '')) return null;
  return about === 'available' ? { what: about, device: `${base}/${name}` } : { what: 'nothing' };
}
