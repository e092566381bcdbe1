import { setTimeout as wait } from 'node:timers/promises';
import { CardApiError, ConfigError } from '../core/errors.ts';
import { DEFAULT_ZONE } from '../core/installation.ts';
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

export interface CardClientOptions extends Partial<SendDeps>, Partial<Omit<CallDeps, 'sendOnce'>> {
  readonly baseUrl: string;
  readonly token: string;
  readonly timezone?: string;
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
  const settings = {
    authScheme: 'token',
    fetch: globalThis.fetch,
    now: () => new Date(),
    clean: (text: string) => text,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    sleep: (ms: number) => wait(ms),
    log: null,
    deadlineMs: 60_000,
    measure: undefined,
    ...options,
    assumptions,
  };
  const call = createCall({ ...settings, sendOnce: createSendOnce(settings, breaker) });
  const endpoints = cardEndpoints(assumptions, options.timezone ?? DEFAULT_ZONE);
  const methods = Object.entries<Endpoint<never[], unknown>>(endpoints).map(([operation, endpoint]) => [
    operation,
    methodOf(operation, endpoint, assumptions.emptyListStatus, call),
  ]);
  return Object.fromEntries(methods) as CardClient;
}

/** The endpoint's arguments, followed by the options of the call. */
function methodOf(
  operation: string,
  { send, isList, ...endpoint }: Endpoint<never[], unknown>,
  emptyListStatus: CardApiAssumptions['emptyListStatus'],
  call: Call,
) {
  return async (...args: unknown[]): Promise<unknown> => {
    const sent = send(...(args.slice(0, send.length) as never[]));
    try {
      return await call({ ...endpoint, operation, ...sent }, args[send.length] as CallOptions | undefined);
    } catch (error) {
      if (!(error instanceof CardApiError) || isList !== true) throw error;
      const { status, code } = error;
      if (status !== null && code !== 'unavailable' && emptyListStatus.includes(status)) return [];
      throw error;
    }
  };
}
