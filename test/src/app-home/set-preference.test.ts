import { describe, expect, it } from 'vitest';
import type { PreferenceAction } from '../../../src/app-home/verbs.ts';
import { createPreferences } from '../../../src/holders/preference-store.ts';
import { createQuietHours } from '../../../src/routing/channel-rules-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, performAction } from '../../support/perform-world.ts';

const redis = useRedis();
const notify = (id: string, preference: PreferenceAction['preference'] = { kind: 'quiet', hours: 'off' }) =>
  ask('notify', { id, target: { kind: 'channel', text: '' }, preference, roles: [] });

describe('a person’s direct messages', () => {
  it('are their own choice, whatever their role, and each choice is audited', async () => {
    const { deps, answers, stations } = await createActionWorld(redis());
    const preferences = createPreferences(redis());

    await performAction(notify('act_1', { kind: 'messages', what: 'shipping', isOn: false }), deps);
    expect(await preferences.isOn(notify('act_0').actor.userId, 'shipping')).toBe(false);
    expect(await preferences.isOn('U0OTHER', 'shipping')).toBe(true);
    expect(answers.at(-1)?.text).toMatch(/I won’t message you when your card is on its way/);

    await performAction(notify('act_2', { kind: 'messages', what: 'shipping', isOn: true }), deps);
    expect(await preferences.isOn(notify('act_0').actor.userId, 'shipping')).toBe(true);
    expect(await stations()).toEqual(['done', 'done']);
  });

  it.each<[PreferenceAction['preference'], string]>([
    [{ kind: 'messages', what: 'shipping', isOn: false }, 'shipping off'],
    [{ kind: 'digest', often: 'daily' }, 'digest daily'],
    [{ kind: 'quiet', hours: '22:00-07:00 UTC' }, '22:00'],
  ])('are on record as unchanged if they were so already: %j', async (preference, words) => {
    const { deps, records } = await createActionWorld(redis());

    for (const id of ['act_1', 'act_1', 'act_2']) await performAction(notify(id, preference), deps);

    const [set, again, ...more] = await records();
    expect([set?.event, again?.event, more]).toEqual(['done', 'unchanged', []]);
    expect(again?.before).toContain(words);
    expect(again?.before).toBe(again?.after);
  });

  it('can include a digest of their cards every day, every week or never', async () => {
    const { deps, answers } = await createActionWorld(redis());
    const preferences = createPreferences(redis());
    const { userId } = notify('act_0').actor;

    await performAction(notify('act_6', { kind: 'digest', often: 'weekly' }), deps);
    expect(await preferences.ownDigest(userId)).toMatchObject({ often: 'weekly' });
    expect(answers.at(-1)?.text).toMatch(/every Monday at 9:00 AM ET, once a card is linked to you: `\/card link`\.$/);
    await deps.links.link({ acctId, userId, provedBy: 'approver', by: 'U0ANA', at: deps.now().toISOString() });

    const first = await preferences.ownDigest(userId);
    await performAction(notify('act_8', { kind: 'digest', often: 'daily' }), deps);
    expect(answers.at(-1)?.text).toMatch(/every day at 9:00 AM ET\.$/);
    await performAction(notify('act_9', { kind: 'digest', often: 'weekly' }), deps);
    expect((await preferences.ownDigest(userId))?.startedAt, 'still owes from then').toBe(first?.since);

    const chosen = await preferences.ownDigest(userId);
    const later = new Date(deps.now().getTime() + 60_000).toISOString();
    await performAction({ ...notify('act_again', { kind: 'digest', often: 'weekly' }), askedAt: later }, deps);
    expect(await preferences.ownDigest(userId), 'one that is due is not skipped').toEqual(chosen);

    await performAction({ ...notify('act_7', { kind: 'digest', often: 'off' }), askedAt: later }, deps);
    expect(await preferences.ownDigest(userId)).toBeNull();
    await performAction(notify('act_6', { kind: 'digest', often: 'weekly' }), deps);
    expect(await preferences.ownDigest(userId), 'an earlier choice that runs again does not come back').toBeNull();
  });

  it('wait during their own quiet hours, stored for the direct conversation', async () => {
    const { deps, answers } = await createActionWorld(redis(), { openDirect: async (userId) => `D-${userId}` });
    const hours = createQuietHours(redis());
    const channel = `D-${notify('act_0').actor.userId}`;

    await performAction(notify('act_3', { kind: 'quiet', hours: '22:00-07:00 Europe/Berlin' }), deps);
    expect(await hours.get(channel)).toMatchObject({ window: { from: '22:00', to: '07:00', zone: 'Europe/Berlin' } });
    expect(answers.at(-1)?.text).toMatch(/^Your quiet hours: 10:00 PM to 7:00 AM Europe\/Berlin/);

    await performAction(notify('act_4', { kind: 'quiet', hours: 'off' }), deps);
    expect(await hours.get(channel)).toBeNull();
  });

  it.each(['', '22:00', '22:00-07:00 except declines'])(
    'are not changed by quiet hours that cannot be read: %j',
    async (words) => {
      const { deps, answers } = await createActionWorld(redis());

      await performAction(notify('act_5', { kind: 'quiet', hours: words }), deps);

      expect(answers.at(-1)?.text).toMatch(/hours|exceptions/);
    },
  );
});
