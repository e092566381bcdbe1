import type { HomeView } from '@slack/types';
import { expect, it } from 'vitest';
import { createChosenPrograms, publishWhereChosen } from '../../../src/app-home/chosen-program.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const programs = [
  { name: '', command: '/card' },
  { name: 'eu', command: '/card-eu' },
];
const view: HomeView = { type: 'home', blocks: [{ type: 'divider' }] };

it('publishes App Home from the chosen program, by default the first, with the menu on top', async () => {
  const chosen = createChosenPrograms(redis(), programs);
  const published: [string, string, HomeView][] = [];
  const publishAs = (name: string) =>
    publishWhereChosen(async (userId, its) => void published.push([name, userId, its]), name, programs, chosen);
  const publishAll = async (): Promise<void> => {
    for (const { name } of programs) await publishAs(name)('U1', view);
  };

  await publishAll();
  await chosen.choose('U1', 'eu');
  await publishAll();
  await chosen.choose('U1', '');
  await publishAll();

  expect(published.map(([name]) => name)).toEqual(['', 'eu', '']);
  for (const [name, , { blocks }] of published) {
    expect(blocks.at(-1)).toEqual({ type: 'divider' });
    expect(blocks[0]).toMatchObject({
      accessory: { initial_option: { text: { text: name === '' ? '/card' : '/card-eu' } } },
    });
  }
});

it('falls back to the first program if the chosen one was removed', async () => {
  await createChosenPrograms(redis(), [...programs, { name: 'uk', command: '/card-uk' }]).choose('U2', 'uk');

  expect(await createChosenPrograms(redis(), programs).of('U2')).toBe('');
});
