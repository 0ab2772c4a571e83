import { describe, expect, test } from 'vitest';
import { listSensors, parseHomeAssistantAnnouncement } from '#test/support/homeassistant.ts';
import {
  type AnnouncementSettings,
  buildAnnouncementMessages,
  DEVICE_SENSORS,
  findOwnAnnouncedTopics,
  HOME_SENSORS,
  type HomeReport,
} from './announce.ts';

const ANNOUNCER: AnnouncementSettings = {
  prefix: 'homeassistant',
  installation: 'a1b2c3',
  publicUrl: 'https://energy.example.com',
};
const all = (sensors: object) => Object.fromEntries(Object.keys(sensors).map((key) => [key, 1.5]));
const home = (patch: Partial<HomeReport> = {}): HomeReport => ({
  userId: 'usr_1',
  owner: null,
  currency: 'EUR',
  since: { month: '2026-11-01T00:00:00+01:00', day: '2026-11-23T00:00:00+01:00' },
  values: all(HOME_SENSORS),
  devices: [{ deviceId: 'dev_1', name: 'Kitchen', type: 'smart_plug', values: all(DEVICE_SENSORS) }],
  ...patch,
});
const CONFIG = 'homeassistant/device/energy_usage_usr_1/config';
const announced = (homes: HomeReport[], announcer = ANNOUNCER) => {
  const read = [...buildAnnouncementMessages(announcer, homes)].filter(([topic]) => topic.endsWith('/config'));
  return read.map(([topic, payload]) => parseHomeAssistantAnnouncement(announcer.prefix, topic, payload));
};

describe('the announcements to Home Assistant', () => {
  test('follow its rules: every sensor has a valid unit and state class', () => {
    const [ofHome, ofDevice] = announced([home()]);
    expect(Object.keys(listSensors(ofHome as never))).toEqual(Object.keys(HOME_SENSORS));
    expect(Object.keys(listSensors(ofDevice as never))).toEqual(Object.keys(DEVICE_SENSORS));
    expect(listSensors(ofHome as never).cost).toMatchObject({
      unique_id: 'energy_usage_usr_1_cost',
      device_class: 'monetary',
      state_class: 'total',
      unit_of_measurement: 'EUR',
      last_reset_value_template: '{{ value_json.month_since }}',
    });
    // With a state class, Home Assistant would count the forecast as consumption.
    expect(listSensors(ofHome as never).forecast).not.toHaveProperty('state_class');
    expect(ofDevice?.device).toMatchObject({ name: 'Kitchen', via_device: ofHome?.device.identifiers[0] });
    expect(ofHome?.device.configuration_url).toBe('https://energy.example.com/dashboard');
  });

  test('remove sensors that a home no longer has, and contain no address unless one is configured', () => {
    const [ofHome] = announced([home({ currency: null, values: { used: null, cost: '1.20' }, devices: [] })], {
      ...ANNOUNCER,
      publicUrl: null,
    });
    expect(Object.keys(listSensors(ofHome as never))).toEqual(['used']);
    expect(ofHome?.components.grid_import).toEqual({ platform: 'sensor' });
    expect(ofHome?.components.cost).toEqual({ platform: 'sensor' });
    expect(ofHome?.device.configuration_url).toBeUndefined();
  });

  test('give every sensor of all homes a unique id, and name each home after its owner', () => {
    const of = (userId: string, deviceId: string) =>
      home({
        userId,
        owner: `${userId}@example.com`,
        devices: [{ ...(home().devices[0] as never as object), deviceId } as never],
      });
    const read = announced([of('usr_1', 'dev_1'), of('usr_2', 'dev_2')]);
    const ids = read.flatMap((one) => Object.values(listSensors(one)).map(({ unique_id }) => unique_id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(read[2]?.device.name).toBe('Home energy usr_2@example.com');
  });
});

describe('the announcements on the broker', () => {
  const config = Buffer.from(buildAnnouncementMessages(ANNOUNCER, [home()]).get(CONFIG) ?? '');
  test('are recognised if an earlier run published them, with their state', () => {
    expect(findOwnAnnouncedTopics(ANNOUNCER, CONFIG, config)).toEqual([CONFIG, 'energy-usage/a1b2c3/usr_1/state']);
  });
  test('are ignored if another program or installation published them, or if they are invalid', () => {
    expect(findOwnAnnouncedTopics({ ...ANNOUNCER, installation: 'other' }, CONFIG, config)).toBeNull();
    for (const payload of ['', 'null', '7', '{"origin":', '{"origin":{"name":"Zigbee2MQTT"}}', '{"origin":null}'])
      expect(findOwnAnnouncedTopics(ANNOUNCER, CONFIG, Buffer.from(payload))).toBeNull();
  });
  test('remove nothing on topics that belong to others', () => {
    const announcement = JSON.parse(config.toString());
    const forged = (state_topic: unknown) =>
      findOwnAnnouncedTopics(ANNOUNCER, CONFIG, Buffer.from(JSON.stringify({ ...announcement, state_topic })));
    expect(forged('zigbee2mqtt/bridge/state')).toEqual([CONFIG]);
    expect(forged('energy-usage/a1b2c3/#')).toEqual([CONFIG]);
    expect(forged(7)).toEqual([CONFIG]);
  });
});
