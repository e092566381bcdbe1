import { homeProgramMenu } from '../../templates/app-home/program-menu.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Slack } from '../slack/client.ts';
import type { WhichProgram } from '../slack/several-programs.ts';

/** All current programs. */
type Programs = WhichProgram['all'];

/** Slack has one App Home page per person. It shows the card program that they have chosen, by default the first one. */
export type ChosenPrograms = ReturnType<typeof createChosenPrograms>;

/**
 * @param redis the first program's, for all programs.
 * @param programs the first one is shown to people whose chosen program no longer exists.
 */
export function createChosenPrograms(redis: RedisClient, programs: Programs) {
  const key = stateKey('home-programs');
  return {
    async of(userId: string): Promise<string> {
      const chosen = await redis.hget(key, userId);
      return programs.find(({ name }) => name === chosen)?.name ?? '';
    },
    async choose(userId: string, program: string): Promise<void> {
      await (program === '' ? redis.hdel(key, userId) : redis.hset(key, userId, program));
    },
  };
}

/** Publishes App Home for people who have chosen this program, with the menu of all programs on top. */
export function publishWhereChosen(
  publishHome: Slack['publishHome'],
  program: string,
  programs: Programs,
  chosen: Pick<ChosenPrograms, 'of'>,
): Slack['publishHome'] {
  return async (userId, view) => {
    // They may have chosen another one while this one was rendered.
    if ((await chosen.of(userId)) !== program) return;
    await publishHome(userId, { ...view, blocks: [...homeProgramMenu(program, programs), ...view.blocks] });
  };
}
