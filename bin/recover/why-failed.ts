import { BusyError, CardApiError, StoreUnavailableError } from '../../src/core/errors.ts';

/** Why a recovery is not complete, for people. @throws `error` when it was not expected. */
export function whyFailed(error: unknown): string {
  if (error instanceof BusyError) return 'Another recovery is running. The ops channel shows how far it is.';
  if (error instanceof StoreUnavailableError) return `Not complete: ${error.message}.`;
  if (!(error instanceof CardApiError)) throw error;
  return `${error.message}${error.apiMessage === null ? '' : `: ${error.apiMessage}`}`;
}
