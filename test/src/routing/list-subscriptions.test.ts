import { expect, it } from 'vitest';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, createActionWorld, performAction } from '../../support/perform-world.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();

it('the list of all channels shows digests, also of an archived channel, and how to end them', async () => {
  const { deps, answers } = await createActionWorld(redis());
  const daily = { weekday: null, isMonthly: false, hour: 9, minute: 30, zone: 'UTC', by: 'U0ANA', at: '' };
  await deps.digests.set({ ...daily, channel: 'C0OLD' });
  await deps.digests.set({ ...daily, channel: 'C0OLD', weekday: 1 });
  const list = (text: string) => ask('subscriptions', { id: `act_list${text}`, target: { kind: 'channel', text } });

  await performAction(list(''), deps);
  expect(answers.at(-1)?.text).toContain('This channel: no subscriptions, no digests,');

  await performAction(list('all'), deps);
  expect(answers.at(-1)?.text).toContain('All channels: no subscriptions, 2 digests,');
  const page = shown(answers.at(-1)?.blocks ?? []);
  expect(page).toContain('Digest every day at 9:30 AM UTC, by <@U0ANA>');
  expect(page).toContain('Digest every Monday at 9:30 AM UTC, by <@U0ANA>');
  expect(page).toContain('To end its digests: `/card digest off C0OLD`');
});

it.each([
  ['North', '1 mute'],
  ['South', 'no mutes'],
])('the list of a channel counts the mutes that an approver of %s cards may see: %s', async (group, words) => {
  const { deps, answers } = await createActionWorld(redis(), {
    hasCardGroups: () => true,
    directory: directoryOf({ account: async () => accountOf({ group: 'North' }) }),
    rolesOf: async (_userId, asked = {}) => ({
      roles: asked.group === undefined || asked.group === group ? ['operator', 'approver'] : [],
      isComplete: true,
    }),
  });
  const mute = ask('mute', { ...byCommand, details: '2h' });
  await performAction(mute, { ...deps, rolesOf: async () => ({ roles: ['approver'], isComplete: true }) });

  await performAction(ask('subscriptions', { id: 'act_list', target: { kind: 'channel', text: '' } }), deps);

  expect(answers.at(-1)?.text).toBe(`This channel: no subscriptions, no digests, no quiet hours, ${words}.`);
  expect(shown(answers.at(-1)?.blocks ?? [])).not.toContain('muted');
});
