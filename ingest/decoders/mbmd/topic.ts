/** A topic below the root of mbmd. */
export type MbmdTopic =
  /** `device`: with the root before it. `type`: `sdm1-1`. `part`: `L1`, `T2`, `S1`, or empty. */
  { about: 'value'; device: string; type: string; measurement: string; part: string } | { about: 'daemon' };

/** `sdm1-1`, `orno1p5041-7`, `sma1-126-2`: type and number of the connection, number on it, and of a part of it. */
const DEVICE = /^[a-z][a-z0-9_]{0,32}?\d{1,4}-\d{1,3}(?:-\d{1,3})?$/;
/** `Import`, `ImportL1` (before March 2020), `VoltageL1_L2`. */
const MEASUREMENT = /^([A-Z]\w*?)([LTS]\d)?$/;
const PART = /^[LTS]\d$/;
/** What is read or known; by these words a root of the owner's own is told from other topics with such a device. */
const KNOWN =
  /^(?:Import|Export|Sum|Reactive(?:Sum|Import|Export|Power)|(?:Import|Export|Apparent|DC)?Power|DC(?:Current|Voltage|Energy)|Voltage|Current|Frequency|Cosphi|THD|HeatSinkTemp|ChargeState|BatteryVoltage|PhaseAngle|ThreePhase_Vec_A|Voltage[LN_0-9a-z]+)$/;

/**
 * Reads a topic: `mbmd/sdm1-1/Import`, `mbmd/sdm1-1/Import/L1`, below any root. Null for every other one: `homie/…` of the same
 * daemon has small letters.
 */
export function parseMbmdTopic(topic: string): MbmdTopic | null {
  if (topic === 'mbmd/status') return { about: 'daemon' };
  const words = topic.split('/');
  const last = words.at(-1) ?? '';
  const isPart = PART.test(last);
  const at = words.length - (isPart ? 2 : 1);
  const [, measurement = '', inWord = ''] = MEASUREMENT.exec(words[at] ?? '') ?? [];
  const type = words[at - 1] ?? '';
  if (at < 2 || !KNOWN.test(measurement) || !DEVICE.test(type)) return null;
  // Each daemon numbers what it reads by itself: a second one has a `sdm1-1`, too.
  return {
    about: 'value',
    device: words.slice(0, at).join('/'),
    type,
    measurement,
    part: (isPart ? last : inWord).toLowerCase(),
  };
}
