import { setTimeout as sleep } from 'node:timers/promises';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayHome, startGatewayHome } from '#test/support/gateway-home.ts';

let service: GatewayHome;
beforeAll(async () => {
  service = await startGatewayHome();
});
afterAll(() => service.close());

const HOUR_MS = 3_600_000;
/** Start of the last five full hours. The test sends a reading at the start and the end of each hour. */
const FROM_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
const dates = [-1, 1].map((days) => new Date(Date.now() + days * 24 * HOUR_MS).toISOString().slice(0, 10));

test('JSON of an unknown topic is discovered by the names of its members, paired, and counts exactly', async () => {
  const { send, api } = service;
  const client = await mqtt.connectAsync(await service.bridge(['cellar/#', 'givenergy/#']));
  const publish = (topic: string, payload: object | string) =>
    client.publishAsync(topic, typeof payload === 'string' ? payload : JSON.stringify(payload), { qos: 1 });
  /**
   * Returns the message of a meter at an hour. It contains total registers, which rise, and daily registers, which restart at the third
   * hour.
   */
  const meter = (hour: number) => ({
    wifi_strength: 80,
    InvSerial: 12_345_678,
    timestamp: new Date(FROM_MS + hour * HOUR_MS).toISOString(),
    total_power_import_kwh: 13_779.338 + 1.25 * hour,
    total_power_import_t1_kwh: 10_830.511 + hour,
    total_power_import_t2_kwh: 2_948.827 + 0.25 * hour,
    total_power_export_kwh: 12.5 + 0.125 * hour,
    daily_import_kwh: hour < 3 ? 8 + hour : hour - 3,
    active_power_w: 1_125,
    battery: 80,
  });
  await publish('cellar/p1', meter(0));
  await publish('cellar/inverter', { ts: FROM_MS / 1_000, energy_total_kwh: 100, battery_soc_pct: 50, temp_cpu_c: 60 });
  await publish('givenergy/SA1/Total/Import_Energy_Total_kWh', '500.5');
  const found = await service.discovered(3);
  expect(found.map(({ family, native_id }) => `${family} ${native_id}`).sort()).toEqual([
    'names cellar/inverter',
    'names cellar/p1',
    'names givenergy/SA1/Total',
  ]);
  const listed: { native_id: string; channels: string[] }[] = await send('/v1/devices/discovered');
  expect(listed.find(({ native_id }) => native_id === 'cellar/p1')?.channels.toSorted()).toEqual([
    'export',
    'import',
    'import/t1',
    'import/t2',
  ]);
  const pair = async (name: string, type: string) => {
    const { discovery_id } = found.find(({ native_id }) => native_id === name) ?? {};
    await send('/v1/devices', { type, location: 'cellar', discovery_id });
  };
  await pair('cellar/p1', 'smart_meter');
  await pair('cellar/inverter', 'inverter');
  for (let hour = 0; hour <= 5; hour++) {
    await publish('cellar/p1', meter(hour));
    await publish('cellar/p1', '{"total_power_import_kwh": null, "total_power_export_kwh": "unavailable"}');
    await publish('cellar/inverter', { ts: (FROM_MS + hour * HOUR_MS) / 1_000, energy_total_kwh: 100 + 0.5 * hour });
  }
  await client.endAsync();
  const insights = async () => {
    const path = `/v1/energy-insights?start=${dates[0]}&end=${dates[1]}&include=grid_import,grid_export,production`;
    const { data } = await send(path);
    const sum = (name: string) => data.reduce((all: number, row: Record<string, number>) => all + (row[name] ?? 0), 0);
    return ['grid_import_kwh', 'grid_export_kwh', 'production_kwh'].map((name) => Number(sum(name).toFixed(6)));
  };
  await expect.poll(insights, { interval: 250 }).toEqual([6.25, 0.625, 2.5]);
  const { rows } = await api.database.pool.query('SELECT reason FROM rejected_messages');
  expect(rows).toEqual([]);
});

/**
 * Messages of a device family, which are sent in six steps (0 to 5). `counts`: energy after the last step in kWh, imported or charged
 * (`used`), and exported or produced (`export`).
 */
interface Flow {
  messages(step: number): Record<string, object | string | number>;
  counts: Record<string, { used: number; export: number }>;
  /** Devices whose readings do not count until their owner has answered a question. */
  asks?: readonly string[];
}

/** Registers at a step: one rises by 0.05 kWh a step, and one by 0.02 kWh. A daily register restarts at the third step. */
const up = (step: number) => Number((1_234.5 + 0.05 * step).toFixed(3));
const down = (step: number) => Number((678.25 + 0.02 * step).toFixed(3));
const today = (step: number) => (step < 3 ? 8 + step : step - 3);
const wattHours = (kwh: number) => Math.round(kwh * 1_000);
const hourOf = (step: number) => FROM_MS + step * HOUR_MS;
const GRID = { used: 0.25, export: 0.1 };
const PV = { used: 0, export: 0.25 };
const each = (names: Record<string, number | string>, topic: (name: string) => string) =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [topic(name), value]));

const FLOWS: Record<string, Flow> = {
  sungrow: {
    messages: (step) => ({
      'SunGather/A1': {
        ...{
          device_type_code: 'SH10RT',
          battery_level: 50,
          daily_import_energy: today(step),
          total_power_yields: 9_000 + step,
        },
        ...{ total_import_energy: up(step), total_export_energy: down(step), total_pv_generation: up(step) },
        ...{ total_charge_energy: up(step), total_battery_discharge_energy: down(step), total_pv_export: up(step) },
      },
    }),
    counts: { 'A1/grid': GRID, 'A1/pv': PV, 'A1/battery': GRID },
  },
  huawei: {
    messages: (step) => ({
      'huawei-solar': {
        ...{ energy_yield_accumulated: up(step), energy_yield_day: today(step), power_input: 500, battery_soc: 0 },
        ...{ energy_grid_accumulated: up(step), energy_grid_exported: down(step), serial_number: 'TA1234567890' },
        last_update: hourOf(step) / 1_000,
      },
    }),
    counts: { 'huawei-solar/grid': GRID, 'huawei-solar/pv': PV },
  },
  hoymiles: {
    messages: (step) =>
      each(
        {
          ...{ pv_port1_energy: wattHours(up(step)), pv_port2_energy: wattHours(down(step)) },
          ...{ pv_daily_yield: today(step), pv_current_power: 185.8, pv_port1_power: 98.4 },
        },
        (name) => `hms800wt2/${name}`,
      ),
    counts: { hms800wt2: { used: 0, export: 0.35 } },
  },
  rscp2mqtt: {
    messages: (step) =>
      each(
        {
          ...{ 'wallbox/energy/total': wattHours(up(step)), 'wallbox/energy/solar': wattHours(down(step)) },
          ...{
            'grid/energy/out': today(step),
            'year/solar/energy': 5_000 + step,
            'pm/energy': up(step),
            'battery/soc': 81,
          },
        },
        (name) => `e3dc/${name}`,
      ),
    counts: { 'e3dc/wallbox': { used: 0.25, export: 0 } },
    asks: ['e3dc/pm'],
  },
  gosdm630: {
    messages: (step) =>
      each(
        {
          ...{ TotkWhImport: up(step).toFixed(3), TotkWhImportPhsA: (up(step) / 3).toFixed(3) },
          ...{ TotkWhExport: down(step).toFixed(3), VolLocPhsA: '231.000' },
        },
        (name) => `sdm630/Instrument1/${name}`,
      ),
    counts: { 'sdm630/Instrument1': GRID },
  },
  smartmeter2mqtt: {
    messages: (step) =>
      Object.fromEntries(
        Object.entries({
          totalT1Use: up(step),
          totalT2Use: down(step),
          totalT1Delivered: down(step),
          currentTarrif: 1,
        }).map(([name, val]) => [`smartmeter/status/${name}`, { ts: hourOf(step), val }]),
      ),
    counts: { smartmeter: { used: 0.35, export: 0.1 } },
  },
  p1ib: {
    messages: (step) => ({
      'p1ib/sensor_state': {
        ...{ p1ib_hourly_active_import_q1_q4: up(step), p1ib_hourly_active_export_q2_q3: down(step) },
        ...{
          p1ib_hourly_reactive_import_q1_q2: 7_000 + step,
          p1ib_active_power_plus_q1_q4: 4.396,
          p1ib_wifi_mac: 'b0b21ca00a68',
        },
      },
    }),
    counts: { b0b21ca00a68: GRID },
  },
  givtcp: {
    messages: (step) =>
      each(
        {
          ...{ 'Total/Import_Energy_Total_kWh': up(step), 'Total/Export_Energy_Total_kWh': down(step) },
          ...{ 'Today/Import_Energy_Today_kWh': today(step), 'Total/Load_Energy_Total_kWh': 9_000 + step },
        },
        (name) => `GivEnergy/SA2114G047/Energy/${name}`,
      ),
    counts: { 'SA2114G047/grid': GRID },
  },
  solarassistant: {
    messages: (step) =>
      each(
        { grid_energy_in: up(step), grid_energy_out: down(step), pv_energy: up(step), load_energy: 9_000 + step },
        (name) => `solar_assistant/total/${name}/state`,
      ),
    counts: { 'solar_assistant/grid': GRID, 'solar_assistant/pv': PV },
  },
  'lxp-bridge': {
    messages: (step) => ({
      'lxp/AB12345678/inputs/all': {
        ...{ e_pv_all: up(step), e_pv_all_1: up(step), e_pv_day: today(step), e_to_user_all: up(step), soc: 61 },
        ...{ e_to_grid_all: down(step), e_chg_all: up(step), e_dischg_all: down(step), e_chg_day: today(step) },
        time: hourOf(step) / 1_000,
      },
    }),
    counts: { 'AB12345678/grid': GRID, 'AB12345678/pv': PV, 'AB12345678/battery': GRID },
  },
  smartevse: {
    messages: (step) =>
      each(
        {
          ...{ EVImportActiveEnergy: wattHours(up(step)), EVEnergyCharged: wattHours(today(step)) },
          ...{ MainsImportActiveEnergy: wattHours(up(step)), MainsExportActiveEnergy: wattHours(down(step)) },
        },
        (name) => `SmartEVSE-51446/${name}`,
      ),
    counts: { 'SmartEVSE-51446': { used: 0.25, export: 0 }, 'SmartEVSE-51446/grid': GRID },
  },
  teleinfokit: {
    messages: (step) =>
      each({ hp: wattHours(up(step)), hc: wattHours(down(step)), papp: 1_580 }, (name) => `teleinfokit/${name}`),
    counts: { teleinfokit: { used: 0.35, export: 0 } },
  },
  domoticz: {
    messages: (step) => ({
      'domoticz/out': {
        ...{ idx: 5, dtype: 'P1 Smart Meter', stype: 'Energy', Battery: 255, nvalue: 0 },
        ...{ svalue1: `${wattHours(up(step))}`, svalue2: `${wattHours(down(step))}`, svalue3: '0', svalue4: '0' },
        ...{ svalue5: '512', svalue6: '0' },
      },
    }),
    counts: { 'domoticz/5': { used: 0.35, export: 0 } },
  },
  marstek: {
    messages: (step) => ({
      'hm2mqtt/HMA-1/device/e88da6f35def/data': {
        ...{ batteryPercentage: 14, outputPower: { output1: 96, output2: 99, total: 195 } },
        dailyStats: { batteryChargingPower: wattHours(today(step)) },
      },
    }),
    counts: {},
    asks: ['HMA-1/e88da6f35def'],
  },
};

test('registers of known families count exactly or need the owner’s attention, whatever else a device sends', async () => {
  const { send } = service;
  const known: string[] = (await send('/v1/devices/discovered')).map((one: { native_id: string }) => one.native_id);
  const client = await mqtt.connectAsync(await service.bridge());
  const publish = async (step: number) => {
    for (const { messages } of Object.values(FLOWS)) {
      for (const [topic, payload] of Object.entries(messages(step))) {
        await client.publishAsync(topic, typeof payload === 'object' ? JSON.stringify(payload) : `${payload}`, {
          qos: 1,
        });
      }
    }
    // Pause between messages. They contain no time, and two readings of a register in the same millisecond would count as one.
    await sleep(20);
  };
  await publish(0);
  const expected = Object.assign({}, ...Object.values(FLOWS).map(({ counts }) => counts));
  const asked = Object.values(FLOWS).flatMap(({ asks = [] }) => asks);
  const names = [...Object.keys(expected), ...asked];
  const found = (await service.discovered(names.length + known.length)).filter((one) => !known.includes(one.native_id));
  expect(found.map(({ native_id }) => native_id).sort()).toEqual(names.toSorted());
  const paired = new Map<string, string>();
  for (const { native_id, discovery_id } of found) {
    // The simulated registers rise within milliseconds, so they seem to rise with a high power. The limit of 1 GW allows it.
    const settings = { type: 'thing', location: 'home', timezone: 'Europe/Berlin', limit_kw: 1_000_000 };
    paired.set(native_id, (await send('/v1/devices', { ...settings, discovery_id })).device_id);
  }
  for (let step = 0; step <= 5; step++) await publish(step);
  await client.endAsync();
  const counted = async () => {
    const all = new Map<string, { used: number; export: number }>();
    for (const [name, id] of paired) {
      const { data } = await send(`/v1/devices/${id}/usage?include=export&start=${dates[0]}&end=${dates[1]}`);
      const sum = (member: string) =>
        Number(data.reduce((kwh: number, row: Record<string, number>) => kwh + (row[member] ?? 0), 0).toFixed(6));
      all.set(name, { used: sum('kwh_used'), export: sum('export_kwh') });
    }
    return Object.fromEntries(all);
  };
  const nothing = Object.fromEntries(asked.map((name) => [name, { used: 0, export: 0 }]));
  await expect.poll(counted, { interval: 250 }).toEqual({ ...expected, ...nothing });
  for (const name of asked) {
    const { attention } = await send(`/v1/devices/${paired.get(name)}`);
    expect([name, attention]).toEqual([name, expect.arrayContaining(['unknown_quantity'])]);
  }
});
