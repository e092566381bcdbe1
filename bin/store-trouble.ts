import { StoreUnavailableError } from '../src/core/errors.ts';
import { capital } from '../src/core/first-letter.ts';
import { isStoreTrouble } from '../src/core/redis.ts';

/** What keeps Redis from running commands, for people: a sentence. Null: the error has another cause. */
export function storeTrouble(error: unknown): string | null {
  if (!isStoreTrouble(error)) return null;
  if (error instanceof StoreUnavailableError) return storeTrouble(error.cause) ?? `${capital(error.message)}.`;
  const code = /^[A-Z]{2,}\b/.exec(error instanceof Error ? error.message : '')?.[0];
  return code === undefined
    ? 'Redis does not answer.'
    : `Redis refuses to run commands (${code}): it may be full, loading, a replica, or without its replica. The doctor says which.`;
}
