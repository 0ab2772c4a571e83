import { readObis } from '../vocabulary/obis.ts';

/** What a channel measures. */
export interface Measured {
  kind: 'energy_total_kwh' | 'power_w';
  channel: string;
}

/** As vzlogger writes identifiers: all six groups, 255 for those that the meter or the owner left out. */
const CODE = /^\d{1,3}-\d{1,3}:(\d{1,3})\.(\d{1,3})\.(\d{1,3})\*\d{1,3}$/;
/** Others than OBIS codes: Flukso, pulses, temperatures, programs. */
const OTHERS = /^(?:sensor\d+\/(?:power|consumption)|NilIdentifier|Impulse(?:_neg)?|Power(?:_neg)?)$/;

/** Whether a text is what vzlogger announces as an identifier. */
export const isIdentifier = (text: string): boolean => CODE.test(text) || OTHERS.test(text);

/** Short codes (`1.8.0`), which only the readout of IEC 62056-21 has (protocol `d0`): its energy is in kWh. */
export const isOfReadout = (id: string): boolean => id.startsWith('255-255:');

/** What an identifier says; null where it is nothing that counts, or that an OBIS code of electricity says. */
export function measuredBy(id: string): Measured | null {
  const [code, flow, made] = CODE.exec(id) ?? [];
  if (code === undefined) return null;
  // Signed power: of all phases (16.7), of one (36.7, 56.7, 76.7).
  if (made === '7' && flow !== undefined && ['16', '36', '56', '76'].includes(flow)) {
    const phase = Math.floor(Number(flow) / 20);
    return { kind: 'power_w', channel: phase === 0 ? 'import' : `import/l${phase}` };
  }
  const said = readObis(code.replace(/\.255\*/, '.0*'));
  if (!said?.direction || said.quantity === 'none') return null;
  return {
    kind: said.quantity === 'register' ? 'energy_total_kwh' : 'power_w',
    channel: [said.direction, ...said.parts].join('/'),
  };
}
