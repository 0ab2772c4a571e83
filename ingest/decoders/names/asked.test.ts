import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage } from '#test/support/read-message.ts';
import { namesFamily } from './decode.ts';

test('a number without a unit never counts, and its owner is asked if its name states an energy', () => {
  const asked = (on: string, body: unknown) => {
    const result = readMessage(on, body);
    expect(result?.readings ?? []).toEqual([]);
    return (result?.asks ?? []).map(({ native_name, unit }) => [native_name, unit]);
  };
  // Sources: fronius-bridge, sigenergy2mqtt, lxp-bridge, bluetti_mqtt and KEBA's UDP interface, by their documents.
  expect(asked('bridge/inverter/x/values', { ac_energy: 11_060.2, ac_power_active: 238 })).toEqual([
    ['ac_energy', null],
    ['ac_power_active', null],
  ]);
  expect(asked('x/sigen_0_lifetime_imported_energy/state', '4512.33')).toHaveLength(1);
  expect(asked('home/solar/energy/total', '12345.6')).toEqual([['energy/total', null]]);
  expect(asked('bluetti/state/AC300/ac_output_power', '110')).toEqual([['ac_output_power', null]]);
  expect(asked('solar/powermeter/import', '5123.4')).toEqual([['powermeter/import', null]]);
  expect(asked('smartmeter/0/1-0:1_8_0*255/value', '22341.512')).toEqual([['1-0:1_8_0*255', null]]);
  expect(asked('home/grid/power', { value: 1.2 })).toEqual([['power', null]]);
  expect(asked('keba/report/3', { U1: 230, P: 11_040_000, 'E pres': 45_000, 'E total': 170_062_150 })).toEqual([
    ['E total', null],
  ]);
  for (const [on, body] of [
    ['home/solar/energy/today', '12.6'],
    ['car/EVEnergyCapacity', '64000'],
    ['phone/tx_power', '20'],
    ['heater/power', '1'],
    ['x/power_factor', '0.97'],
    ['x/energy_price', '0.31'],
    ['x/total', '5'],
  ] as const)
    expect([on, asked(on, body)]).toEqual([on, []]);
});

/**
 * Messages of public projects that state neither unit nor direction, with the number of questions to the owner. Their sources:
 * steff393/wbec (src/mqtt.cpp), tjhowse/modbus4mqtt (config/E3DC-S10.yaml, SG5K-D.yaml), cmcgerty and IgorYbema/Sofar2mqtt,
 * mpepping/solarman-mqtt, datenschuft/SMA-EM (features/mqtt.py), ragingcomputer/amridm2mqtt, dxoverdy/Alpha2MQTT, ahpohl/smartmeter, otti's
 * Growatt topics, samyness/EVNKaifaMA309SmartMeter_MQTT_HomeAssistant, and the bridge of KPM33B meters.
 */
const WITHOUT_UNIT: [topic: string, body: unknown, questions: number][] = [
  ['wbec/inverter/pwrInv', '2500', 1],
  ['wbec/inverter/pwrMet', '-340', 1],
  ['modbus4mqtt/power/sun', '1250', 1],
  ['modbus4mqtt/energy_meter_power', '-420', 1],
  ['sofar/solarPV', '1500', 1],
  ['Sofar2mqtt/state', { total_purchase: 2_345, total_exported: 1_234, today_exported: 3.2 }, 2],
  ['solarmanpv/station/purchasePower', '300', 1],
  ['SMA-EM/status/1900203015/psupply', '812.4', 1],
  ['SMA-EM/status/1900203015', { pconsume: 423.1, psupply: 12.5, p1consume: 123.1, pvdaily: 4_200 }, 3],
  ['readings/12345678/meter_reading', '12345.67', 1],
  ['Alpha2MQTT/state/day/one', { REG_GRID_METER_R_TOTAL_ENERGY_FEED_TO_GRID_1: 12_351.5 }, 1],
  ['smartmeter', [{ energy: 125.25, power: 259.2, time: 1_577_884_800 }, { serial: 'EBZ5DD3' }], 2],
  ['growatt/Etotal', '3821.7', 1],
  ['growatt/Pac', '1201.3', 1],
  ['growatt/Pdischarge', '340.0', 1],
  ['smartmeter/kaifa_ma309/state/power_net_w', '-120', 1],
  ['kpm33b/33B1225950029/minutes', { device_id: '33B1225950029', active_energy: 1_234.5 }, 1],
  ['sma/2000123456', { time: 1_586_608_779, values: { Pac: 3_006, 'E-Total': 45_358.5, 'h-Total': 47_797 } }, 1],
];

test.each(WITHOUT_UNIT)('asks about %s, and counts nothing of it', (on, body, questions) => {
  const result = readMessage(on, body);
  expect([result?.readings, result?.asks.length]).toEqual([[], questions]);
});

test('asks nothing about a session, a setting, a schedule, or a flow that may be something else', () => {
  for (const [on, body] of [
    // Sources: teslamate-org/teslamate, jagheterfredrik/wallbox-mqtt-bridge.
    ['teslamate/cars/1/charge_energy_added', '5.06'],
    ['wallbox_1/added_energy/state', '5.2'],
    ['x/power_mode', '3'],
    ['x/power_on_behavior', '2'],
    ['x/power_signal', '-61'],
    ['phone/home', '12'],
    ['job/import', '5123'],
    ['axis/forward', '12'],
    ['energy/day/total', '12.6'],
    ['grid/frequency', '50.01'],
  ] as const)
    expect([on, readMessage(on, body)]).toEqual([on, null]);
});

test('reports a number beyond every register if its message has nothing else, because its unit is unknown', () => {
  // The registers of Discovergy (inexogy) are in units of 0.1 µWh.
  const result = readMessage('discovergy/main', {
    time: 1_636_152_869_126,
    values: { energyOut: 119_411_587_467_000 },
  });
  expect(result).toMatchObject({ readings: [], asks: [], refused: [expect.stringContaining('energyOut')] });
});

test('asks about a number below a word that programs with a family of their own use, too', () => {
  const asked = (at: string) =>
    readMessage(at, '4821.337')?.asks.map(({ device, native_name }) => [device, native_name]);
  expect(asked('tele/smartmeter/power/total/value')).toEqual([['tele/smartmeter', 'power/total']]);
  expect(asked('glow/cellar/energy/import')).toEqual([['glow/cellar', 'energy/import']]);
  // Both registers of a meter belong to one device.
  for (const name of ['total_consumption_tariff_1', 'total_production_tariff_2'])
    expect(asked(`dsmr/power/${name}`)).toEqual([['dsmr/power', name]]);
});

test('asks about the consumption of the moment as a power, and not as an energy', () => {
  for (const name of ['current_consumption', 'actual_usage', 'currentProduction'])
    expect(readMessage(`dsmr/cellar/${name}`, '412')?.asks).toMatchObject([{ native_name: name, value: 412 }]);
  const collected = namesFamily.decode(
    { topic: 'dsmr/cellar/current_consumption', payload: Buffer.from('412'), receivedAtMs: 0 },
    {},
    null,
  );
  expect(collected?.said).toMatchObject([{ kind: 'power_w' }]);
});

test('asks about a volume of gas or water without a unit, and never counts it or names a price, a flow or a day', () => {
  const medium = fc.constantFrom('gas', 'water');
  const counted = fc.constantFrom('total', 'counter', 'meter_reading', 'consumption');
  const never = fc.constantFrom('flow', 'price', 'today', 'temperature', 'pressure');
  fc.assert(
    fc.property(medium, counted, never, fc.boolean(), (of, word, other, isBare) => {
      const name = `${of}_${word}`;
      const at = isBare ? `cellar/${name}` : 'cellar/x';
      const result = readMessage(at, isBare ? '8123.4' : { [name]: 8123.4 });
      expect(result?.readings).toEqual([]);
      expect(result?.asks).toMatchObject([{ native_name: name, unit: null, value: 8123.4 }]);
      expect(readMessage('cellar/x', { [`${name}_${other}`]: 8123.4 })?.asks ?? []).toEqual([]);
    }),
  );
  expect(readMessage('smartnetz/gastotal', '8123.45')?.asks).toMatchObject([{ native_name: 'gastotal' }]);
});

test('neither counts nor asks about what a tank contains as an energy, and asks if the name says energy', () => {
  const fuel = fc.constantFrom('gas', 'oil', 'heating_oil', 'diesel', 'lpg', 'propane', 'pellet');
  const tank = fc.constantFrom('tank', 'cistern', 'reservoir');
  const rest = fc.constantFrom('consumption', 'total_consumption', 'level', 'consumption_total');
  fc.assert(
    fc.property(fuel, tank, rest, fc.integer({ min: 0, max: 2 }), (of, where, what, split) => {
      const [at, name] = [
        ['heating', `${of}_${what}_${where}`],
        [`heating/${of}`, `${where}_${what}`],
        [`heating/${of}_${where}`, what],
      ][split] as [string, string];
      expect(readMessage(at, { [name]: 812.4 })).toBeNull();
      expect(readMessage(`${at}/${name}`, '812.4')).toBeNull();
      expect(readMessage(at, { [`${name}_energy_total`]: 812.4 })?.readings ?? []).toEqual([]);
    }),
  );
  expect(readMessage('heating', { oil_tank_energy_total: 812.4 })?.asks).toHaveLength(1);
});

test('asks about the total of a numbered meter and what a meter counts per hour, and never about its day', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 2, max: 900_000 }), (number, total) => {
      const at = `pulses/${number}`;
      const wanted = [{ device: at, native_name: 'total', unit: null, value: total }];
      expect(readMessage(`${at}/total`, String(total))).toMatchObject({ readings: [], asks: wanted });
      expect(readMessage(at, { total, today: 5, yesterday: 7 })).toMatchObject({ readings: [], asks: wanted });
      for (const word of ['today', 'yesterday', 'pulsecount'])
        expect(readMessage(`${at}/${word}`, String(total))).toBeNull();
      expect(readMessage(at, { total, free: 5, used: 7 })).toBeNull();
    }),
  );
  expect(readMessage('readings/12345678/meter_rate', '812.4')).toMatchObject({ readings: [], asks: [{ unit: null }] });
});

test('asks about a number of which only the commodity is known, and never about what a tank holds or a flow', () => {
  const medium = fc.constantFrom('gas', 'water');
  const plain = fc.constantFrom('value', 'volume', 'm3');
  fc.assert(
    fc.property(medium, plain, fc.boolean(), (of, name, isDeep) => {
      const at = isDeep ? `home/${of}` : of;
      const asks = [{ unit: null, value: 812.4 }];
      expect(readMessage(`${at}/${name}`, '812.4')).toMatchObject({ readings: [], asks });
      if (name !== 'm3') expect(readMessage(at, { [name]: 812.4 })).toMatchObject({ readings: [], asks });
      for (const word of ['tank', 'temperature', 'flow', 'today', 'price'])
        expect([word, readMessage(`${at}/${word}/${name}`, '812.4')?.readings ?? []]).toEqual([word, []]);
      expect(readMessage(`${at}/tank/${name}`, '812.4')).toBeNull();
    }),
  );
});

test('asks about energies of a message that states a day without a time, because they may be those of the day', () => {
  const day = fc.constantFrom('2026-11-27', '27.11.2026', '11/27/2026');
  const name = fc.constantFrom(
    'consumption_kwh',
    'import_kwh',
    'total_power_import_kwh',
    'exported_wh',
    'pv_energy_kwh',
  );
  fc.assert(
    fc.property(fc.constantFrom('date', 'day', 'jour', 'Datum', 'for'), day, name, (of, at, register) => {
      const energies = (body: object) =>
        (readMessage('house/x1', body)?.readings ?? []).filter(({ kind }) => kind === 'energy_total_kwh');
      expect(energies({ [of]: at, [register]: 12.5 })).toEqual([]);
      expect(readMessage('house/x1', { [of]: at, [register]: 12.5 })?.asks.map((one) => one.native_name)).toEqual([
        register,
      ]);
      expect(energies({ [of]: at, time: '10:00:00', import_kwh: 12.5 })).toHaveLength(1);
    }),
  );
  expect(readMessage('house/times', { import_kwh: 12.5 })?.readings).toEqual([]);
});

test('asks about the power of a unit alone below a subject, and about a surplus, which may be negative', () => {
  const ofSubject = ['pv/watt', 'solar/kW', 'inverter/W'];
  const surplus = ['solar_surplus_w', 'ueberschuss_kw', 'excedente_kw', 'pv/surplus/W'];
  for (const name of [...ofSubject, ...surplus])
    for (const value of ['834', '-834']) {
      const result = readMessage(`house/${name}`, value);
      expect([name, result?.readings, result?.asks.length]).toEqual([name, [], 1]);
    }
  expect(readMessage('house/pv/power/W', '834')?.readings).toMatchObject([{ channel: 'pv/export' }]);
  expect(readMessage('house/meter/import/W', '834')?.readings).toMatchObject([{ channel: 'import' }]);
  expect(readMessage('house/x', { surplus_energy_kwh: 834 })?.readings).toMatchObject([{ channel: 'export' }]);
});

test('asks about energies next to an interval, to its ends or to what they have cost, but not next to a price', () => {
  const name = fc.constantFrom('consumed_kwh', 'import_kwh', 'exported_wh');
  const interval = fc.constantFrom(
    { interval_cost: 0.1 },
    { interval: 3_600 },
    { intervalStart: '2026-11-28T00:00:00Z' },
    { period: 'h' },
    { from: '2026-11-28T00:00:00Z', to: '2026-11-28T01:00:00Z' },
    { usage_start_time: 1, usage_end_time: 2 },
    { cost: 0.1 },
    { Kosten: 0.1 },
  );
  const plain = fc.constantFrom({ price: 0.3 }, { update_interval: 60 }, { start_time: 1 }, { cost_today: 2 }, {});
  fc.assert(
    fc.property(name, interval, plain, fc.boolean(), (register, of, more, isInside) => {
      const at = (body: object) => readMessage('house/x1', isInside ? { tariff: 'low', meter: body } : body);
      expect(at({ ...of, [register]: 12.5 })).toMatchObject({ readings: [], asks: [{}] });
      expect(at({ ...more, [register]: 12.5 })).toMatchObject({ readings: [{ kind: 'energy_total_kwh' }], asks: [] });
      const apart = at({ schedule: of, [register]: 12.5 });
      expect(apart).toMatchObject({ readings: [{ kind: 'energy_total_kwh' }], asks: [] });
    }),
  );
  // A cost next to a lifetime total can be the cost of that total, so the total is still a register.
  expect(readMessage('house/x1', { total_import_kwh: 12.5, cost: 4 })?.readings).toHaveLength(1);
});

test('reads what a meter of the M-Bus measures as the medium that the message names, and asks if it names none', () => {
  const name = fc.constantFrom('total_energy_kwh', 'consumption_kwh', 'energy_total_kwh');
  const medium = fc.constantFrom('Heat: Outlet', 'Heat: Inlet', 'heat volume at inlet', 'Heat', 'Wärme');
  fc.assert(
    fc.property(name, medium, fc.constantFrom('medium', 'media', 'Medium', 'DeviceType'), (register, text, of) => {
      const channels = readMessage('gateway/5', { [of]: text, [register]: 12.5 })?.readings.map(
        ({ channel }) => channel,
      );
      expect(channels).toEqual(['heat/import']);
      const onBus = readMessage('mbus/5', { [register]: 12.5 });
      expect([onBus?.readings, onBus?.asks.length]).toEqual([[], 1]);
      const inCircuit = readMessage('cellar/x', { [register]: 12.5, flow_temperature_c: 60, return_temperature_c: 40 });
      expect(inCircuit?.readings.filter(({ kind }) => kind === 'energy_total_kwh')).toEqual([]);
      expect(inCircuit?.asks).toHaveLength(1);
    }),
  );
});

/** Names and topics of public projects without a unit. General rules apply to them, and the owner is asked about each. */
const ASKED: [topic: string, body: unknown, name: string][] = [
  // Sources: Smart Gateways (smartgateways.nl, manual of the water meter gateway), Landis+Gyr by WarmteLink.
  ['watermeter/reading/current_value', '123456', 'current_value'],
  ['warmtelink/heat_meter/reading', '12.345', 'heat_meter/reading'],
  // Sources: kilianknoll/kostal-RESTAPI, and the labels of Enedis-NOI-CPT_54E.
  ['kostal/devices:local/Home_P', '412.3', 'Home_P'],
  ['linky/BASE', '012345678', 'BASE'],
  // Sources: CHINT DTSU666 and meters by IEC 62056 (ImpEp, A+).
  ['dtsu666/ImpEp', '1234.5', 'ImpEp'],
  ['smartmeter/values', { 'A+': 12_345_678, 'P+': 412 }, 'A+'],
  // Sources: Danielhiversen/pyTibber (lastMeterProduction), solaredge/api (lifeTimeData), bgerp/ztools (lifetime_energy).
  ['tibber/live', { lastMeterProduction: 6_411.9, power: 4 }, 'lastMeterProduction'],
  ['solaredge/site', { lifeTimeData: { energy: 7_827_878 }, lastDayData: { energy: 7_373 } }, 'lifeTimeData/energy'],
  ['homeassistant/apsystems/ecu/lifetime_energy', '4821.3', 'lifetime_energy'],
  ['meterkast/verbruik_totaal', '12345.6', 'verbruik_totaal'],
  ['maison/compteur/index_total', '12345678', 'compteur/index_total'],
  ['ha/grid/import', '1234.5', 'grid/import'],
  ['house/pv/total', '12345', 'pv/total'],
  // Source: datenschuft/SMA-EM (pconsumecounter, psupplycounter).
  ['SMA-EM/status/1900203015/pconsumecounter', '12345.67', 'pconsumecounter'],
  // Sources: softwarecrash/EPEver2MQTT, wirenboard/wb-mqtt-serial (WB-MAP3E), HomA's gas meter, and the MQTT example of
  // nmakel/solaredge_modbus.
  ['EPEver/EP_1/StatsData/GEN_TOT', '1234.56', 'GEN_TOT'],
  ['/devices/wb-map3e_35/controls/Total P', '1500.2', 'Total P'],
  ['/devices/123456-gas-meter/controls/Volume', '1234.56', 'Volume'],
  ['solaredge/meter/import_energy_active', '4123456', 'import_energy_active'],
  ['energy/solar/sma', { ac_p: 1_230, ac_v: 231 }, 'ac_p'],
  // Source: SENEC's registers. The topic contains the section of the register (`ENERGY`).
  ['senec/ENERGY/GUI_GRID_POW', '-123.4', 'GUI_GRID_POW'],
  // Sources: helgeerbe/OpenDTU-OnBattery (labels of VE.Direct), embyt/enocean-mqtt, an agent of SolarMax inverters.
  ['solar/victron/HQ2132ABCDE/H19', '812.34', 'H19'],
  ['enocean/meter', { MR: 12_345.6, TI: 0, DT: 0, _RSSI_: -60 }, 'MR'],
  ['house/solar/solarmax0', { PAC: 1_234, KDY: 5.2, KT0: 34_123 }, 'KT0'],
  // Sources: SolarView (emontnemery/domoticz_mqtt_discovery), flavio-fernandes/mqtt2kasa, letscontrolit/ESPEasy with an SDM230,
  // visualapproach/WiFi-remote-for-Bestway-Lay-Z-SPA.
  ['solarview/D0/BKT0', '34431', 'BKT0'],
  ['/dehumidifier/switch/emeter/total', '51.493', 'emeter/total'],
  ['EspEasy/Energy_11/SDM230s3/ImpA', '1234.5', 'ImpA'],
  ['layzspa/times', { UPTIME: 123, KWH: 45.678, COST: 12.3 }, 'KWH'],
  ['house/meter', { electricity: 12_345.6 }, 'electricity'],
  // Sources: futurehomeno/fimp-api (meter_elec), a fork of fluvius2mqtt, an older converter of the LiXee ZLinky_TIC.
  ['pt:j1/mt:evt/rt:dev/sv:meter_elec', { val: { e_import: 48_211.64, p_import: 2_310 } }, 'val/e_import'],
  ['dsmr/elec_cons_t1', { elec_cons_t1: 9_120.331, database: 'dsmr' }, 'elec_cons_t1'],
  ['iot/zigbee/ZLinky', { currentSummDelivered: 4_571_435, linkquality: 120 }, 'currentSummDelivered'],
  // Topics below Home Assistant's prefix that are not announcements (F1ATB's router), and words that end like a unit (va).
  ['homeassistant/sensor/RMS_state', { Energie_M_Soutiree: 7, PuissanceS_M: 3 }, 'Energie_M_Soutiree'],
  ['eredes/contador', { energia_ativa_importada: 8_123_411 }, 'energia_ativa_importada'],
  ['casa/contatore', { energia_attiva_prelevata: 8_123_411 }, 'energia_attiva_prelevata'],
];

test.each(ASKED)('asks about %s, whose unit is unknown', (on, body, name) => {
  const result = readMessage(on, body);
  expect([result?.readings, result?.asks.map(({ native_name }) => native_name)]).toEqual([[], [name]]);
});

test('asks nothing about a voltage of the grid, a state of Home Assistant, or a label that numbers something small', () => {
  for (const [on, body] of [
    ['twc/vitals', { grid_v: 230.1, grid_hz: 50.01, session_energy_wh: 3_200 }],
    ['homeassistant/sensor/meter_energy/state', '4821.3'],
    ['homeassistant/status', 'online'],
    ['wind/EAST', '12'],
    ['cellar/H19', '812.3'],
    ['cellar/x', { MR: 812.3, KT0: 34_123 }],
    ['solar/victron/HQ2132ABCDE/H20', '1.23'],
    ['grid/battery_a', '12.5'],
  ] as const)
    expect([on, readMessage(on, body)?.asks ?? [], readMessage(on, body)?.readings ?? []]).toEqual([on, [], []]);
});

test('asks about no year before the last one', () => {
  // Source: zivillian/ism7mqtt, Verbrauch_Vorvorjahr (consumption of the year before last) of a CHA heat pump.
  expect(readMessage('Wolf/CHA_0x8/Verbrauch_Vorvorjahr', '2682')).toBeNull();
});

test('asks about a volume of gas or water next to its unit, whatever it is called', () => {
  const units = fc.constantFrom('m3', 'm³', 'l');
  fc.assert(
    fc.property(fc.constantFrom('gas', 'water'), units, fc.integer({ min: 2, max: 9_000 }), (of, unit, reading) => {
      expect(readMessage('cellar/p1', { [of]: { reading, unit } })).toMatchObject({
        readings: [],
        asks: [{ native_name: of }],
      });
      for (const other of ['tank', 'today', 'price', 'flow'])
        expect(readMessage('cellar/p1', { [`${of}_${other}`]: { reading, unit } })?.asks ?? []).toEqual([]);
    }),
  );
});
