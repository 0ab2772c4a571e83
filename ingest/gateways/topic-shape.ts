/** Longest shape, in bytes, and most words: a topic is anything that somebody publishes. */
const MAX_BYTES = 120;
const MAX_WORDS = 8;
const MAX_WORD_LENGTH = 40;

/** `00:1A:2B:3C:4D:5E`, with either mark. */
const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i;
/** A number, in whatever base. */
const NUMBER = /^(\d+|0x[0-9a-f]+)$/i;
/** A part of a word: the end of a MAC, a count, a date. */
const HEX = /^(?=[a-f]*\d)[0-9a-f]{6,}$|^[0-9a-f]{12}$|^[0-9a-f]{16}$/i;
const COUNT = /\d{4}/;
/** A maker's serial number: long, and with four digits or more. */
const SERIAL = /^(?=(\D*\d){4})[a-z0-9]{8,}$/i;
const UNSHOWN = /[\p{C}+#]/u;

/** Whether a word of a topic tells one device from others. */
const isId = (word: string): boolean =>
  word.length > MAX_WORD_LENGTH ||
  UNSHOWN.test(word) ||
  NUMBER.test(word) ||
  MAC.test(word) ||
  word.split(/[-_.: ]/).some((part) => HEX.test(part) || COUNT.test(part) || SERIAL.test(part));

/**
 * A topic without what tells one device from others: `home/meter/3c71bf9d1e20/power` is `home/meter/+/power`. A topic filter of MQTT, of at
 * most 120 bytes and eight words; what comes after them is `#`. Pure.
 */
export function shapeOf(topic: string): string {
  let shape = '';
  for (const [index, word] of topic.split('/', MAX_WORDS + 1).entries()) {
    const next = (index === 0 ? '' : '/') + (isId(word) ? '+' : word);
    // Two bytes are kept for what follows.
    if (index === MAX_WORDS || Buffer.byteLength(shape + next) > MAX_BYTES - 2) return index === 0 ? '#' : `${shape}/#`;
    shape += next;
  }
  return shape;
}

/** Programs that listen to whatever is on the air: meters and sensors of the neighbours, too. */
const RECEIVER =
  /rtl_?433|433tomqtt|(rf|bt|ble|lora|pilight|gf|sarad)\d?tomqtt|openmqttgateway|(^|\/)omg[^/]*\/|theengs|rtl_?amr|amr2mqtt|amridm|w-?m-?bus|multical|\b(433|868|915)(mhz)?\b|rtl_?sdr|rflink|rfxcom|rfxtrx|espresense|room_presence|ruuvi/i;
/** What their messages contain: telegrams, ERT counts, strengths of signals in dBm, and rtl_433's check of integrity and state of a battery. */
const RECEIVED = [
  '"ERTSerialNumber"',
  '"EndpointID"',
  '"ConsumptionIntervalCount"',
  '"telegram"',
  '"rssi_dbm"',
  '"mic"',
  '"battery_ok"',
];

/** Whether a message may be of a neighbour's device, heard by radio: what is in it is not its owner's to see. */
export const isByRadio = (topic: string, payload: Buffer): boolean =>
  RECEIVER.test(topic) || RECEIVED.some((word) => payload.includes(word));
