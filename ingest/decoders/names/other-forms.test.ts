import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECEIVED_AT_MS, readMessage } from '#test/support/read-message.ts';
import { namesFamily } from './decode.ts';

const namesOfQuestions = (topic: string, body: unknown) => {
  const result = readMessage(topic, body);
  expect(result?.readings ?? []).toEqual([]);
  return (result?.asks ?? []).map(({ native_name }) => native_name);
};

/** Messages of public projects that state no unit, with the names about which the owner is asked. */
const ASKED: [topic: string, body: unknown, names: string[]][] = [
  // Sources: yoshz/p1-mqtt-publisher, remyvv/p1-to-mqtt, the P1 node of TTN-Apeldoorn (Datacake decoder).
  ['energy/meters', { powerDraw: 532, powerMeter1: 123_456, gasMeter: 56_723 }, ['powerMeter1', 'gasMeter']],
  ['p1/4B38/electricity/received/tariff1/reading', '12345.678', ['tariff1/reading']],
  [
    'v3/app@ttn/devices/p1/up',
    { uplink_message: { decoded_payload: { laag: 1234.5, hoog: 2345.6, laagterug: 12.5, hoogterug: 34.5 } } },
    ['laag', 'hoog', 'laagterug', 'hoogterug'],
  ],
  ['huis/meter', { teruglevering_laag: 12.5, teruglevering_hoog: 34.5 }, ['teruglevering_laag', 'teruglevering_hoog']],
  ['maison/linky', { index_heures_creuses: 12_345_678, puissance_apparente: 12 }, ['index_heures_creuses']],
  // Sources: ways/meter_reading (Aidon), smart-me's interface (CounterReadingImport), whatwatt.ch.
  ['tibber/aidon', { p_act_in: 3_459, p_react_out: 311, ul1: 238 }, ['p_act_in']],
  ['smartme/9202922', { counterReadingImport: 2_428_878.776, voltage: 230 }, ['counterReadingImport']],
  ['whatwatt/ABC/meter', { P_In: 0.412, E_In: 1_234.567, E_Out: 234.5 }, ['E_In', 'E_Out']],
  // Sources: logon84/waterflow_sensor_aka_pulse_counter, dontsovcmc/waterius (Export.md: ch0 and ch1 are m³, imp0 and imp1 pulses).
  ['cellar/water', { pulses: 123, liters: 1_234.5, edges: 246 }, ['liters']],
  ['waterius/12380568', { delta0: 7, ch0: 338.304, ch1: 535.966, imp0: 79, imp1: 109, f0: 10 }, ['ch0', 'ch1']],
  ['waterius/12380568/ch0', '338.304', ['ch0']],
  // Sources: the labels of iEM3155 meters, e-redes.pt, Kamstrup's Omnipower (wmbusmeters), Dutch meters.
  ['iem3155', { EA_imp: 12_345_678, EA_exp: 123 }, ['EA_imp', 'EA_exp']],
  ['eredes/ativa_importada', '12345', ['ativa_importada']],
  [
    'kamstrup/omnipower',
    { 'active-positive': 12_345_678, 'active-negative': 12 },
    ['active-positive', 'active-negative'],
  ],
  ['meterkast/afname_t1', '1234.5', ['afname_t1']],
  // Sources: disk91/LoRaWan_PiT_Arduino, Fludia-IoT/LoRaWAN-decoders, ASoledad0303/monitoreoIot, yukulehe/gazpar2mqtt.
  ['maison/linky', { base: 18_234_110, delta: 312 }, ['base']],
  ['maison/tic/hchp', '18234110', ['hchp']],
  ['v3/app@ttn/devices/pit-linky/up', { uplink_message: { decoded_payload: { base: 18_234_110 } } }, ['base']],
  [
    'v3/app@ttn/devices/m1/up',
    { uplink_message: { decoded_payload: { index: 1_256, meter_type: 'mME', increments: [1, 2] } } },
    ['index'],
  ],
  ['esp/energia/E2641D44/state', { V: 230.5, I: 8.912, P: 1_978.1, S: 2_147.4, PF: 0.921 }, ['P']],
  ['gazpar/GI123456/last/index', '8123', ['index']],
  // Source: camueller/SmartApplianceEnabler, doc/MqttMeter_EN.md.
  ['metering/total/kWh/waermepumpe', 'waermepumpe=234.567', ['waermepumpe']],
  // Sources: jibrilsharafi/EnergyMe-Home (lists of channels), Kepware's IoT gateway (tags), ThingsBoard's gateway (rows of telemetry).
  [
    'energyme/home/588C81C47B64/energy',
    [
      { unixTime: 1_753_180_800_000, voltage: 231.4 },
      { unixTime: 1_753_180_800_000, channel: 0, activeEnergyImported: 1_284_311.5, reactiveEnergyImported: 2_311 },
      { unixTime: 1_753_180_800_000, channel: 1, activeEnergyImported: 20_411.2, apparentEnergy: 1_301_122.4 },
    ],
    ['0/activeEnergyImported', '1/activeEnergyImported'],
  ],
  [
    'iotgateway',
    { timestamp: 1, values: [{ id: 'Halle1.PM5320.ActiveEnergyDelivered_kWh', v: 184_322.5, q: true, t: 1 }] },
    ['values/Halle1.PM5320.ActiveEnergyDelivered_kWh'],
  ],
  [
    'v1/gateway/telemetry',
    {
      UG: [{ ts: 1_714_560_000_000, values: { energy_import_kwh: 4_812.7 } }],
      OG: [{ ts: 1_714_560_000_000, values: { energy_import_kwh: 1_204.2 } }],
    },
    ['UG/energy_import_kwh', 'OG/energy_import_kwh'],
  ],
  // Sources: EVerest (a session's energy is no register, but its power is a power), pablozg/freeds.
  [
    'everest_api/connector_1/var/session_info',
    { charged_energy_wh: 8_412, latest_total_w: 10_987.4, session_duration_s: 2_811 },
    ['latest_total_w'],
  ],
  ['freeds_3f1a/wgrid', '-1210.00', ['wgrid']],
  ['meters/cellar', { current_volume_m3: 6.054, log_volume_m3: 5.938, delta_6_m3: 0.014 }, ['current_volume_m3']],
  // Sources: zaknye/xcel_itron2mqtt and Rainforest's Eagle.
  [
    'eagle/meter',
    { SummationDelivered: 12_345.6, InstantaneousDemand: 0.412 },
    ['SummationDelivered', 'InstantaneousDemand'],
  ],
  // Words for "total" in other languages.
  ['dum/elektromer', { odber_celkem: 12_345.6 }, ['odber_celkem']],
  ['koti/sahko', { tuotanto_yhteensa: 234.5 }, ['tuotanto_yhteensa']],
  ['dom/licznik', { pobor_razem: 12_345.6 }, ['pobor_razem']],
  // Sources: sylvek/linkiki, WouterGritter/smart-meter-mqtt-bridge, slacky1965/watermeter_esp32, the meter of a hackerspace.
  ['sensors/linky/indice', '24582447', ['linky/indice']],
  ['maison/gaz/compteur/indice', '1234.5', ['compteur/indice']],
  ['smart-meter/gas', '2569.646', ['gas']],
  ['WaterMeter/HotWater/Out', '127350', ['HotWater']],
  ['/test/stromHinten/cum', '123456.987', ['stromHinten/cum']],
  ['haus/strom/kumuliert', '1234.5', ['strom/kumuliert']],
  // Source: actility/device-catalog, vendors/arad.
  [
    'v3/app@ttn/devices/sonata-12/up',
    { uplink_message: { decoded_payload: { readVolume: 1_747_270, alarmBitmap: 3_208 } } },
    ['readVolume'],
  ],
  ['solarTracer/values/stats_production_total', '612.48', ['stats_production_total']],
  ['hjem/ams', { akkumulert_produksjon: 234.5 }, ['akkumulert_produksjon']],
];

test.each(ASKED)('asks about %s, whose unit is unknown', (topic, body, names) => {
  expect(namesOfQuestions(topic, body).sort()).toEqual([...names].sort());
});

test('asks about no tariff that may be a temperature, a price, a day, or a number of pulses', () => {
  for (const [topic, body] of [
    ['heat/pump', { T1: 35.2, T2: 30.1, T1_in: 35.2, T1_out: 30.1 }],
    ['x/y', { laag: 35.2, hoog: 30.1 }],
    ['x/prijs', { verbruik_laag_prijs: 0.21, teruglevering_laag_vandaag: 2.1 }],
    ['waterius/12380568', { imp0: 79, imp1: 109, f0: 10, f1: 10 }],
    ['phone/lock', { pin: 1_234, e_ink: 7, users_active: 5 }],
  ] as const)
    expect([topic, namesOfQuestions(topic, body)]).toEqual([topic, []]);
});

test('leaves a property of Homie without attributes to its name, unless the device describes others', () => {
  const topic = 'homie/plug/power/energy';
  expect(readMessage(topic, '12.5')).toMatchObject({
    family: 'names',
    readings: [],
    asks: [{ unit: null, value: 12.5 }],
  });
  expect(readMessage(topic, '12.5', { replayed: true })).toMatchObject({ family: 'homie', asks: [] });
  const prior = [{ topic: 'homie/plug/power/voltage/$unit', payload: Buffer.from('V') }];
  expect(readMessage(topic, '12.5', { prior })).toMatchObject({ family: 'homie', readings: [], asks: [] });
});

test('reads a list of OBIS codes with values and units as an object of them', () => {
  const list = [
    { obis: '1-0:1.8.0*255', value: 12_345_678.9, unit: 'Wh' },
    { obis: '1-0:2.8.0*255', value: 234_567, unit: 'Wh' },
    { obis: '1-0:16.7.0*255', value: 412, unit: 'W' },
  ];
  const wanted = [
    { channel: 'import', value: 12_345.6789 },
    { channel: 'export', value: 234.567 },
    { channel: 'import', kind: 'power_w', value: 412 },
  ];
  expect(readMessage('meter/sml', list)?.readings).toMatchObject(wanted);
  expect(readMessage('meter/sml', [list[0], list[0]])).toBeNull();
  expect(namesOfQuestions('sml/01.00.01.08.00.ff', '12345678.9')).toEqual(['01.00.01.08.00.ff']);
});

test('reads a point of InfluxDB’s line protocol as an object of its fields, and its tags as the device', () => {
  const fields = fc.dictionary(
    fc.constantFrom('import_kwh', 'export_kwh', 'power_w'),
    fc.integer({ min: 2, max: 90_000 }),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(fields, fc.constantFrom('', 'i'), fc.boolean(), (body, mark, hasTag) => {
      const written = Object.entries(body).map(([name, value]) => `${name}=${value}${mark}`);
      const line = `energy${hasTag ? ',host=m1' : ''} ${written.join(',')} 1764288000000000000`;
      const asObject = { ...body, time: 1_764_288_000_000, ...(hasTag && { device_name: 'm1' }) };
      expect(readMessage('telegraf/meter', line)).toEqual(readMessage('telegraf/meter', asObject));
    }),
  );
  // Source: jblance/mpp-solar, mppsolar/outputs/mqtt_influx.py.
  const line = 'mpp-solar,setting=ac_output_active_power value=412.0,unit="W"';
  expect(readMessage('mpp-solar', line)?.asks).toMatchObject([{ unit: 'W', value: 412 }]);
  for (const other of ['a b=c', 'energy import_kwh=', 'energy import_kwh=7,', 'hello world', 'energy,host=m1 7'])
    expect(readMessage('telegraf/meter', other)?.readings ?? []).toEqual([]);
});

test('gives the unit of a body to the reading of the meter, and does not ask about numbers that describe the meter', () => {
  // Source: aclii/izar-mqtt-bridge, README.md.
  const body = { meter_id: '12345678', current_reading: 12.345, h0_reading: 10, flow_rate: 15.25, free_heap_kb: 95.4 };
  expect(readMessage('home/water_meter/reading', { ...body, unit: 'm3' })).toMatchObject({
    readings: [{ channel: 'water/m3', value: 12.345 }],
    asks: [],
  });
  expect(namesOfQuestions('home/water_meter/reading', body)).toEqual(['current_reading', 'h0_reading']);
  expect(namesOfQuestions('home/water_meter', { foo_bar: 12.5 })).toEqual([]);
});

test('gives long names that begin alike channels of their own', () => {
  const body = {
    data_of_phase_a: { energy: { active: { positive: 12.5, negative: 7.5 }, reactive: { positive: 5 } } },
  };
  const message = {
    topic: 'm/1',
    payload: Buffer.from(JSON.stringify(body)),
    receivedAtMs: RECEIVED_AT_MS,
    replayed: false,
  };
  const channels = namesFamily.decode(message, {}, undefined as never)?.said.map(({ channel }) => channel);
  expect(new Set(channels).size).toBe(2);
});

test('asks about the unit in props and the present demand', () => {
  const fimp = (unit: string) => readMessage('pt:j1/mt:evt/ad:1/sv:meter_elec/ad:15_1', { val: 12.5, props: { unit } });
  expect(fimp('kWh')?.asks).toMatchObject([{ unit: 'kWh', value: 12.5 }]);
  expect(fimp('W')?.asks).toMatchObject([{ unit: 'W', value: 12.5 }]);
  expect(fimp('V')).toBeNull();
  expect(namesOfQuestions('eagle/meter', { PeakDemand: 412, demand: 410 })).toEqual([]);
});

test('asks about no reactive or apparent power, no power factor and no resettable energy of a PDU', () => {
  const names = namesOfQuestions('rack/pdu', {
    act_pow: 318,
    react_pow: -68,
    app_pow: 343,
    pow_fact: 0.9,
    res_energy: 7,
  });
  expect(names).toEqual(['act_pow']);
});

test('asks about the reading of a LoRaWAN meter also of gas or water, but not of heat', () => {
  const uplink = { uplink_message: { decoded_payload: { MeterReading: 5_944, Status: '0' } } };
  expect(namesOfQuestions('v3/app@ttn/devices/cellar/up', uplink)).toEqual(['MeterReading']);
  for (const name of ['gas-meter', 'water-meter'])
    expect(namesOfQuestions(`v3/app@ttn/devices/${name}/up`, uplink)).toEqual(['MeterReading']);
  expect(namesOfQuestions('v3/app@ttn/devices/heat-meter/up', uplink)).toEqual([]);
});

test('asks about no setting, no symbol or label without evidence, and no reactive energy', () => {
  for (const [topic, body] of [
    // Source: sebastienvermeille/rika2mqtt, docs/docs/examples/example-telemetry-mqtt.md.
    ['tele/rika2mqtt', { stoveId: 42, controls: { heatingPower: 70 }, settings: { total_energy: 70 } }],
    ['field/soil', { N: 12, P: 34, K: 56, V: 3.3 }],
    ['field/soil', { V: 3.3, I: 0.2, npk: { P: 34 } }],
    ['x/y', { base: 18_234_110, east: 12_345 }],
    ['robot/arm', { index: 1_256 }],
    ['gazpar/GI123456/last/price', '8123'],
    ['total/kWh/heat_pump', 'other=234.567'],
    // Source: wirenboard/wb-mqtt-serial, templates/config-map3e-fw2.json: RP is reactive power.
    ['/devices/wb-map3e_34/controls/RP energy L2', '812.114'],
  ] as const)
    expect([topic, namesOfQuestions(topic, body)]).toEqual([topic, []]);
});

test('reads a list of one object next to a description, and a unit that an object states for all its values', () => {
  const batch = (meter: object) => ({ source: { ip: '10.79.101.101', id: 'GW-1' }, data: [{ id: 'EM-1', meter }] });
  const active = (unit: string) => batch({ active: { unit, value: { forward_total: 1_500.5, reverse_total: 7.5 } } });
  expect(readMessage('up/EM-1', active('kWh'))?.readings).toMatchObject([
    { channel: 'import', kind: 'energy_total_kwh', value: 1_500.5 },
    { channel: 'export', kind: 'energy_total_kwh', value: 7.5 },
  ]);
  for (const unit of ['kvarh', 'VAh', 'EUR']) expect(readMessage('up/EM-1', active(unit))).toBeNull();
  // An object with numbers may be another part of the device.
  expect(readMessage('up/EM-1', { ...active('kWh'), source: { volts: 230 } })).toBeNull();
});

test('asks about an energy in watts as an energy, because its name or its unit is wrong', () => {
  for (const name of ['energy', 'import_energy']) {
    const payload = Buffer.from(JSON.stringify({ [name]: { value: 1_500.5, unit: 'kW' } }));
    const said = namesFamily.decode({ topic: 'up/EM-1', payload, receivedAtMs: RECEIVED_AT_MS }, {}, null)?.said;
    expect(said).toMatchObject([{ kind: 'energy_total_kwh', value: 1_500.5, asks: { unit: null } }]);
  }
});

test('asks about a counter next to its value of the day, and about no power next to the energy of the day', () => {
  // Source: the JSON of Domoticz for a meter with a P1 port.
  const domoticz = { Counter: '7506.026', CounterToday: '3.427 kWh', CounterDeliv: '12.5', CounterDelivToday: '0 kWh' };
  expect(readMessage('house/p1', domoticz)?.asks).toMatchObject([
    { native_name: 'Counter', unit: 'kWh', value: 7_506.026 },
    { native_name: 'CounterDeliv', unit: 'kWh', value: 12.5 },
  ]);
  const payload = Buffer.from(JSON.stringify({ solar: 812.5, solarToday: '3.4 kWh' }));
  const said = namesFamily.decode({ topic: 'house/p1', payload, receivedAtMs: RECEIVED_AT_MS }, {}, null)?.said;
  expect(said).toMatchObject([{ kind: 'power_w', asks: { unit: null } }]);
});

test('asks about the volume of a LoRaWAN meter without a commodity, unless the meter also reports energy', () => {
  const up = (decoded_payload: object) => ({ uplink_message: { decoded_payload } });
  const row = (Type: string, Value: number | boolean, Unit: string) => ({ Type, Value, Unit, Timestamp: '2023-10-19' });
  const values = [row('Volume', 0.236, 'm3'), row('Dry', false, 'NA'), row('Max Volume flow', 0, 'm3/h')];
  const topic = 'v3/app@ttn/devices/flowiq/up';
  // Source: TheThingsNetwork/lorawan-devices, vendor/kamstrup.
  expect(readMessage(topic, up({ values, latestVolume: 12.5 }))?.asks).toMatchObject([
    { native_name: 'values/Volume', unit: 'm³', value: 0.236 },
  ]);
  const hours = [row('Volume', 12.5, 'm3'), row('Volume', 12.25, 'm3')];
  expect(namesOfQuestions(topic, up({ values: hours, latestVolume: 12.5 }))).toEqual(['latestVolume']);
  expect(readMessage(topic, up({ heat_energy_kwh: 812.5, volume: 12.5, unit: 'm3' }))?.asks ?? []).toEqual([]);
  expect(namesOfQuestions('radio/kitchen', { current_volume: 35, volume: 35 })).toEqual([]);
});

test('reads what a device reports in its shadow, and no set-point', () => {
  const shadow = { state: { desired: { import_kwh: 9 }, reported: { import_kwh: 7.5 } } };
  expect(readMessage('$aws/things/m1/shadow/update', shadow)?.readings).toMatchObject([
    { device: 'aws/things/m1', channel: 'import', value: 7.5 },
  ]);
  expect(readMessage('$aws/things/m1/shadow/update', { state: { desired: { import_kwh: 9 } } })).toBeNull();
  expect(readMessage('$aws/things/m1/shadow/update/delta', { state: { import_kwh: 9 } })).toBeNull();
});

test('counts SunSpec registers by their names, asks about points without a direction, and reads no scale factor as a number', () => {
  // Source: sm26449/fronius-modbus-mqtt, and the names of SunSpec's models 103 and 203.
  const meter = {
    TotWhImp: 8_412_345,
    TotWhExp: 15_102_233,
    TotWhImpPhA: 7_000,
    TotVAhImp: 9_000,
    WphA: -100,
    W: -412.5,
  };
  const of = (body: object) => readMessage('fronius/meter', { ...body, PPVphAB: 400, WRtg: 5_000, WHRtg: 10_000 });
  expect(of(meter)).toMatchObject({
    readings: [
      { channel: 'import', kind: 'energy_total_kwh', value: 8_412.345 },
      { channel: 'export', value: 15_102.233 },
      { channel: 'import/l1', value: 7 },
    ],
    asks: [{ native_name: 'W', unit: 'W', value: -412.5 }],
  });
  expect(of({ ...meter, TotWh_SF: -1, W_SF: -2 })).toMatchObject({
    readings: [],
    asks: ['TotWhImp', 'TotWhExp', 'TotWhImpPhA', 'W'].map((native_name) => ({ native_name, unit: null })),
  });
  expect(of({ WH: 45_123, DCW: 430, WphA: 7 })?.asks).toMatchObject([{ unit: 'kWh' }, { unit: 'W' }, { unit: 'W' }]);
  expect(readMessage('fronius/meter/240/TotWhExp', '15102233')?.readings).toMatchObject([{ channel: 'export' }]);
  expect(namesOfQuestions('fronius/meter/240/WphA', '-412.5')).toEqual(['WphA']);
  for (const name of ['TotWh_SF', 'TotVAhImp', 'WHRtg', 'WMaxLimPct'])
    expect([name, namesOfQuestions(`fronius/meter/240/${name}`, '5')]).toEqual([name, []]);
  expect(namesOfQuestions('x/y', { W: 412.5, A: 3 })).toEqual([]);
});

test('asks about no bare commodity or index without a meter, no settings next to a limit, and no state of a storage', () => {
  for (const [topic, body] of [
    ['air/gas', '12345'],
    ['smart-meter/gas', '1'],
    ['smart-meter/gas/price', '12'],
    ['garden/water/out', '12'],
    ['weather/uv/indice', '7'],
    ['haus/strom/preis', '0.31'],
    // Source: mtrossbach/noah-mqtt.
    ['noah2mqtt/0ABC/parameters', { charging_limit: 100, discharge_limit: 9, output_power_w: 800 }],
    // Source: actility/device-catalog, vendors/micropelt.
    ['v3/app@ttn/devices/valve/up', { uplink_message: { decoded_payload: { Energy_Storage: 0, Flow_Temp: 39 } } }],
  ] as const)
    expect([topic, namesOfQuestions(topic, body)]).toEqual([topic, []]);
  expect(readMessage('meter/parameters', { import_kwh: 7.5, power_w: 800 })?.readings).toMatchObject([
    { value: 7.5 },
    {},
  ]);
});

test('reads the name of a number in the member next to it, in samples, M-Bus frames and events of Z-Wave JS', () => {
  const up = (object: object) => ({ object, deviceInfo: { deviceName: 'm1' } });
  const topic = 'application/7/device/24e124538c123456/event/up';
  const sample = (variable: string, value: number, unit: string) => ({ variable, value, unit, date: '2023-07-19' });
  const samples = [sample('positive_active_energy', 239_978, 'Wh'), sample('positive_reactive_energy', 37_529, 'VArh')];
  // Sources: actility/device-catalog, vendors/watteco and vendors/iot-factory; home-assistant/core, issue 63088.
  const asks = [{ native_name: 'samples/positive_active_energy', unit: 'kWh', value: 239.978 }];
  expect(readMessage(topic, up({ samples }))).toMatchObject({ readings: [], asks });
  expect(readMessage(topic, up({ samples, positive_active_energy: 7 }))?.asks).toMatchObject([
    { unit: null, value: 7 },
  ]);
  const frame = (medium: string) => ({
    battery_pct: 80,
    frames: [{ dif: { countByte: 4 }, medium, measurement: { desc: 'energy', unit: 'Wh', value: 1_250, raw: [0] } }],
  });
  expect(readMessage(topic, up(frame('Electricity')))?.asks).toMatchObject([{ unit: 'kWh', value: 1.25 }]);
  expect(readMessage(topic, up(frame('Heat')))?.asks).toMatchObject([
    { native_name: 'frames/Heat/measurement/energy' },
  ]);
  const event = (nodeId: number, propertyKeyName: string) => ({
    event: {
      nodeId,
      args: { commandClass: 50, propertyKey: 66_049, newValue: 1948.3, prevValue: 291, propertyKeyName },
    },
  });
  const ofEvent = (nodeId: number, name: string) => readMessage('zwave/events', event(nodeId, name))?.asks ?? [];
  expect(ofEvent(7, 'Electric_W_Consumed')).toMatchObject([{ unit: 'W', value: 1948.3 }]);
  expect(ofEvent(9, 'Electric_kWh_Consumed')).toMatchObject([{ unit: 'kWh', value: 1948.3 }]);
  expect(ofEvent(7, 'Electric_W_Consumed')[0]?.native_name).not.toBe(ofEvent(9, 'Electric_W_Consumed')[0]?.native_name);
  expect(ofEvent(7, 'Electric_V_Consumed')).toEqual([]);
});

/**
 * Names of numbers that are no reading of a meter: prices, limits, forecasts, set-points, contents of a battery, other quantities. Sources:
 * SunSpec's models 103 to 802, evcc-io/evcc, tbnobody/OpenDTU, MaStr/batcontrol, BJReplay/ha-solcast-solar, victronenergy/venus.
 */
const NO_READINGS =
  `WHRtg WRtg VARtg AhRtg WMax WMaxLimPct WGra VArPct WChaRteMax WDisChaRteMax SoC SoCMax TotWh_SF W_SF A_SF PPVphAB PhVphA DCV DCA
  TmpCab TotVAhImp TotVArhImpQ1 VAR VA PFphA StVnd price_per_kwh electricity_price tariffGrid feedInPrice spot_price_eur grid_fee_kwh
  co2_intensity total_cost energie_preis strompreis power_limit export_limit max_charge_power maxCurrent max_power_w charge_power_limit_w
  inverter_rated_power nominal_power_w contracted_power_kw limit_nonpersistent_absolute max_charging_from_grid_limit forecast_today_kwh
  pv_forecast predicted_consumption_kwh remaining_energy_today setpoint_w target_power_w target_soc desired_power power_setpoint
  grid_setpoint ess_setpoint_w battery_capacity_kwh usable_capacity_wh design_capacity batteryCapacity full_charge_capacity battery_soc
  available_energy_wh grid_voltage battery_voltage v_l1 voltage_l1_n current_a frequency power_factor cos_phi energy_today_kwh
  daily_yield_kwh yesterday_kwh month_energy_kwh session_energy_wh read_interval reading_time read_errors stats_uptime stats_errors
  statistics_count tot_alarms cum_cycles index indice_uv gas_pressure gas_price water_temp water_level cumul_pluie rating_plate`.split(
    /\s+/,
  );

test('neither counts nor asks about prices, limits, forecasts, set-points, contents and other quantities in any form', () => {
  const forms: ((name: string) => [topic: string, body: unknown])[] = [
    (name) => [`home/device/${name}`, '1234.5'],
    (name) => ['home/device', { [name]: 1_234.5, foo: 3 }],
    (name) => ['v3/a@ttn/devices/d/up', { uplink_message: { decoded_payload: { [name]: 1_234.5 } } }],
    (name) => ['home/meter', [{ variable: name, value: 1_234.5 }]],
    (name) => ['home/device', { a: { desc: name, newValue: 1_234.5 } }],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...NO_READINGS), fc.constantFrom(...forms), (name, form) => {
      const result = readMessage(...form(name));
      const readings = (result?.readings ?? []).filter(({ channel }) => !channel.includes('ignored/'));
      expect([name, result?.asks ?? [], readings]).toEqual([name, [], []]);
    }),
    { numRuns: 300 },
  );
});
