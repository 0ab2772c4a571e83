export * from './client.ts';
export * from './errors.ts';
export { type CallOptions, type ClientOptions, Pages } from './transport.ts';
export { SignatureError, verifyWebhook } from './webhooks.ts';
