/** What AhoyDTU publishes on, below its base topic. */
export type AhoyTopic =
  | { what: 'quantity'; device: string; input: number; field: string }
  | { what: 'available'; device: string }
  | { what: 'nothing' };

/** Spelt as nobody else does: enough to know AhoyDTU by below any base topic. */
const FIELDS = new Set([
  ...[
    'U_DC',
    'I_DC',
    'P_DC',
    'YieldDay',
    'YieldWeek',
    'YieldTotal',
    'U_AC',
    'U_AC_1N',
    'U_AC_2N',
    'U_AC_3N',
    'UAC_12',
    'UAC_23',
  ],
  ...[
    'UAC_31',
    'I_AC',
    'IAC_1',
    'I_AC_2',
    'I_AC_3',
    'P_AC',
    'F_AC',
    'Temp',
    'PF_AC',
    'Efficiency',
    'Irradiation',
    'Q_AC',
  ],
  ...[
    'ALARM_MES_ID',
    'EVT',
    'FWVersion',
    'FWBuildYear',
    'FWBuildMonthDay',
    'FWBuildHourMinute',
    'HWPartId',
    'LastAlarmCode',
  ],
  ...['active_PowerLimit', 'PowerLimit', 'MaxPower', 'rssi'],
]);
/** These words are anybody's, and AhoyDTU's below its default base topic alone. */
const ABOUT_INVERTER = new Set(['available', 'last_success', 'ack_pwr_limit', 'firmware', 'hardware', 'radio_stat']);

/**
 * Reads `inverter/{name}/ch0/YieldTotal` and its neighbours; a changed base topic is known by the fields. Null for every other
 * topic.
 */
export function parseAhoyTopic(topic: string): AhoyTopic | null {
  const words = topic.split('/');
  const leaf = words.at(-1) ?? '';
  const input = /^ch([0-6])$/.exec(words.at(-2) ?? '')?.[1];
  const device = words.at(-3);
  if (input !== undefined) {
    return device && words.length > 3 && FIELDS.has(leaf)
      ? { what: 'quantity', device, input: Number(input), field: leaf }
      : null;
  }
  if (words.at(-2) === 'total' && words.length > 2 && FIELDS.has(leaf)) return { what: 'nothing' };
  const [base, name, about] = words;
  if (base !== 'inverter' || !name || words.length !== 3 || !ABOUT_INVERTER.has(about ?? '')) return null;
  return about === 'available' ? { what: about, device: name } : { what: 'nothing' };
}
