import { EX_UNAVAILABLE } from '../../src/app/run-process.ts';
import { BusyError, CardApiError } from '../../src/core/errors.ts';
import { cardTokenDead } from '../../src/ops/issue.ts';
import { sentences } from '../../templates/core/change-words.ts';
import { storeTrouble } from '../store-trouble.ts';

/** Why a recovery is not complete, for people, and the exit code. @throws `error` when it was not expected. */
export function whyFailed(error: unknown): { readonly why: string; readonly code: number } {
  if (error instanceof BusyError)
    return { why: 'Another recovery is running. The ops channel shows how far it is.', code: 1 };
  const trouble = storeTrouble(error);
  if (trouble !== null) return { why: `Not complete: ${trouble}`, code: EX_UNAVAILABLE };
  if (!(error instanceof CardApiError)) throw error;
  const what = `${error.message}${error.apiMessage === null ? '' : `: ${error.apiMessage}`}`;
  return { why: sentences(`Not complete: ${what}`, error.code === 'token_dead' ? cardTokenDead.todo : null), code: 1 };
}
