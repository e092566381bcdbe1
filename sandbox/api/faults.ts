/** How a call fails on demand. `…_after_effect` does the work and then loses the answer. */
type FaultKind =
  | 'http_500'
  | 'http_502_html'
  | 'hang'
  | 'hang_after_effect'
  | 'hang_up'
  | 'hang_up_after_effect'
  | 'rate_limited'
  | 'token_expired'
  | 'refused';

export interface Fault {
  /** Any method when omitted. */
  readonly method?: string;
  /** Matched against the path with and without the version segment. */
  readonly path: RegExp;
  /** How many calls it hits: one when omitted; `Infinity` until cleared. */
  readonly times?: number;
  readonly kind: FaultKind;
  /** For `rate_limited`: sends a `Retry-After` header, although the service is not known to send one. */
  readonly retryAfterSeconds?: number;
  /** For `refused`: the service's message. */
  readonly message?: string;
  /** For `hang`: answers after this long. Never when omitted. */
  readonly ms?: number;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that hits this call, if any. Uses it up. */
  take(method: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  let planned: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      planned.push({ fault, left: fault.times ?? 1 });
    },
    clear() {
      planned = [];
    },
    take(method, path) {
      const paths = [path, path.replace(/^\/v\d+/i, '')];
      const hit = planned.find(
        ({ fault, left }) =>
          left > 0 &&
          (fault.method === undefined || fault.method.toUpperCase() === method) &&
          paths.some((each) => each.search(fault.path) >= 0),
      );
      if (hit === undefined) return undefined;
      hit.left -= 1;
      return hit.fault;
    },
  };
}
