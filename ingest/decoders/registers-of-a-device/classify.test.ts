import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../vocabulary/language.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { classifyRegisters } from './classify.ts';

const verdictsOf = (names: readonly string[], device = ''): Record<string, string> => {
  const registers = names.map((name) => ({ label: name, described: { names: [name], unit: 'kWh' as const, device } }));
  return Object.fromEntries([...classifyRegisters(registers)].map(([{ label }, channel]) => [label, channel]));
};
const isCounted = (channel: string) => !/(?:^|\/)(?:unknown|ignored)\//.test(channel);

/** Returns the words, in all languages, whose only meaning is this concept. */
const wordsOf = (concept: 'import' | 'export' | 'consumed' | 'low' | 'high' | 'period' | 'heats') =>
  LANGUAGES.flatMap(({ words }) =>
    words.flatMap(([of, list]) => (of === concept ? list.filter((word) => /^\p{L}+$/u.test(word)) : [])),
  ).filter((word) => {
    const { not, unknown, has, direction } = getNameMeaning(word);
    if (unknown.length > 0 || has('unclear') || has('own') || has('gas') || has('heat') || direction === 'both')
      return false;
    return concept === 'period' ? not === 'period' : not === null;
  });

const one = (concept: Parameters<typeof wordsOf>[0]) => fc.constantFrom(...wordsOf(concept));
/**
 * Generates the names of the registers of one device, with the true meaning of each: a total, or a part of the total in the same direction.
 */
const registers = fc
  .record({
    total: fc.constantFrom('Total', 'Gesamt', 'Energy', ''),
    imported: fc.oneof(one('import'), one('consumed'), fc.constant('')),
    exported: one('export'),
    hasExport: fc.boolean(),
    tariffs: fc.constantFrom(['T1', 'T2'], ['F1', 'F2', 'F3'], ['HT', 'NT'], ['HP', 'HC'], ['P1', 'P2', 'P3'], []),
    phases: fc.constantFrom(['L1', 'L2', 'L3'], []),
    uses: fc.uniqueArray(one('heats'), { maxLength: 2 }),
    periods: fc.uniqueArray(one('period'), { maxLength: 2 }),
  })
  .map(({ total, imported, exported, hasExport, tariffs, phases, uses, periods }) => {
    const whole = `${total} ${imported}`.trim();
    const of = (word: string) => `${whole} ${word}`.trim();
    return {
      whole: whole === '' ? [] : [whole],
      parts: [...tariffs, ...phases, ...uses].map(of),
      periods: periods.map(of),
      exports: hasExport ? [`${total} ${exported}`.trim()] : [],
    };
  });

describe('registers of a device with arbitrary names', () => {
  test('never counts both a register and a part of it in one rank, and never a period', () => {
    fc.assert(
      fc.property(registers, ({ whole, parts, periods, exports }) => {
        const names = [...new Set([...whole, ...parts, ...periods, ...exports])];
        const verdicts = verdictsOf(names);
        for (const name of periods) expect([name, isCounted(verdicts[name] as string)]).toEqual([name, false]);
        const circuits = new Set(
          names
            .map((name) => verdicts[name] as string)
            .filter((channel) => isCounted(channel) && /(?:^|\/)import/.test(channel) && !channel.startsWith('heat/'))
            .map((channel) => channel.replace(/\/?import.*$/, '')),
        );
        // In each circuit (measured part of the home), the energy comes from the total, or from the tariffs, or from the phases
        // (normalise/channels.ts).
        expect(circuits.size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 2_000 },
    );
  });

  test('counts each register, or ignores it as a part or as known not to count, or asks about it; none is lost', () => {
    fc.assert(
      fc.property(registers, ({ whole, parts, periods, exports }) => {
        const names = [...new Set([...whole, ...parts, ...periods, ...exports])];
        const verdicts = verdictsOf(names);
        expect(Object.keys(verdicts).sort()).toEqual(names.sort());
        expect(new Set(Object.values(verdicts)).size).toBe(names.length);
      }),
    );
  });

  test('does not depend on the order of the registers', () => {
    fc.assert(
      fc.property(
        registers.chain(({ whole, parts, periods, exports }) => {
          const names = [...new Set([...whole, ...parts, ...periods, ...exports])];
          return fc.record({
            names: fc.constant(names),
            shuffled: fc.shuffledSubarray(names, { minLength: names.length }),
          });
        }),
        ({ names, shuffled }) => {
          expect(verdictsOf(shuffled)).toEqual(verdictsOf(names));
        },
      ),
    );
  });
});

test.each<[string, Record<string, string>]>([
  ['', { Gesamtverbrauch: 'import', HT: 'import/t2', NT: 'import/t1' }],
  ['', { Total: '?', Peak: 'import/t2', 'Off-peak import': 'import/t1' }],
  ['', { 'Index total': 'import', HP: 'import/t2', HC: 'import/t1' }],
  ['', { 'Energia attiva prelevata': 'import', F1: 'import/t1', F2: 'import/t2', F3: 'import/t3' }],
  ['', { Consumo: 'import', P1: 'import/t1', P2: 'import/t2', P3: 'import/t3' }],
  ['', { 'Energy Total': '?', Imported: 'import', Exported: 'export' }],
  ['', { 'Real energy': '?', consumed: 'import', delivered: '?' }],
  ['', { 'Home consumption': '?', 'Grid consumption': 'import', 'Grid return': 'export' }],
  ['', { Total: 'import', total_7d: '-', total_30d: '-' }],
  ['', { E_in: 'import', E_in_1d: '-', E_in_7d: '-', E_out: 'export' }],
  ['Heat pump', { Total: 'import', Heating: '-', 'Hot water': '-', 'Energy supplied': 'heat/import' }],
  ['Sunsynk', { 'total grid import': 'grid/import', 'total load energy': '?', 'total active energy': '?' }],
  ['', { energy: 'import', energy_returned: 'export' }],
  // Source: fl4p/batmon-ha, whose first register is the sum of the others.
  ['', { 'total energy': '?', 'total energy charge': '?', 'total energy discharge': '?' }],
  ['', { energy: '?', export: 'export' }],
  ['', { 'Index jour': 'import/t2', 'Index nuit': 'import/t1' }],
  ['', { 'Énergie jour': '-' }],
  ['', { 'plug1 energy': 'plug1/import', 'plug2 energy': 'plug2/import' }],
  ['', { 'ct1 energy': '?', 'ct2 energy': '?' }],
  ['', { 'meter01 energy': 'import' }],
  ['', { 'Kitchen energy': '?', 'Garage energy': '?' }],
  ['Growatt', { 'Total yield': 'pv/export', 'Energy import': 'grid/import', 'Load consumption': '?' }],
  ['Growatt meter', { 'Energy import': 'import' }],
  ['Marstek battery', { 'Total charging capacity': 'battery/import', 'Total discharging capacity': 'battery/export' }],
  ['', { 'Production T1': 'export/t1', 'Production T2': 'export/t2', 'Consumption T1': 'import/t1' }],
  ['', { Production: '?', Consumption: 'import' }],
  ['', { '77070100020800ff': 'export', '77070100010800ff': 'import' }],
  ['', { '16_8_0': '-', '1_8_0': 'import' }],
  ['', { '77070100020800ff': 'export', '77070100010801ff': 'import/t1' }],
  ['', { energy_280: 'export', energy_180: 'import' }],
  ['', { 'Self consumption': '?', Import: 'import' }],
  ['', { 'Lifetime yield': '?' }],
  ['', { T1: 'import/t1' }],
  ['', { 'Delivered tariff 1': 'import/t1', 'Delivered tariff 2': 'import/t2', Returned: 'export' }],
  ['', { 'Delivered tariff 1': '?', 'Received tariff 1': '?' }],
  ['', { 'Total power delivered T1': '?', 'Total power used T1': 'import/t1' }],
  ['', { 'Delivered tariff 1': 'import/t1', 'Returned tariff 1': 'export/t1', Consumption: '?' }],
  // On a device that is not a meter, "in" and "out" are sides of the device. Sources: Solar2MQTT (AC_Out_Watt),
  // docker-voltronic-homeassistant (PV_in_watts).
  ['Inverter', { 'AC out': '?', 'PV in': 'pv/export', 'Grid out': 'grid/export' }],
  ['Inverter', { energy_in_kwh: '?', energy_out_kwh: '?' }],
  ['Battery', { 'Energy in': '?', 'Energy out': '?' }],
  ['Wallbox', { 'Energy in': 'import', 'Energy out': '?' }],
  // The total of a portable battery may be the energy that the battery has supplied.
  ['Pecron E3600 Power Station', { 'Total Energy': '?' }],
  // Batteries and their management systems, by their makers. Their total may be the sum of charge and discharge (fl4p/batmon-ha).
  ['JK JK_B2A8S20P', { 'total energy meter': '?' }],
  ['daly_bms Daly', { 'total energy': '?', 'total energy charge': 'battery/import' }],
  ['Seplos', { Energy: '?', 'Discharged energy': 'battery/export' }],
  // Nordic meters send their lifetime registers once an hour and therefore call them "hourly" (remne/p1ib).
  ['P1IB', { p1ib_hourly_active_import_q1_q4: 'import', p1ib_hourly_consumption: '-' }],
  // A car takes the energy that it uses from its battery (BigThunderSR/onstar2mqtt), so this energy is no import of the home, and the owner
  // is asked. A charger of the same maker is an ordinary consumer.
  ['2022 Chevrolet Bolt EV', { 'Lifetime Energy Used': '?' }],
  ['Renault wallbox', { Energy: 'import' }],
  // Bridges to inverters, which are recognised by their names (JasperE84/PyFusionSolarDataRelay).
  ['fusionsolar_myplant', { 'Lifetime energy': 'pv/export', 'Day energy': '-' }],
  ['Bluetti smart plug', { Energy: 'import' }],
  ['Heat pump', { 'Energy in': 'import', 'Energy out': 'heat/import' }],
  ['', { 'AC out': '?', 'PV out': 'pv/export' }],
  // Energy that enters a device is not produced by the device (softwarecrash/Solar2MQTT). "Output" contradicts "charge"
  // (tobiasfaust/SolaxModbusGateway).
  ['Solar2MQTT', { AC_In_Generation_Sum: '?', PV_Generation_Sum: 'pv/export' }],
  ['Solax', { OutputEnergyChargeKWh: '?', 'Input discharge': '?' }],
])('classifies the registers of a device %j as %j', (device, wanted) => {
  const verdicts = verdictsOf(Object.keys(wanted), device);
  const shown = (channel: string) =>
    channel.startsWith('unknown/') ? '?' : channel.startsWith('ignored/') ? '-' : channel;
  expect(Object.fromEntries(Object.entries(verdicts).map(([name, channel]) => [name, shown(channel)]))).toEqual(wanted);
});

test('treats 16_7_0 as the power in both directions, also next to the register of one direction', () => {
  const power = { label: '16_7_0', described: { names: ['16_7_0'], unit: 'W' as const } };
  const register = { label: '1_8_0', described: { names: ['1_8_0'], unit: 'kWh' as const } };
  for (const set of [[power], [register, power], [power, register]])
    expect(classifyRegisters(set).get(power)).toBe('import');
});

test.each(['SML 16_7_0', 'Zähler 1.7.0', '1-0:2.7.0'])('asks about a power code in kWh: %s', (name) => {
  expect(isCounted(verdictsOf([name, 'SML 1_8_0'])[name] as string)).toBe(false);
  expect(verdictsOf([name, 'SML 1_8_0'])['SML 1_8_0']).toBe('import');
});

// Source: srcful, messages of a gateway: `total_export_Wh` below the topic `…/PV/…` is the production.
test('asks about an inverter that has registers of export only, because they may be the production', () => {
  for (const names of [['total export'], ['export L1', 'export L2', 'export L3']]) {
    expect(Object.values(verdictsOf(names, 'inverter')).some(isCounted)).toBe(false);
  }
  expect(verdictsOf(['total export to grid'], 'inverter')).toEqual({ 'total export to grid': 'grid/export' });
  const both = { 'total export': 'grid/export', 'total import': 'grid/import' };
  expect(verdictsOf(Object.keys(both), 'inverter')).toEqual(both);
});

describe('hybrid inverters and their batteries', () => {
  const rest = ['Total Grid Import', 'Total Grid Export', 'Battery Voltage Total Energy'];

  test.each([
    // Names of SolaX, Growatt and Sungrow: wills106/homeassistant-solax-modbus, mkaiser/Sungrow-SHx-Inverter-Modbus-Home-Assistant.
    [['Total battery charge', 'Total battery charge from PV'], { 'Total battery charge': 'battery/import' }],
    [['Total PV generation & battery discharge'], {}],
    [['Battery Input Energy Total', 'E Charge Total'], {}],
    [['Total AC Charge', 'Total Battery Discharge'], { 'Total Battery Discharge': 'battery/export' }],
    [['Total Yield', 'Total Solar Energy', 'Battery Output Energy Total'], { 'Total Solar Energy': 'pv/export' }],
    [['Total Yield', 'Total Solar Energy'], { 'Total Yield': 'pv/export' }],
    [['Total exported energy', 'Total exported energy from PV'], { 'Total exported energy': 'grid/export' }],
    [['Battery charge'], {}],
    [['Battery Charge Total'], { 'Battery Charge Total': 'battery/import' }],
    [
      ['Generator Energy', 'Total Production', 'Total Battery Discharge'],
      { 'Total Production': 'pv/export', 'Total Battery Discharge': 'battery/export' },
    ],
  ])('of %j counts %j', (names, expected) => {
    const counted = Object.entries(verdictsOf(names, 'solar/inverter')).filter(([, channel]) => isCounted(channel));
    expect(Object.fromEntries(counted)).toEqual(expected);
  });

  test('never adds a part of the panels or of the grid to a battery, in any company', () => {
    const parts = [
      'Total battery charge from PV',
      'PV battery charge energy',
      'Solar & battery discharge',
      'Battery charged from grid',
      'Battery charge',
    ];
    fc.assert(
      fc.property(
        fc.subarray(rest),
        fc.constantFrom(...parts),
        fc.constantFrom('', 'solar/inverter'),
        (more, part, on) => {
          expect(isCounted(verdictsOf([...more, part], on)[part] as string)).toBe(false);
        },
      ),
    );
  });

  // Devices whose descriptions do not state that they are inverters (incub77/solis2mqtt, ohAnd/dtuGateway).
  test.each([
    ['Inverter total power generation', 'Active Power'],
    ['Grid yield total', 'Grid power'],
    ['PV total', 'Power'],
  ])('a power next to %j alone is no import: %j', (register, power) => {
    const all = [
      { label: register, described: { names: [register], unit: 'kWh' as const } },
      { label: power, described: { names: [power], unit: 'W' as const } },
    ];
    const channels = [...classifyRegisters(all).values()].map(String);
    expect(channels.filter((channel) => /(?:^|\/)import/.test(channel))).toEqual([]);
  });

  test('a power of the grid on an inverter is the grid’s or nothing, never a second production', () => {
    const powers = [
      'Grid L1 Power',
      'Inverter AC Export Power',
      'Feed-in Power L1',
      'Grid Export',
      'Grid Import',
      'Power',
    ];
    const registers = [
      {
        label: 'Total Production',
        described: { names: ['Total Production'], unit: 'kWh' as const, device: 'inverter' },
      },
      ...powers.map((name) => ({ label: name, described: { names: [name], unit: 'W' as const, device: 'inverter' } })),
    ];
    for (const [{ label }, channel] of classifyRegisters(registers))
      expect([label, channel]).toEqual([label, expect.stringMatching(/^(?:pv|grid|ignored)\//)]);
  });
});

test('asks about the powers of a grid whose sign the device turns, and about those of an inverter’s meter', () => {
  const verdictsOn = (device: string) => {
    const names = ['solar_power', 'grid_power', 'meter_power_phase_a'];
    const powers = names.map((label) => ({ label, described: { names: [label], unit: 'W' as const, device } }));
    return [...classifyRegisters(powers).values()].filter(isCounted).sort();
  };
  // Source: arboeh/huABus, bridge/config/sensors_mqtt.py (names) and mqtt_client.py (device).
  expect(verdictsOn('Huawei Solar Inverter SUN2000 Huawei')).toEqual(['pv/export']);
  expect(verdictsOn('Deye inverter')).toEqual(['grid/import', 'pv/export']);
});
