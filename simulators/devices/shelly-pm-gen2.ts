import { MINUTE_MS } from '#src/core/units.ts';
import type { SimulatedHome } from '../home-clock.ts';
import {
  createHardwareId,
  type FamilyDevice,
  type FamilyMessage,
  formatRegister,
  getRegisterAt,
} from './family-device.ts';

const VOLTS = 230;

/**
 * A Shelly Plus 1PM. `aenergy.total` is the home's energy register in Wh with three decimals, updated after each full minute. Each change
 * is sent in `events/rpc`, with a time. With "generic status update", the whole status is also sent in `status/switch:0`, without a time.
 *
 * @param options.name Seed of the hardware id.
 * @param options.prefix Topic prefix that the owner chose; default is the device's id.
 * @param options.tellsStatus Whether generic status updates are enabled (default true).
 */
export function shellyPmGen2(options: { name: string; prefix?: string; tellsStatus?: boolean }): FamilyDevice {
  const mac = createHardwareId(options.name, 12);
  const id = `shellyplus1pm-${mac}`;
  const prefix = options.prefix ?? id;
  // Temperature of the chip.
  let status: Record<string, unknown> = {
    id: 0,
    source: 'init',
    output: true,
    voltage: VOLTS,
    temperature: { tC: 41.3, tF: 106.4 },
  };
  let countedMinute: number | undefined;
  const notify = (seconds: number, params: Record<string, unknown>): FamilyMessage => ({
    topic: `${prefix}/events/rpc`,
    payload: JSON.stringify({
      src: id,
      dst: `${prefix}/events`,
      method: 'NotifyStatus',
      params: { ts: Math.round(seconds * 100) / 100, ...params },
    }),
  });
  return {
    family: 'shelly-gen2',
    nativeId: id,
    greeting() {
      return [
        { topic: `${prefix}/online`, payload: 'true', retain: true },
        // The device sends this message before its clock is set by a time server. The time in the message is therefore the seconds since
        // boot.
        notify(1.61, { mqtt: { connected: true } }),
        { topic: `${prefix}/status/mqtt`, payload: JSON.stringify({ connected: true }) },
      ];
    },
    messages(home, atMs) {
      const sent: FamilyMessage[] = [];
      const notifyStatus = (changed: Record<string, unknown>) => {
        status = { ...status, ...changed };
        sent.push(notify(atMs / 1000, { 'switch:0': { id: 0, ...changed } }));
        if (options.tellsStatus === false) return;
        sent.push({ topic: `${prefix}/status/switch:0`, payload: JSON.stringify(status) });
      };
      const { powerW } = home.at(atMs);
      if (status.apower !== powerW)
        notifyStatus({ apower: powerW, current: Math.round((powerW / VOLTS) * 1000) / 1000 });
      const minute = Math.floor(atMs / MINUTE_MS);
      if (minute !== countedMinute) {
        countedMinute = minute;
        notifyStatus({ aenergy: activeEnergy(home, atMs) });
      }
      return sent;
    },
  };
}

/** Returns the energy register in Wh, and the energy of the last three whole minutes in mWh, latest minute first. */
function activeEnergy(home: SimulatedHome, atMs: number): object {
  const minuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
  const ofMinute = (endMs: number) => getRegisterAt(home, endMs) - getRegisterAt(home, endMs - MINUTE_MS);
  return {
    total: Number(formatRegister(getRegisterAt(home, atMs), 'Wh', 3)),
    by_minute: [ofMinute(minuteMs), ofMinute(minuteMs - MINUTE_MS), ofMinute(minuteMs - 2 * MINUTE_MS)],
    minute_ts: minuteMs / 1000,
  };
}
