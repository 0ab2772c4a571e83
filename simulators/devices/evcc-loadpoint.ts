import { type FamilyDevice, type FamilyMessage, formatRegister, getRegisterAt } from './family-device.ts';

/**
 * A charger that evcc controls. Its values are retained texts without a time. `chargeTotalImport` is the home's energy register in kWh.
 * `chargedEnergy` is the energy of the charging session in Wh, from the first message on.
 *
 * @param options.root Root of the charger's topics (`evcc`).
 */
export function evccLoadpoint({ root }: { root: string }): FamilyDevice {
  let sessionFrom: number | undefined;
  return {
    family: 'evcc',
    nativeId: `${root}/loadpoints/1`,
    greeting: () => [
      { topic: `${root}/status`, payload: 'online', retain: true },
      { topic: `${root}/loadpoints`, payload: '1', retain: true },
      { topic: `${root}/site/gridConfigured`, payload: 'true', retain: true },
      { topic: `${root}/loadpoints/1/mode`, payload: 'pv', retain: true },
    ],
    messages(home, atMs): FamilyMessage[] {
      const register = getRegisterAt(home, atMs);
      sessionFrom ??= register;
      const payloads = {
        chargePower: String(home.at(atMs).powerW),
        chargedEnergy: trimmed(formatRegister(register - sessionFrom, 'Wh', 3)),
        chargeTotalImport: trimmed(formatRegister(register, 'kWh', 3)),
      };
      return Object.entries(payloads).map(([key, payload]) => ({
        topic: `${root}/loadpoints/1/${key}`,
        payload,
        retain: true,
      }));
    },
  };
}

const trimmed = (text: string): string => text.replace(/0+$/, '').replace(/\.$/, '');
