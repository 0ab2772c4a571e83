import type { SimulatedHome } from '../home-clock.ts';
import { formatLocalTime, getLocalMidnightMs } from '../local-time.ts';
import { createHardwareId, type FamilyDevice, formatRegister, getRegisterAt } from './family-device.ts';

const VOLTS = 230;

/**
 * A plug with Tasmota and its default topics. `Total` is the home's energy register in kWh with three decimals. `Today` and `Yesterday`
 * change at midnight in `tz`. `Period` is the energy in Wh since the previous message.
 *
 * @param options.name Topic of the device, such as `tasmota_A1B2C3`.
 * @param options.tz IANA time zone of the device's clock; `Time` is local and contains no zone.
 */
export function tasmotaPlug({ name, tz }: { name: string; tz: string }): FamilyDevice {
  const mac = createHardwareId(name, 12).toUpperCase();
  let bootedAtMs: number | undefined;
  let periodFrom: number | undefined;
  let today: Midnights | undefined;
  return {
    family: 'tasmota',
    nativeId: name,
    greeting(atMs) {
      bootedAtMs ??= atMs;
      const info = {
        Info1: { Module: 'Sonoff S31', Version: '13.4.0(tasmota)', FallbackTopic: `cmnd/DVES_${mac.slice(6)}_fb/` },
      };
      return [
        { topic: `tele/${name}/LWT`, payload: 'Online', retain: true },
        { topic: `tele/${name}/INFO1`, payload: JSON.stringify(info) },
        { topic: `tasmota/discovery/${mac}/config`, payload: discovery(name, mac), retain: true },
      ];
    },
    messages(home, atMs) {
      bootedAtMs ??= atMs;
      const total = getRegisterAt(home, atMs);
      const periodWh = Math.floor((total - (periodFrom ?? total)) / 1000);
      periodFrom = total;
      const time = formatLocalTime(atMs, tz);
      // The registers at midnight are cached for the day, because a request for an earlier day restarts the simulation of the home.
      if (today?.date !== time.slice(0, 10)) today = midnightsOf(home, atMs, tz);
      return [
        { topic: `tele/${name}/STATE`, payload: state(time, Math.floor((atMs - bootedAtMs) / 1000)) },
        {
          topic: `tele/${name}/SENSOR`,
          payload: `{"Time":"${time}","ENERGY":${energy(home, atMs, tz, today, periodWh)}}`,
        },
      ];
    },
  };
}

/** Registers in mWh at the start of a local date and at the start of the previous date. */
interface Midnights {
  date: string;
  beforeToday: number;
  beforeYesterday: number;
}

function midnightsOf(home: SimulatedHome, atMs: number, tz: string): Midnights {
  const midnightMs = getLocalMidnightMs(atMs, tz);
  const beforeYesterday = getRegisterAt(home, getLocalMidnightMs(midnightMs - 1, tz));
  return {
    date: formatLocalTime(atMs, tz).slice(0, 10),
    beforeToday: getRegisterAt(home, midnightMs),
    beforeYesterday,
  };
}

/** The JSON is written by hand, because the firmware keeps trailing zeros, which JSON.stringify would drop. */
function energy(home: SimulatedHome, atMs: number, tz: string, midnights: Midnights, periodWh: number): string {
  const { beforeToday, beforeYesterday } = midnights;
  const total = getRegisterAt(home, atMs);
  const { powerW } = home.at(atMs);
  return `{${[
    `"TotalStartTime":"${formatLocalTime(home.installedAtMs, tz)}"`,
    `"Total":${formatRegister(total, 'kWh', 3)}`,
    `"Yesterday":${formatRegister(beforeToday - beforeYesterday, 'kWh', 3)}`,
    `"Today":${formatRegister(total - beforeToday, 'kWh', 3)}`,
    `"Period":${periodWh}`,
    `"Power":${powerW}`,
    `"ApparentPower":${powerW}`,
    '"ReactivePower":0',
    '"Factor":1.00',
    `"Voltage":${VOLTS}`,
    `"Current":${(powerW / VOLTS).toFixed(3)}`,
  ].join()}}`;
}

function state(time: string, uptimeSeconds: number): string {
  const clock = new Date(uptimeSeconds * 1000).toISOString().slice(11, 19);
  return JSON.stringify({
    Time: time,
    Uptime: `${Math.floor(uptimeSeconds / 86_400)}T${clock}`,
    UptimeSec: uptimeSeconds,
    Heap: 25,
    LoadAvg: 19,
    MqttCount: 1,
    POWER: 'ON',
    Wifi: { AP: 1, Channel: 6, RSSI: 72, Signal: -64, LinkCount: 1, Downtime: '0T00:00:03' },
  });
}

function discovery(name: string, mac: string): string {
  return JSON.stringify({
    ip: '192.168.1.31',
    dn: name,
    fn: [name],
    hn: name,
    mac,
    md: 'Sonoff S31',
    ofln: 'Offline',
    onln: 'Online',
    state: ['OFF', 'ON', 'TOGGLE', 'HOLD'],
    sw: '13.4.0',
    t: name,
    ft: '%prefix%/%topic%/',
    tp: ['cmnd', 'stat', 'tele'],
    rl: [1, 0, 0, 0],
    ver: 1,
  });
}
