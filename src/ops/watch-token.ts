import { CardApiError, SlackError } from '../core/errors.ts';

/** Slack's words for a token that will not work again; others of its refusals speak of one channel or one message. */
const slackTokenDead = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

export const isCardTokenDead = (error: unknown): boolean =>
  error instanceof CardApiError && error.code === 'token_dead';

export const isSlackTokenDead = (error: unknown): boolean =>
  error instanceof SlackError && slackTokenDead.has(error.slackError);

/**
 * The same client, telling when the other side stops taking our token and when it takes it again.
 *
 * Whoever made the call: a person, an alert, the directory or the end of a temporary limit. That it works is told after
 * the first call too: the token may have been exchanged with a restart.
 */
export function watchToken<Client extends object>(
  client: Client,
  notify: { isDead: (error: unknown) => boolean; dead: () => Promise<void>; alive: () => Promise<void> },
): Client {
  let isAlive = false;
  const watched = (call: (...args: unknown[]) => Promise<unknown>) =>
    async function watchedCall(...args: unknown[]): Promise<unknown> {
      try {
        const answer = await call(...args);
        if (!isAlive) {
          isAlive = true;
          await notify.alive();
        }
        return answer;
      } catch (error) {
        if (notify.isDead(error)) {
          isAlive = false;
          await notify.dead();
        }
        throw error;
      }
    };
  const methods = Object.entries(client).map(([name, method]) => [name, watched(method)]);
  return Object.fromEntries(methods) as Client;
}
