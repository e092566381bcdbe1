import { CardApiError } from './errors.ts';

/**
 * The same client, telling when the card API stops taking our token and when it takes it again.
 *
 * Whoever made the call: a person, an alert, the directory or the end of a temporary limit.
 */
export function watchToken<Client extends object>(
  client: Client,
  tell: { dead: () => Promise<void>; alive: () => Promise<void> },
): Client {
  let isDead = false;
  const watched = (call: (...args: unknown[]) => Promise<unknown>) =>
    async function watchedCall(...args: unknown[]): Promise<unknown> {
      try {
        const answer = await call(...args);
        if (isDead) {
          isDead = false;
          await tell.alive();
        }
        return answer;
      } catch (error) {
        if (error instanceof CardApiError && error.code === 'token_dead') {
          isDead = true;
          await tell.dead();
        }
        throw error;
      }
    };
  const methods = Object.entries(client).map(([name, method]) => [name, watched(method)]);
  return Object.fromEntries(methods) as Client;
}
