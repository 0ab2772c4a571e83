/** The provider is away, or answers what is no answer: nothing is known of the person. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable';
}

/** The provider refused, or its answer does not hold. `reason`: what OAuth calls it, where the provider said so. */
export class SignInRefused extends Error {
  override name = 'SignInRefused';
  readonly reason: string | null;
  constructor(message: string, reason: string | null = null) {
    super(message);
    this.reason = reason;
  }
}
