import { describe, expect, test } from 'vitest';
import { explainConnectionError } from '#src/delivery/webhook/send.ts';

const failure = (code: string, message = "try running Node.js with --use-system-ca, 'node' says") =>
  Object.assign(new Error(message), { code });

describe('the reason why a receiver was not reached', () => {
  test.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /not trusted \(self-signed\); .* WEBHOOK_CA_FILE/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /not trusted \(self-signed\); .* WEBHOOK_CA_FILE/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /not trusted \(its authority is unknown.* WEBHOOK_CA_FILE/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /not trusted \(its authority is unknown.* WEBHOOK_CA_FILE/],
    ['CERT_HAS_EXPIRED', /certificate has expired/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for a different host name/],
    ['ECONNREFUSED', /nothing listens/],
    ['ENOTFOUND', /host name has no address/],
    ['ECONNRESET', /closed the connection before/],
    ['ETIMEDOUT', /in time/],
  ])('is described in words, with its code: %s', (code, said) => {
    const sentence = explainConnectionError(failure(code));
    expect(sentence).toMatch(said);
    expect(sentence.endsWith(` (${code})`)).toBe(true);
    expect(sentence).not.toMatch(/node/i);
  });

  test("is the error's own message for an unknown error", () => {
    expect(explainConnectionError(new Error('no answer within 5 s'))).toBe('no answer within 5 s');
    expect(explainConnectionError(failure('EWHATEVER', 'something odd'))).toBe('something odd');
    expect(explainConnectionError(failure('EWHATEVER', ''))).toBe('EWHATEVER');
  });

  test('is given for a host name with several addresses, whose error has no message', () => {
    const refused = Object.assign(new AggregateError([failure('ECONNREFUSED')]), { code: 'ECONNREFUSED' });
    expect(explainConnectionError(refused)).toContain('nothing listens');
  });
});
