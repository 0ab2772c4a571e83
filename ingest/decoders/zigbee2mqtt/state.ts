import type { Commodity } from '#src/database/meter.ts';
import type { Json } from '../read/payload.ts';
import type { VolumeScale } from '../read/volume.ts';

/** Patterns of the attributes that contain energy or power of a meter. */
export const METER_ATTRIBUTE_PATTERNS = {
  energy: /^(produced_energy|energy_produced|energy_consumed|energy)(?:_(\w+))?$/,
  /** Attributes that a LiXee ZLinky_TIC publishes under names of the standard Zigbee cluster: registers in kWh, one per tariff. */
  summation: /^current(?:_tier([1-9]\d?))?_summ_(delivered|received)$/,
  power: /^power(?:_(\w+))?$/,
};

/**
 * Whether an attribute is the energy, power or volume of a meter. If the decoder reads none of a message's meter attributes, it omits them
 * on purpose.
 */
export const isMeterAttribute = (name: string): boolean =>
  name === 'gas' ||
  name === 'water_consumed' ||
  Object.values(METER_ATTRIBUTE_PATTERNS).some((form) => form.test(name));

/** Commodity and scale of a volume. The bridge announces the volume's attribute in `bridge/devices`. */
export interface VolumeAttribute {
  of: Commodity;
  scale: VolumeScale;
}

/** Attributes that a device's message contains: all of them in a JSON message, or the single one that the topic names. */
export interface ZigbeeDeviceState {
  device: string;
  attributes: Json;
  /** Time of the last radio frame in Unix ms; null if the time of receipt applies. */
  atMs: number | null;
  /** Whether the device has an attribute. Either this message contains it, or the bridge has announced it. */
  has(attribute: string): boolean;
  /** Units that the bridge has announced for powers and energies, by attribute. */
  units: ReadonlyMap<string, string>;
  /** Volumes that the bridge has announced for the device, by attribute. */
  volumes: ReadonlyMap<string, VolumeAttribute>;
}

export const SETPOINTS = ['occupied_heating_setpoint', 'current_heating_setpoint'];
/** Whether a device is a plug without a sensor for the room. Older plugs call the temperature of their chip `temperature`. */
export const isPlug = ({ has }: ZigbeeDeviceState): boolean =>
  has('power') && has('state') && ![...SETPOINTS, 'local_temperature', 'system_mode', 'humidity'].some(has);

/**
 * Whether an attribute belongs to one of two clamps (`power_a` and `power_b` of a PJ-1203A, without `power_c`). One clamp may measure the
 * grid and the other the panels, so the owner is asked about each (rule 3 in registers-of-a-device/README.md).
 */
export function isOfClamp({ has }: ZigbeeDeviceState, name: string): boolean {
  const [, of] = /^(?:produced_)?(power|energy)(?:_produced|_consumed)?_[ab]$/.exec(name) ?? [];
  return of !== undefined && has(`${of}_a`) && has(`${of}_b`) && !has(`${of}_c`);
}

/** Attribute that is the register of older plugs. On other devices, it may reset, so the owner is asked. */
export const CONSUMPTION = 'consumption';
/** Whether the attribute `consumption` may be a register: the device measures power, and has no `energy`. */
export const isConsumptionRegister = ({ attributes, has }: ZigbeeDeviceState): boolean =>
  has('power') && !Object.keys(attributes).some((name) => METER_ATTRIBUTE_PATTERNS.energy.test(name));
