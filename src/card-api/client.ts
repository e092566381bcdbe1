import { ConfigError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type CardApiAssumptions, parseAssumptions } from './assumptions.ts';
import { type CallOptions, type CardCall, createCall, defaultSleep } from './call.ts';
import { type CardMethods, cardMethods } from './client-cards.ts';
import { type DetailsMethods, detailsMethods } from './client-details.ts';
import { type RulesetMethods, rulesetMethods } from './client-rulesets.ts';
import type { BreakerOptions } from './retry.ts';
import type { AnyRecord } from './schema.ts';
import { CurrentToken } from './schema-account.ts';
import { VirtualCardOrderPlaced } from './schema-order.ts';

/**
 * The card program's API, one method for each endpoint.
 *
 * Every method throws {@link CardApiError} when it did not get what it asked for; `outcome` says whether a write may
 * have happened all the same.
 */
export interface CardClient extends CardMethods, DetailsMethods, RulesetMethods {
  ping(options?: CallOptions): Promise<void>;
  /** Whose token this is: a check at start-up. */
  getCurrentToken(options?: CallOptions): Promise<CurrentToken>;
  /** Orders virtual cards (`{ VirtualCards: […] }`). The cards themselves come as webhooks. Never sent twice. */
  orderVirtualCards(order: AnyRecord, options?: CallOptions): Promise<VirtualCardOrderPlaced>;
  /** Asks for one virtual card's webhook again. `data` in the service's own field names, with `AcctId`. */
  requestVirtualCardData(data: AnyRecord, options?: CallOptions): Promise<void>;
}

export interface CardClientOptions {
  /** With the version segment: `https://host/v4`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Word before the token: `token` or `Bearer`. */
  readonly authScheme?: string;
  readonly assumptions?: CardApiAssumptions;
  /** Zone of the service's dates. */
  readonly timezone?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => Date;
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly log?: Log;
  /** Masks what the service says in its error messages before it goes anywhere. */
  readonly clean?: (text: string) => string;
  /** One attempt, reading of the body included. */
  readonly timeoutMs?: number;
  /** One call with all its retries and waits. */
  readonly deadlineMs?: number;
  readonly breaker?: Partial<BreakerOptions>;
  /** Told when calls are not sent any more because the service does not answer, and when they are again. */
  readonly onAvailability?: (isAvailable: boolean) => void;
}

export function createCardClient(options: CardClientOptions): CardClient {
  // Checked here because fetch would name the token in its complaint.
  if (!/^[\x21-\x7e]+$/.test(options.token))
    throw new ConfigError(['CARD_API_TOKEN: expected visible characters without spaces']);
  const assumptions = options.assumptions ?? parseAssumptions();
  const call: CardCall = createCall({
    baseUrl: options.baseUrl,
    token: options.token,
    authScheme: options.authScheme ?? 'token',
    assumptions,
    fetch: options.fetch ?? globalThis.fetch,
    now: options.now ?? (() => new Date()),
    sleep: options.sleep ?? defaultSleep,
    clean: options.clean ?? ((text) => text),
    log: options.log ?? null,
    timeoutMs: options.timeoutMs ?? 10_000,
    deadlineMs: options.deadlineMs ?? 60_000,
    breaker: { threshold: 5, halfOpenAfterMs: 5_000, ...options.breaker },
    onAvailability: options.onAvailability ?? (() => {}),
  });

  return {
    ...cardMethods(call, assumptions),
    ...detailsMethods(call, assumptions, options.timezone ?? 'America/New_York'),
    ...rulesetMethods(call, assumptions),

    async ping(callOptions) {
      await call({ operation: 'ping', method: 'GET', paths: assumptions.pingPaths, options: callOptions });
    },

    getCurrentToken(callOptions) {
      const paths = assumptions.currentTokenPath;
      return call({ operation: 'getCurrentToken', method: 'GET', paths, options: callOptions }, CurrentToken);
    },

    orderVirtualCards(order, callOptions) {
      const paths = ['/VirtualCard/Order'];
      return call(
        { operation: 'orderVirtualCards', method: 'POST', paths, body: order, options: callOptions },
        VirtualCardOrderPlaced,
      );
    },

    async requestVirtualCardData(data, callOptions) {
      const paths = ['/VirtualCard/Data'];
      await call({ operation: 'requestVirtualCardData', method: 'POST', paths, body: data, options: callOptions });
    },
  };
}
