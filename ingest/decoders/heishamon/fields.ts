import type { SaidKind } from '../family.ts';

export interface Field {
  channel: string;
  kind: SaidKind;
  per: number;
  /** Below this it is no reading: a sensor that is not there, a power that this heat pump tells elsewhere. */
  least: number;
}

/** A byte less 128: what has no sensor is at the lower end of it. */
const NO_SENSOR = -70;
/** K and L series tell -200 W here, and the power among the extra topics (issue 370). */
const power = (channel: string): Field => ({ channel, kind: 'power_w', per: 1, least: 0 });
const climate = (kind: 'temperature_c' | 'setpoint_c', channel = 'room'): Field => ({
  channel,
  kind,
  per: 1,
  least: NO_SENSOR,
});

/** One of heating, cooling and hot water runs at a time; each has the electric power that it takes, and what it gives as heat. */
const MODES: readonly [string, string][] = [
  ['Heat', 'rooms'],
  ['Cool', 'chill'],
  ['DHW', 'dhw'],
];
const powers = MODES.flatMap(([mode, circuit]): [string, Field][] => [
  [`main/${mode}_Power_Consumption`, power(`${circuit}/import`)],
  [`extra/${mode}_Power_Consumption_Extra`, power(`${circuit}/import`)],
  // Cold that is made is no heat that was used.
  ...(mode === 'Cool'
    ? []
    : ([
        [`main/${mode}_Power_Production`, power(`${circuit}/heat/import`)],
        [`extra/${mode}_Power_Production_Extra`, power(`${circuit}/heat/import`)],
      ] as [string, Field][])),
]);

export const FIELDS: ReadonlyMap<string, Field> = new Map([
  ...powers,
  ['main/Room_Thermostat_Temp', climate('temperature_c')],
  ['main/Second_Room_Thermostat_Temp', climate('temperature_c', 'second/room')],
  ['opentherm/write/roomTemp', climate('temperature_c', 'opentherm/room')],
  ['opentherm/write/roomTempSet', climate('setpoint_c', 'opentherm/room')],
  ['s0/WatthourTotal', { channel: 'import', kind: 'energy_total_kwh', per: 1_000, least: 0 }],
  ['s0/Watt', power('import')],
]);
