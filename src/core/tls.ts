/**
 * Ciphers of TLS 1.2 with forward secrecy and AEAD: no CBC suites (Lucky 13 and related attacks). Devices and browsers of the last ten
 * years support them.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** TLS settings of every listener. They also apply after a certificate was renewed. */
export const SERVER_TLS_OPTIONS = { minVersion: 'TLSv1.2', ciphers: CIPHERS.join(':') } as const;
