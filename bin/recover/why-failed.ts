import { BusyError, CardApiError, StoreUnavailableError } from '../../src/core/errors.ts';
import { cardTokenDead } from '../../src/ops/issue.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { storeTrouble } from '../store-trouble.ts';

/** Why a recovery is not complete, for people. @throws `error` when it was not expected. */
export function whyFailed(error: unknown): string {
  if (error instanceof BusyError) return 'Another recovery is running. The ops channel shows how far it is.';
  if (error instanceof StoreUnavailableError) return `Not complete: ${error.message}.`;
  const trouble = storeTrouble(error);
  if (trouble !== null) return `Not complete: ${trouble}`;
  if (!(error instanceof CardApiError)) throw error;
  const what = `${error.message}${error.apiMessage === null ? '' : `: ${error.apiMessage}`}`;
  return error.code === 'token_dead' ? sentences(what, cardTokenDead.todo) : what;
}
