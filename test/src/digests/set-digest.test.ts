import { describe, expect, it } from 'vitest';
import { createTools } from '../../../src/app/compose-tools.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { createDigests, kindOf } from '../../../src/digests/schedule-store.ts';
import { createChangeSchedule, createSetDigest } from '../../../src/digests/set-digest.ts';
import { createShownDeclines } from '../../../src/digests/shown-declines.ts';
import { readDigest } from '../../../src/digests/verbs.ts';
import { createMayGetAlerts } from '../../../src/routing/channel-access.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, contextOf, createActionWorld } from '../../support/perform-world.ts';

const redis = useRedis();

/** `/card digest WORDS` in a channel about which Slack returns `info`. */
async function typed(
  words: string,
  info: { isExtShared: boolean; isMember: boolean } | SlackError,
  channel = 'C1',
  over = {},
) {
  const posted: string[] = [];
  const digests = createDigests(redis());
  const channelInfo = async () => {
    if (info instanceof SlackError) throw info;
    return info;
  };
  const world = await createActionWorld(redis());
  const tools = createTools(contextOf(world.deps));
  const shownDeclines = createShownDeclines(redis());
  const setDigest = createSetDigest({
    ...tools,
    postDigest: async (to, _id, _asked, recorded) => {
      await recorded('daily digest of 3 declines');
      posted.push(to);
    },
    mayGetAlerts: createMayGetAlerts({ ...tools, channelInfo }),
    changeSchedule: createChangeSchedule({ ...tools, digests, shownDeclines, now: () => new Date() }),
  });
  const origin = { kind: 'command', channel, messageTs: null, reply: null, replace: false } as const;
  const wanted = readDigest(words.split(' '));
  if (typeof wanted === 'string') throw new Error(wanted);
  const id = `act_${words.toLowerCase().replaceAll(/\W/g, '')}`;
  const action = ask('digest', { id, target: { kind: 'channel', text: words }, wanted, origin, ...over });
  await setDigest(action);
  await setDigest(action);
  return {
    told: world.answers.map(({ text }) => text).join('\n'),
    lines: world.auditLines,
    set: await digests.ofChannel(channel),
    posted,
    stations: await world.stations(),
    recorded: await world.records(),
  };
}

const hidden = new SlackError('conversations.info', 'channel_unusable', 'channel_not_found');
const own = { isExtShared: false, isMember: true };

describe('a digest', () => {
  it('is set in a channel that Cardbell is in', async () => {
    const { told, set } = await typed('daily 09:00', own);

    expect(told).toMatch(/gets a digest every day at 9:00 AM/);
    expect(set).toHaveLength(1);
  });

  it('that is set again unchanged keeps its start, so that the one that is due is still posted', async () => {
    const at = '2026-11-20T09:00:00.000Z';
    const daily = { channel: 'C1', weekday: null, isMonthly: false, hour: 9, minute: 0, zone: 'America/New_York' };
    await createDigests(redis()).set({ ...daily, by: 'U0ANA', at });

    expect((await typed('daily 09:00', own)).set).toMatchObject([{ at, by: 'U0ANA' }]);
    expect((await typed('daily 10:00', own)).set[0]?.at).not.toBe(at);
  });

  it('that somebody asks for now is on record once, with who asked', async () => {
    const { posted, recorded } = await typed('now', own);

    expect(new Set(posted)).toEqual(new Set(['C1']));
    expect(recorded).toMatchObject([
      {
        event: 'done',
        verb: 'digest',
        actor: { userId: expect.stringMatching(/^U/) },
        detail: 'daily digest of 3 declines',
      },
    ]);
  });

  it.each([
    [
      'where Cardbell is not a member',
      { isExtShared: false, isMember: false },
      'C1',
      /not in this channel.*\/invite @Cardbell/,
    ],
    ['in a hidden private channel', hidden, 'C1', /\/invite @Cardbell/],
    ['where another company can read', { isExtShared: true, isMember: true }, 'C1', /another company/],
    ['in a direct conversation', own, 'D1', /not a channel/],
  ])('is neither set nor posted %s, and the refusal is answered and audited', async (_where, info, channel, why) => {
    for (const words of ['daily 09:00', 'now']) {
      const { told, set, posted, stations } = await typed(words, info, channel);

      expect(told).toMatch(/^Not done\. /);
      expect(told).toMatch(why);
      expect([set, posted]).toEqual([[], []]);
      expect(stations).toEqual(['refused']);
    }
  });

  it('can be turned off in a channel that Cardbell was removed from', async () => {
    await typed('daily 09:00', own, 'C2');

    const { told, set } = await typed('off', { isExtShared: false, isMember: false }, 'C2');

    expect(told).toContain('This channel gets no digests any more (ended: daily).');
    expect(set).toEqual([]);
  });

  it('of a channel where nobody can type is turned off from another one', async () => {
    await typed('daily 09:00', own, 'C7');

    const { told, recorded } = await typed('off C7', own, 'C8');

    expect(told).toMatch(/^<#C7> gets no digests any more \(ended: daily\)\./);
    expect(await createDigests(redis()).ofChannel('C7')).toEqual([]);
    expect(recorded.at(-1)).toMatchObject({ event: 'done', channel: 'C8', detail: 'channel C7' });
  });

  it('is on record with the one of its kind that it replaces', async () => {
    await typed('weekly monday 09:00', own, 'C5');
    await typed('daily 09:00', own, 'C5');
    const { recorded } = await typed('daily 10:00', own, 'C5');

    const [before, after] = ['09:00', '10:00'].map((time) => `digest daily at ${time} America/New_York`);
    expect(recorded.at(-1)).toMatchObject({ event: 'done', before, after });
  });

  it.each([
    ['daily 09:00', 'off', [], /changed again since you asked/],
    ['daily 09:00', 'daily 10:00', [10], /changed again since you asked/],
    ['daily 09:00', 'weekly monday 10:00', [9, 10], /gets a digest every day at 9:00 AM/],
    ['off', 'daily 09:00', [9], /changed again since you asked/],
  ])('%j that waited does not replace %j that was asked for later', async (waited, later, hours, answer) => {
    await typed('weekly tuesday 08:00', own, 'C6', { id: 'act_first', askedAt: '2026-11-20T14:00:00.000Z' });
    if (later !== 'weekly monday 10:00') await createDigests(redis()).remove('C6', 'weekly');
    await typed(later, own, 'C6', { askedAt: '2026-11-20T15:01:00.000Z' });

    const { told, set } = await typed(waited, own, 'C6');

    expect(set.map(({ hour }) => hour)).toEqual(hours);
    expect(told).toMatch(answer);
  });

  it('that waited to end all ends those that nobody has set since, and says which stay', async () => {
    await typed('weekly monday 09:00', own, 'C7', { id: 'act_first', askedAt: '2026-11-20T14:00:00.000Z' });
    await typed('daily 09:00', own, 'C7', { askedAt: '2026-11-20T15:01:00.000Z' });

    const { told, set, recorded } = await typed('off', own, 'C7');

    expect(set.map(({ hour, weekday }) => [hour, weekday])).toEqual([[9, null]]);
    expect(told).toContain('Weekly digest ended. The daily digest was set again since and stays.');
    expect(recorded.filter(({ actionId }) => actionId === 'act_off')).toMatchObject([
      { event: 'done', after: 'none' },
      { event: 'superseded', detail: 'daily: it was set again since' },
    ]);
  });

  it('names all that ended', async () => {
    await typed('weekly monday 09:00', own, 'C3');
    await typed('monthly 09:00', own, 'C3');

    expect((await typed('off', own, 'C3')).told).toContain('(ended: weekly, monthly)');
  });

  it.each([
    ['off monthly', 'This channel gets no monthly digest any more. The daily digest stays.', ['daily']],
    ['off weekly', 'This channel gets no weekly digest. The daily and monthly digests stay.', ['daily', 'monthly']],
  ])('of one kind is turned off alone: %s', async (words, answer, left) => {
    await typed('daily 09:00', own, 'C9');
    await typed('monthly 09:00', own, 'C9');

    const { told, set } = await typed(words, own, 'C9');

    expect(told.split('\n')[0]).toBe(answer);
    expect(set.map(kindOf)).toEqual(left);
  });

  it('says so if there was none to end', async () => {
    const { told, recorded, lines } = await typed('off', own, 'C4');
    expect(told).toContain('This channel gets no digests.');
    expect(recorded.at(-1)).toMatchObject({ event: 'unchanged' });
    expect(lines).toEqual([]);
  });
});
