import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLock } from '../../../src/core/lock.ts';
import { createEndMute } from '../../../src/routing/mute.ts';
import { createMutes } from '../../../src/routing/mute-store.ts';
import type { Message } from '../../../src/slack/message.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, type Over, performAction } from '../../support/perform-world.ts';

const redis = useRedis();
const approver: Over = { actor: { userId: 'U0ANA', teamId: 'T1' }, roles: ['operator', 'approver'] };
const operator: Over = { roles: ['operator'] };

async function world() {
  const notices: string[] = [];
  const postNotice = async (_channel: string, _id: string, { text }: Message) => void notices.push(text);
  const withLock = createLock(redis());
  const made = await createActionWorld(redis(), { postNotice, withLock });
  const mutes = createMutes(redis(), made.deps.now);
  const { endMute } = createEndMute({ mutes, postNotice, withLock, now: made.deps.now });
  /** Advances the clock, and ends the mutes whose time is over. */
  const wait = async (hours: number): Promise<void> => {
    made.advance(hours * 3_600_000);
    for (const { id } of await mutes.inForce()) await endMute(id);
  };
  let count = 0;
  /** @returns the answer. */
  const mute = async (details: string, by: Over = operator, verb: 'mute' | 'travel' = 'mute') => {
    count += 1;
    const askedAt = made.deps.now().toISOString();
    await performAction(ask(verb, { ...byCommand, askedAt, ...by, id: `act_m${count}`, details }), made.deps);
    return made.answers.at(-1)?.text ?? '';
  };
  const ends = async () => (await mutes.active()).map(({ endsAt }) => endsAt);
  return { ...made, mutes, mute, ends, wait, endMute, notices };
}

describe('a mute', () => {
  it('of up to 24 hours may be set by an operator, a longer one by an approver', async () => {
    const { mute, ends, stations, wait } = await world();

    expect(await mute('25h trade show')).toMatch(/Only approvers may mute a card for more than 24 hours/);
    expect(await ends()).toEqual([]);
    expect(await stations()).toEqual(['refused']);

    expect(await mute('24h trade show')).toMatch(/is muted until/);
    await wait(24);
    expect(await mute('3 days trade show', approver)).toMatch(/is muted until/);
    expect(await ends()).toEqual(['2026-11-24T15:00:00.000Z']);
  });

  it('may last 24 hours again when the last one has ended', async () => {
    const { mute, ends, wait } = await world();
    await mute('24h');
    await wait(24);
    expect(await ends()).toEqual([]);

    expect(await mute('24h')).toMatch(/is muted until/);
  });

  it('keeps no secret of its reason', async () => {
    const { mute, mutes } = await world();

    expect(await mute('2h PIN 4321')).not.toContain('4321');
    expect((await mutes.active()).map(({ reason }) => reason)).toEqual(['PIN [removed]']);
  });

  it('can be set beside a travel mute, and the other way round', async () => {
    const { mute, ends } = await world();

    await mute('ES until 2027-02-01', operator, 'travel');
    expect(await mute('20h')).toMatch(/is muted until/);

    expect(await ends()).toHaveLength(2);
  });

  it('that is set beside a travel mute says so, and so do the answer and the end of a travel mute beside it', async () => {
    const { mute, mutes, wait, answers, notices, deps } = await world();
    const said = () => JSON.stringify(answers.at(-1)?.blocks);
    await mute('ES until 2026-11-20', operator, 'travel');
    await mutes.withhold('mute_m1', [{ channel: 'C1', kind: 'decline', eventId: 'evt_1' }]);

    await mute('24h');
    expect(said()).toContain('<@U0OLGA> gets no declines from their travel mute.');
    await wait(14);
    expect(notices).toEqual([
      expect.stringMatching(
        /^The travel mute of .* has ended\. While the card is muted \(until Nov 21, 2026, 10:00 AM ET\), the channels do not get these declines\./,
      ),
    ]);

    await mute('ES until 2026-12-01', operator, 'travel');
    expect(said()).toMatch(/The card is also muted .*go only to the cardholder; after that, also to you/);
    await mutes.withhold('mute_m3', [{ channel: 'C1', kind: 'decline', eventId: 'evt_2' }]);
    await performAction(ask('unmute', { ...byCommand, ...operator, askedAt: deps.now().toISOString() }), deps);
    expect(answers.at(-1)?.text).toMatch(/^All mutes of .* have ended\./);
    expect(notices[1]).toMatch(/^The travel mute of .* has ended: the channels get these declines again\./);
  });

  it('for a trip in the home country follows the same rule: an operator may set 24 hours', async () => {
    const { mute, ends } = await world();

    expect(await mute('ES,US until 2027-02-01', operator, 'travel')).toMatch(/Only approvers may mute a card/);
    expect(await ends()).toEqual([]);
    expect(await mute('ES until 2027-02-01', operator, 'travel')).not.toMatch(/Not done/);
    expect(await ends()).toHaveLength(1);
  });

  it.each(['mute', 'travel'] as const)(
    '(%s) is refused to the cardholder, even if they are an approver',
    async (verb) => {
      const { mute, ends, deps } = await world();
      const at = deps.now().toISOString();
      await deps.links.link({ acctId, userId: 'U0ANA', provedBy: 'email', by: 'U0ANA', at });

      expect(await mute(verb === 'mute' ? '90 days' : 'ES until friday', approver, verb)).toMatch(/your own card/);
      expect(await ends()).toEqual([]);
    },
  );

  it("is refused to a recent former holder, and to anyone with the holder's email", async () => {
    const { mute, ends, deps } = await world();
    await deps.links.link({ acctId, userId: 'U0OLGA', provedBy: 'email', by: 'U0OLGA', at: deps.now().toISOString() });
    await deps.links.unlink(acctId);

    expect(await mute('2h')).toMatch(/your own card/);
    expect(await ends()).toEqual([]);
  });

  it.each(['1h', '5 days'])('in force is not replaced by one of %s: it is ended first', async (details) => {
    const { mute, ends, deps } = await world();
    await mute('3 days fraud case', approver);

    expect(await mute(details, approver)).toMatch(
      /^Not done: Muting this card\. .*muted <!date.*\|until Nov 23, 2026.*\/card unmute/,
    );
    expect(await ends()).toEqual(['2026-11-23T15:00:00.000Z']);

    await performAction(ask('unmute', { ...byCommand, ...operator }), deps);
    expect(await mute(details, approver)).toMatch(/is muted until/);
    expect(await ends()).toHaveLength(1);
  });

  it('is set once if its worker dies when it is stored', async () => {
    const { mutes, deps, answers } = await world();
    const action = ask('mute', { ...byCommand, ...operator, details: '17h' });
    const dying = { ...deps, scheduleMuteEnd: () => Promise.reject(new Error('killed')) };
    await expect(performAction(action, dying)).rejects.toThrow('killed');

    await performAction(action, deps);

    expect(await mutes.active()).toHaveLength(1);
    expect(answers.at(-1)?.text).toMatch(/is muted until/);
  });

  it('is not in its own way when its job runs again', async () => {
    const { ends, deps, answers } = await world();
    const action = ask('mute', { ...byCommand, details: '2h' });
    await performAction(action, deps);
    await performAction(action, deps);

    expect(answers.map(({ text }) => /is muted until/.test(text))).toEqual([true, true]);
    expect(await ends()).toHaveLength(1);
  });

  const setSince = /^This has been changed again since you asked\. The newer setting stays\.$/;
  const later = { askedAt: '2026-11-20T15:01:00.000Z' };
  const unmute = (over: Over = {}) => ask('unmute', { ...byCommand, ...operator, ...over });
  const muteFor = (details: string, over: Over = {}) => ask('mute', { ...byCommand, ...operator, details, ...over });

  it('that somebody has ended is not set again when its job runs again', async () => {
    const { ends, deps, answers, stations } = await world();
    await performAction(muteFor('2h'), deps);
    await performAction(unmute(later), deps);

    await performAction(muteFor('2h'), deps);

    expect(await ends()).toEqual([]);
    expect(answers.at(-1)?.text).toMatch(setSince);
    expect(await stations()).toEqual(['done', 'done', 'superseded']);
  });

  it('that waited does not mute a card that somebody has unmuted since, and the other way round', async () => {
    const { ends, deps, answers, stations, wait } = await world();
    await wait(0.1);
    await performAction(unmute(later), deps);
    await performAction(muteFor('2h'), deps);
    expect(await ends()).toEqual([]);
    expect(answers.at(-1)?.text).toMatch(setSince);

    await performAction(muteFor('8h', { id: 'act_latest', askedAt: '2026-11-20T15:02:00.000Z' }), deps);
    await performAction(unmute({ id: 'act_waited', ...later }), deps);
    expect(await ends()).toHaveLength(1);
    expect(answers.at(-1)?.text).toMatch(setSince);
    expect(await stations()).toEqual(['unchanged', 'superseded', 'done', 'superseded']);
  });

  it('that waited is set beside a travel mute that was asked for later', async () => {
    const { ends, deps, answers } = await world();
    const details = 'ES until 2027-02-01';
    await performAction(ask('travel', { ...byCommand, ...operator, ...later, details }), deps);

    await performAction(muteFor('2h'), deps);

    expect(answers.at(-1)?.text).toMatch(/is muted until/);
    expect(await ends()).toHaveLength(2);
  });

  it('is in force only when it is on record, even if its author loses the role meanwhile', async () => {
    const { ends, deps, answers, stations } = await world();
    const append = () => Promise.reject(new Error('killed'));
    await expect(performAction(muteFor('2h'), { ...deps, audit: { ...deps.audit, append } })).rejects.toThrow('killed');
    expect(await ends()).toEqual([]);

    await performAction(muteFor('2h'), { ...deps, rolesOf: async () => ({ roles: ['holder'], isComplete: true }) });

    expect(answers.at(-1)?.text).toMatch(/^Not done.*Nothing changed/);
    expect(await stations()).toEqual(['refused']);
    expect(await ends()).toEqual([]);
  });

  it.each([
    ['mute', '2h'],
    ['travel', 'ES until 12:00'],
  ] as const)('(%s) whose end has passed when it is performed is refused', async (verb, details) => {
    const { ends, deps, answers, advance, stations } = await world();
    advance(3 * 3_600_000);

    await performAction(ask(verb, { ...byCommand, ...operator, details }), deps);

    expect(answers.at(-1)?.text).toMatch(/^That time has passed\. Write \/card .*Nothing changed\.$/);
    expect(await stations()).toEqual(['refused']);
    expect(await ends()).toEqual([]);
  });

  it('is not refused for its end if it is on record, and runs again when it is over', async () => {
    const { mutes, deps, answers, advance, stations } = await world();
    const unstored = { ...deps, mutes: { ...mutes, put: () => Promise.reject(new Error('killed')) } };
    await expect(performAction(muteFor('2h'), unstored)).rejects.toThrow('killed');
    advance(3 * 3_600_000);

    await performAction(muteFor('2h'), deps);

    expect(answers.at(-1)?.text).toMatch(/^The mute of .* has ended/);
    expect(await stations()).toEqual(['done']);
    expect(await mutes.inForce()).toEqual([]);
  });

  it('on record but not stored is superseded by one that was asked for later', async () => {
    const { ends, deps, answers, stations, wait } = await world();
    await wait(0.1);
    const unstored = { ...deps, mutes: { ...deps.mutes, put: () => Promise.reject(new Error('killed')) } };
    await expect(performAction(muteFor('2h'), unstored)).rejects.toThrow('killed');
    await performAction(muteFor('8h', { id: 'act_latest', ...later }), deps);

    await performAction(muteFor('2h'), deps);

    expect(answers.at(-1)?.text).toMatch(setSince);
    expect(await stations()).toEqual(['done', 'done', 'superseded']);
    expect(await ends()).toHaveLength(1);
  });

  it('is set and on record once, whenever its worker is killed', async () => {
    const steps = await killEverywhere(
      muteFor('2h'),
      ({ deps }) => deps,
      async ({ deps, answers, stations }, diedAt) => {
        expect(await deps.mutes.active(), diedAt).toHaveLength(1);
        expect(await stations(), diedAt).toEqual(['done']);
        expect(answers.at(-1)?.text, diedAt).toMatch(/is muted until/);
      },
    );

    expect(steps).toBeGreaterThan(3);
  });

  it.each([
    ['one mute', '2h', ['done', 'done', 'done']],
    ['nothing', '', ['unchanged', 'done']],
  ])('set since stays when the job of an unmute that ended %s runs again', async (_what, first, events) => {
    const { ends, deps, answers, stations } = await world();
    if (first !== '') await performAction(muteFor(first), deps);
    await performAction(unmute(), deps);
    await performAction(muteFor('8h', { id: 'act_later', ...later }), deps);

    await performAction(unmute(), deps);

    expect(await ends()).toEqual(['2026-11-20T23:01:00.000Z']);
    expect(answers.at(-1)?.text).toMatch(/is muted until Nov 20, 2026, 6:01 PM ET/);
    expect(await stations()).toEqual(events);
  });

  it.each([
    [2, /has ended\. 2 alerts were held back in that time: (?:1 decline, 1 settlement|1 settlement, 1 decline)\.$/],
    [0, /has ended\. No alerts were held back\.$/],
  ])('says when it is ended how many alerts it withheld: %i', async (count, words) => {
    const { mutes, deps, answers } = await world();
    await performAction(muteFor('2h'), deps);
    const [mute] = await mutes.active();
    const alerts = [
      { channel: 'C1', kind: 'decline', eventId: 'evt_1' },
      { channel: 'C2', kind: 'decline', eventId: 'evt_1' },
      { channel: 'C1', kind: 'settlement', eventId: 'evt_2' },
    ] as const;
    if (count > 0) await mutes.withhold(mute?.id ?? '', alerts);
    const inChannel = { kind: 'channel', text: '' } as const;
    await performAction(ask('mutes', { ...byCommand, ...operator, id: 'act_list', target: inChannel }), deps);
    expect(JSON.stringify(answers.at(-1)?.blocks)).toContain(`${count === 0 ? 'No' : count} alerts held back so far`);

    await performAction(unmute(), deps);

    expect(answers.at(-1)?.text).toMatch(words);
  });

  it('that somebody ends at the moment when its time is over is ended once, and says what it withheld', async () => {
    const { mutes, endMute, deps, answers, notices, advance } = await world();
    await performAction(muteFor('2h'), deps);
    const [mute] = await mutes.active();
    const id = mute?.id ?? '';
    await mutes.withhold(id, [{ channel: 'C1', kind: 'decline', eventId: 'evt_1' }]);
    advance(2 * 3_600_000);
    let ending: Promise<unknown> = Promise.resolve();
    const append: typeof deps.audit.append = async (...given) => {
      ending = endMute(id);
      await Promise.race([ending, sleep(200)]);
      await deps.audit.append(...given);
    };

    await performAction(unmute(), { ...deps, audit: { ...deps.audit, append } });
    await ending;

    expect(answers.at(-1)?.text).toMatch(/has ended\. 1 alert was held back in that time: 1 decline\.$/);
    expect(notices).toHaveLength(1);
    expect([...(await mutes.inForce()), ...(await mutes.ended())]).toEqual([]);
  });

  it('is on record as ended, and no more, when the job that ended it runs again', async () => {
    const { deps, answers, stations } = await world();
    await performAction(muteFor('2h'), deps);
    await performAction(unmute(), deps);

    await performAction(unmute(), deps);

    expect(await stations()).toEqual(['done', 'done']);
    expect(answers.at(-1)?.text).toBe('This card is not muted any more.');
  });
});
