/** 0x8005, its bits reversed. */
const POLYNOMIAL = 0xa001;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** CRC16 of P1 telegrams (reflected 0x8005, begins with 0, nothing inverted). */
export const crc16 = (bytes: Uint8Array): number =>
  bytes.reduce((crc, byte) => (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number), 0);
