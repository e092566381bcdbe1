import { setTimeout as wait } from 'node:timers/promises';
import { CardApiError, ConfigError } from '../core/errors.ts';
import { DEFAULT_ZONE } from '../core/installation.ts';
import type { Log } from '../core/log.ts';
import { type CardApiAssumptions, parseAssumptions } from './assumptions.ts';
import { type Call, type CallDeps, type CallOptions, createCall, createSendOnce, type SendDeps } from './call.ts';
import { cardEndpoints, type Endpoint, type Endpoints } from './endpoints.ts';
import { type BreakerOptions, createBreaker } from './retry.ts';

type MethodOf<Entry> =
  Entry extends Endpoint<infer Args, infer Answer>
    ? (...args: [...args: Args, options?: CallOptions]) => Promise<Answer>
    : never;

/**
 * The card program's API, one method per endpoint.
 *
 * Every method throws {@link CardApiError} when it fails. `outcome` says whether a write may still have happened.
 */
export type CardClient = { [Name in keyof Endpoints]: MethodOf<Endpoints[Name]> };

export interface CardClientOptions
  extends Pick<SendDeps, 'baseUrl' | 'token'>,
    Partial<Omit<SendDeps, 'baseUrl' | 'token'>>,
    Partial<Pick<CallDeps, 'sleep' | 'deadlineMs' | 'measure'>> {
  readonly timezone?: string;
  readonly log?: Log;
  readonly breaker?: Partial<BreakerOptions>;
  /** Called when calls stop because the service does not answer, and when they resume. */
  readonly onAvailability?: (isAvailable: boolean) => void;
}

/** How long one attempt of a call may take. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

export function createCardClient(options: CardClientOptions): CardClient {
  // Checked here, because fetch would include the token in its error message.
  if (!/^[\x21-\x7e]+$/.test(options.token))
    throw new ConfigError(['CARD_API_TOKEN: expected visible characters without spaces']);
  const assumptions = options.assumptions ?? parseAssumptions();
  const breaker = createBreaker({ threshold: 5, halfOpenAfterMs: 5_000, ...options.breaker }, options.onAvailability);
  const sendOnce = createSendOnce(
    {
      authScheme: 'token',
      fetch: globalThis.fetch,
      // Only for a `Retry-After` that is a date.
      now: () => new Date(),
      clean: (text) => text,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
      ...options,
      assumptions,
    },
    breaker,
  );
  const call = createCall({
    sleep: (ms) => wait(ms),
    log: null,
    deadlineMs: 60_000,
    measure: undefined,
    ...options,
    sendOnce,
  });
  const endpoints = cardEndpoints(assumptions, options.timezone ?? DEFAULT_ZONE);
  const methods = Object.entries<Endpoint<never[], unknown>>(endpoints).map(([operation, endpoint]) => [
    operation,
    methodOf(operation, endpoint, assumptions, call),
  ]);
  return Object.fromEntries(methods) as CardClient;
}

/** The endpoint's arguments, followed by the options of the call. */
function methodOf(
  operation: string,
  { path, send, isList, ...endpoint }: Endpoint<never[], unknown>,
  assumptions: CardApiAssumptions,
  call: Call,
) {
  const paths = new Map<string, unknown>(Object.entries(assumptions)).get(`${operation}Paths`) ?? [path];
  return async (...args: unknown[]): Promise<unknown> => {
    const sent = send(...(args.slice(0, send.length) as never[]));
    const request = { ...endpoint, operation, paths: paths as readonly string[], ...sent };
    try {
      return await call(request, args[send.length] as CallOptions | undefined);
    } catch (error) {
      if (!(error instanceof CardApiError) || isList !== true) throw error;
      const { status, code } = error;
      if (status !== null && code !== 'unavailable' && assumptions.emptyListStatus.includes(status)) return [];
      throw error;
    }
  };
}
