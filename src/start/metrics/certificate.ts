export const CERTIFICATE = {
  energy_certificate_expires_timestamp_seconds: 'When the certificate that is served ends, in Unix time',
};

/** The value of it, of the certificate that serves. */
export const certificateState = (served: { expiresAt(): Date }): Record<string, number> => ({
  energy_certificate_expires_timestamp_seconds: served.expiresAt().getTime() / 1_000,
});
