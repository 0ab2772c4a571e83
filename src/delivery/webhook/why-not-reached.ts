const UNTRUSTED = 'the service’s operator can name its authority in WEBHOOK_CA_FILE';
const SELF_SIGNED = `the receiver’s certificate is not trusted (self-signed); ${UNTRUSTED}`;
const UNKNOWN_ISSUER = `the receiver’s certificate is not trusted (its authority is unknown, or it does not send the whole chain); ${UNTRUSTED}`;
const NO_ADDRESS = 'the receiver’s host name has no address; see that the URL is right';
const NO_NAME_SERVER = 'the receiver’s host name could not be looked up: its name servers do not answer';
const NO_WAY = 'there is no way through the network to the receiver';
const BROKEN_OFF = 'the receiver broke the connection off before it answered';
const TOO_LATE =
  'the receiver did not take the connection in time; see that it runs and that no firewall is in between';
const BROKEN_TLS = 'the receiver does not speak TLS as it should; see that it listens with HTTPS at this port';

/** By `code` of Node's errors: OpenSSL's reasons, then those of connections and of look-ups. */
const SENTENCES = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', SELF_SIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', SELF_SIGNED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_ISSUER],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_ISSUER],
  ['CERT_UNTRUSTED', UNKNOWN_ISSUER],
  ['CERT_HAS_EXPIRED', 'the receiver’s certificate has expired; renew it there'],
  ['CERT_NOT_YET_VALID', 'the receiver’s certificate is not valid yet; see that the clocks of both sides are right'],
  ['CERT_REVOKED', 'the receiver’s certificate was revoked; renew it there'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the receiver’s certificate is for another host name than that of the URL'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', BROKEN_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', BROKEN_TLS],
  ['EPROTO', BROKEN_TLS],
  ['ECONNREFUSED', 'nothing listens at the receiver’s address and port; see that it runs'],
  ['ECONNRESET', BROKEN_OFF],
  ['EPIPE', BROKEN_OFF],
  ['ETIMEDOUT', TOO_LATE],
  ['EHOSTUNREACH', NO_WAY],
  ['ENETUNREACH', NO_WAY],
  ['ENOTFOUND', NO_ADDRESS],
  ['ENODATA', NO_ADDRESS],
  ['EAI_AGAIN', NO_NAME_SERVER],
  ['ESERVFAIL', NO_NAME_SERVER],
  ['ETIMEOUT', NO_NAME_SERVER],
]);

/**
 * Why a receiver was not reached, in a sentence that its owner can act on, with the code that a search finds. Node's own
 * messages advise on Node's own flags, which whoever reads a delivery's log cannot set, and one that tried several addresses
 * is empty. What is not known here keeps its message. Pure.
 */
export function whyNotReached(error: Error & { code?: unknown }): string {
  const code = typeof error.code === 'string' ? error.code : '';
  const sentence = SENTENCES.get(code);
  return sentence === undefined ? error.message || code || error.name : `${sentence} (${code})`;
}
