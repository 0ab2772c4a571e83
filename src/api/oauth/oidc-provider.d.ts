/** Types of the package oidc-provider, which contains no types itself. Only the types that this repository uses are declared. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface StoredPayload {
    [name: string]: unknown;
    jti?: string;
    grantId?: string;
    exp?: number;
  }

  export interface Adapter {
    upsert(id: string, payload: StoredPayload, expiresInSeconds: number): Promise<void>;
    find(id: string): Promise<StoredPayload | undefined>;
    findByUid(uid: string): Promise<StoredPayload | undefined>;
    findByUserCode(code: string): Promise<StoredPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Client {
    clientId: string;
    clientSecret?: string;
    scope: string;
  }

  export interface Context {
    path: string;
    status: number;
    body: unknown;
    type: string;
    oidc: {
      entities: { AccessToken?: { grantId?: string } };
      route?: string;
      client?: Client;
      params: Record<string, string | undefined>;
      result?: { consent?: { grantId: string } };
    };
  }

  export interface Interaction {
    uid: string;
    params: Record<string, string | undefined>;
    returnTo: string;
    result?: object;
  }

  interface Model {
    prototype: { format?: string; scope?: string; generateTokenId(): string };
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    proxy: boolean;
    Client: { prototype: { compareClientSecret(this: Client, presented: string): boolean } };
    Grant: { find(id: string): Promise<object | undefined> };
    AccessToken: Model;
    ClientCredentials: Model;
    RefreshToken: Model;
    AuthorizationCode: Model;
    on(event: 'server_error', listener: (context: Context, error: Error) => void): void;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    interactionDetails(request: object, response: object): Promise<Interaction>;
    interactionResult(
      request: object,
      response: object,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<string>;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }

  export const errors: Record<'InvalidScope', new (text: string, scope?: string) => Error>;
  export namespace interactionPolicy {
    class Check {
      constructor(reason: string, description: string, check: (context: Context) => boolean);
    }
    class Prompt {
      constructor(options: { name: string; requestable: boolean }, ...checks: Check[]);
    }
  }
}
