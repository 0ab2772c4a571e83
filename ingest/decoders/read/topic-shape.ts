/**
 * Maximum length of a generalised topic in bytes. The number of its levels and their length are also limited, because anybody can choose a
 * topic.
 */
const MAX_BYTES = 120;
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 40;

/** Matches a MAC address such as `00:1A:2B:3C:4D:5E`, with colons or hyphens. */
const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;
const NUMBER = /^(\d+|0x[0-9a-f]+)$/i;
/** Matches a hexadecimal word, such as a MAC address or the end of a MAC address. */
const HEX = /^(?=[a-f]*\d)[0-9a-f]{6,}$|^[0-9a-f]{12}$|^[0-9a-f]{16}$/i;
const COUNT = /\d{4}/;
/** Matches a manufacturer's serial number: at least eight characters, including at least four digits. */
const SERIAL = /^(?=(\D*\d){4})[a-z0-9]{8,}$/i;
const UNSHOWN = /[\p{C}+#]/u;

/** Whether a level of a topic identifies a device. */
const isId = (word: string): boolean =>
  word.length > MAX_WORD_LENGTH ||
  UNSHOWN.test(word) ||
  NUMBER.test(word) ||
  MAC.test(word) ||
  word.split(/[-_.: ]/).some((part) => HEX.test(part) || COUNT.test(part) || SERIAL.test(part));

/**
 * Replaces the levels of a topic that identify a device: `home/meter/3c71bf9d1e20/power` becomes `home/meter/+/power`. Returns an MQTT
 * topic filter of at most 120 bytes and eight levels. If the topic is longer, the filter ends with `#`. Pure.
 */
export function generaliseTopic(topic: string): string {
  let shape = '';
  for (const [index, word] of topic.split('/', MAX_WORDS + 1).entries()) {
    const next = (index === 0 ? '' : '/') + (isId(word) ? '+' : word);
    // Two bytes are reserved for `/#` at the end of the filter.
    if (index === MAX_WORDS || Buffer.byteLength(shape + next) > MAX_BYTES - 2) return index === 0 ? '#' : `${shape}/#`;
    shape += next;
  }
  return shape;
}

/** Matches names of programs that receive the radio signals of all meters and sensors in range, including those of neighbours. */
const RECEIVER =
  /rtl_?433|433tomqtt|(rf|bt|ble|lora|pilight|gf|sarad)\d?tomqtt|openmqttgateway|(^|\/)omg[^/]*\/|theengs|rtl_?amr|amr2mqtt|amridm|w-?m-?bus|multical[_-]?21|\b(433|868|915)(mhz\b|\/)|rtl_?sdr|rflink|rfxcom|rfxtrx|espresense|room_presence|ruuvi/i;
/**
 * Typical content of messages from radio receivers: telegrams, ERT consumption counts, signal strengths in dBm, and rtl_433's integrity
 * check and battery state.
 */
const RECEIVED = [
  '"ERTSerialNumber"',
  '"EndpointID"',
  '"ConsumptionIntervalCount"',
  '"telegram"',
  '"rssi_dbm"',
  '"mic"',
  '"battery_ok"',
];

/** Whether a message may have been received by radio from a neighbour's device, so that the gateway's owner must not see its content. */
export const isRadioMessage = (topic: string, payload: Buffer): boolean =>
  RECEIVER.test(topic) || RECEIVED.some((word) => payload.includes(word));
