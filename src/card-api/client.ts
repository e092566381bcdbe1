import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../core/errors.ts';
import { DEFAULT_ZONE } from '../core/installation.ts';
import { parseAssumptions } from './assumptions.ts';
import { type CallDeps, type CallOptions, createCall, createSendOnce, type SendDeps } from './call.ts';
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
  const methods = Object.entries<Endpoint<never[], unknown>>(endpoints).map(([operation, { send, ...endpoint }]) => [
    operation,
    /** @param args those of the endpoint, followed by the options of the call. */
    async (...args: unknown[]): Promise<unknown> => {
      const sent = send(...(args.slice(0, send.length) as never[]));
      return await call({ ...endpoint, operation, ...sent }, args[send.length] as CallOptions | undefined);
    },
  ]);
  return Object.fromEntries(methods) as CardClient;
}
