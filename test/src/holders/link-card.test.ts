import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '../../../src/actions/record.ts';
import { TooLateError } from '../../../src/core/errors.ts';
import type { WithLock } from '../../../src/core/lock.ts';
import { createSettingOrder } from '../../../src/core/setting-order.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { claimTarget, claimValue } from '../../../src/holders/claim-store.ts';
import { createLinkVerbs, createSetHolder } from '../../../src/holders/link-card.ts';
import { createLinks, type Links } from '../../../src/holders/link-store.ts';
import type { Person } from '../../../src/slack/client.ts';
import type { Message } from '../../../src/slack/message.ts';
import { auditLine } from '../../../templates/audit/audit-line.ts';
import { linkResult } from '../../../templates/holders/link-result.ts';
import { withoutLock } from '../../support/held.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  cardId,
  createActionWorld,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();
const hugo: Person = { name: null, isBot: false, isDeactivated: false, isGuest: false, isExternal: false, email: null };

/** @param meanwhile what somebody else does when the action has been permitted. */
function setUp(
  person: Person | null = hugo,
  isOwnCard = false,
  meanwhile = async (_links: Links): Promise<void> => {},
  withLock = withoutLock,
) {
  const claimed: number[][] = [];
  const links = createLinks(redis(), () => new Date());
  const entries: RecordEntry[] = [];
  const answers: string[] = [];
  const refusals: string[] = [];
  const welcomed: string[] = [];
  const lost: string[] = [];
  const begun = new Set<string>();
  const hasBegun = async ({ id }: { readonly id: string }) => begun.has(id);
  const deps = {
    links,
    hasBegun,
    settingOrder: createSettingOrder(redis(), () => new Date('2026-11-20T16:00:00.000Z')),
    factsOf: async () => card,
    record: async ({ id }: { readonly id: string }, entry: RecordEntry) => {
      if (entry.begins === true) begun.add(id);
      entries.push(entry);
    },
    responses: {
      refuse: async (_action: unknown, { why }: { why: string }) => void refusals.push(why),
      answer: async (_action: unknown, { text }: { text: string }) => void answers.push(text),
    },
    notifyDirectly: async (userId: string, _id: string, { text }: { text: string }) => {
      if (text.includes('no longer linked')) lost.push(userId);
      else welcomed.push(userId);
    },
    rights: {
      authorize: async () => {
        await meanwhile(links);
        return { kind: 'allowed' } as const;
      },
      isOwnCard: async () => isOwnCard,
    },
    openClaim: async (_action: unknown, acctIds: readonly number[]) => void claimed.push([...acctIds]),
    withLock,
    person: async () => person,
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  };
  const setHolder = createSetHolder(deps);
  const { linkCard, unlinkCard } = createLinkVerbs({ ...deps, setHolder });
  const lineFacts = {
    by: 'U0OLGA',
    card: null,
    at: deps.now().toISOString(),
    before: null,
    after: null,
    reason: null,
    outcome: '',
    ref: null,
  };
  return { links, entries, answers, refusals, welcomed, lost, claimed, lineFacts, setHolder, linkCard, unlinkCard };
}

/** Links are asked for in the order of their numbers: 0, 1, the unlink, 2. */
const linkTo = (userId: string, id = 'act_link1') => ({
  action: ask('link', { ...byCommand, id, subject: userId, askedAt: `2026-11-20T15:00:0${id.at(-1)}.000Z` }),
  acctId,
  cardId,
});
const unlink = { action: ask('unlink', { ...byCommand, askedAt: '2026-11-20T15:00:01.500Z' }), acctId, cardId };

describe('linking a card', () => {
  it('audits the previous holder, and welcomes the new one', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0SAM', 'act_link0'));

    await world.linkCard(linkTo('U0HUGO'));

    expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: 'U0HUGO', provedBy: 'approver', by: 'U0OLGA' });
    expect(world.entries.at(-1)).toMatchObject({ event: 'done', before: 'U0SAM', after: 'U0HUGO' });
    expect(world.welcomed).toEqual(['U0SAM', 'U0HUGO']);
    expect(world.answers.at(-1)).toContain('<@U0SAM> is no longer linked to it');
    expect(world.lost, 'the person who loses the card is notified').toEqual(['U0SAM']);
  });

  it('names the previous holder in the line for the audit channel', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0SAM', 'act_link0'));
    await world.linkCard(linkTo('U0HUGO'));

    const lines = world.entries.map(({ line }) => line && auditLine({ ...world.lineFacts, ...line }).text);

    expect(lines).toEqual([
      '<@U0OLGA> linked <@U0SAM> to Jane Doe · card 1212: confirmed by an approver.',
      '<@U0OLGA> linked <@U0HUGO> to Jane Doe · card 1212: <@U0SAM> no longer holds it, confirmed by an approver.',
    ]);
  });

  it('changes nothing for the current holder, says so, and sends no second welcome', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0HUGO', 'act_link0'));

    await world.linkCard(linkTo('U0HUGO'));

    expect(world.entries.at(-1)).toMatchObject({ event: 'unchanged' });
    expect(world.welcomed).toEqual(['U0HUGO']);
    expect(world.answers.at(-1)).toMatch(/is already linked to .*Nothing changed/);
  });

  it('audits once when rerun after a crash, and answers that it was done', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0HUGO'));

    await world.linkCard(linkTo('U0HUGO'));

    expect(world.entries.map(({ event }) => event)).toEqual(['done']);
    expect(world.answers.at(-1)).toContain('Linked: <@U0HUGO>');
  });

  it('leaves the card with a holder who was linked since, when its job runs again', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0SAM', 'act_link0'));
    await world.linkCard(linkTo('U0HUGO'));
    await world.linkCard(linkTo('U0ZOE', 'act_link2'));
    const toldBefore = [...world.lost, ...world.welcomed];

    await world.linkCard(linkTo('U0HUGO'));

    expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: 'U0ZOE' });
    expect([...world.lost, ...world.welcomed]).toEqual(toldBefore);
    expect(world.entries.slice(0, 3).map(({ after }) => after)).toEqual(['U0SAM', 'U0HUGO', 'U0ZOE']);
    expect(world.entries.slice(3), 'it is on record that it may never have taken effect').toMatchObject([
      { event: 'superseded', detail: 'it was set again since' },
    ]);
    expect(world.answers.at(-1)).toMatch(
      /^Who holds .* has been decided again since you asked.*<@U0ZOE> is linked to it now/,
    );
  });

  it.each([
    ['another holder', 'U0ZOE'],
    ['the holder that it had already', 'U0SAM'],
  ])('leaves the card with %s, named while it waited', async (_whom, since) => {
    const world = setUp();
    await world.linkCard(linkTo('U0SAM', 'act_link0'));
    await world.linkCard(linkTo(since, 'act_link2'));
    const toldBefore = [...world.lost, ...world.welcomed];

    await world.linkCard(linkTo('U0HUGO'));

    expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: since });
    expect([...world.lost, ...world.welcomed]).toEqual(toldBefore);
    expect(world.entries.at(-1)).toMatchObject({ event: 'superseded' });
    expect(world.answers.at(-1)).toMatch(
      new RegExp(`^Who holds .* has been decided again since you asked.*<@${since}> is linked to it now`),
    );
  });

  it('does not replace another holder because the email addresses match', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0SAM', 'act_link0'));
    const claim = ask('claim', { ...byCommand, confirmed: true, askedAt: '2026-11-20T15:00:09.000Z' });

    const set = await world.setHolder(claim, { acctId, cardId, userId: 'U0OLGA', provedBy: 'email' });

    expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: 'U0SAM' });
    expect(world.entries.at(-1)).toMatchObject({ event: 'superseded' });
    const { text } = linkResult({ ...set, userId: 'U0OLGA', isOwn: true });
    expect(text).toMatch(/has been decided again since you asked\. If you hold it, ask an approver\./);
    expect(text, 'whoever claims a card does not learn who holds it').not.toContain('U0SAM');
    expect(world.lost).toEqual([]);
  });

  it('is not written by a worker that was frozen for longer than its lock', async () => {
    const isLost: WithLock = async (_name, work) =>
      await work({ confirm: () => Promise.reject(new TooLateError('someone else may own the lock')) });
    const world = setUp(hugo, false, undefined, isLost);

    await expect(world.linkCard(linkTo('U0HUGO'))).rejects.toThrow(TooLateError);

    expect(await world.links.ofAccount(acctId)).toBeNull();
  });

  it.each([
    ['back to the previous holder', 'U0SAM'],
    ['to nobody', null],
  ])('leaves a card that was linked %s since, when its job runs again', async (_whom, since) => {
    const world = setUp();
    await world.linkCard(linkTo('U0SAM', 'act_link0'));
    await world.linkCard(linkTo('U0HUGO'));
    if (since === null) await world.unlinkCard(unlink);
    else await world.linkCard(linkTo(since, 'act_link2'));

    await world.linkCard(linkTo('U0HUGO'));

    expect((await world.links.ofAccount(acctId))?.userId ?? null).toBe(since);
    expect(world.answers.at(-1)).toContain(`${since === null ? 'Nobody' : '<@U0SAM>'} is linked to it now`);
  });

  it.each<[string, Person | null]>([
    ['a person unknown to Slack', null],
    ['a bot', { ...hugo, isBot: true }],
    ['a guest', { ...hugo, isGuest: true }],
    ['a person from another company', { ...hugo, isExternal: true }],
    ['a deactivated account', { ...hugo, isDeactivated: true }],
  ])('is refused for %s', async (_whom, person) => {
    const world = setUp(person);

    await world.linkCard(linkTo('U0HUGO'));

    expect(world.refusals).toHaveLength(1);
    expect(await world.links.ofAccount(acctId)).toBeNull();
  });
});

describe('unlinking a card', () => {
  it('is on record and answered as unchanged if somebody else has unlinked it in between', async () => {
    const world = setUp(hugo, false, async (links) => {
      await links.unlink(acctId);
    });
    await world.linkCard(linkTo('U0HUGO'));

    await world.unlinkCard(unlink);

    expect(world.entries.map(({ event }) => event)).toEqual(['done', 'unchanged']);
    expect(world.answers.at(-1)).toMatch(/^Nobody is linked to .* now\. Nothing changed\.$/);
    expect(world.lost).toEqual([]);
  });

  it('is audited, and answered again when rerun after a crash', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0HUGO'));

    await world.unlinkCard(unlink);
    await world.unlinkCard(unlink);

    expect(await world.links.ofAccount(acctId)).toBeNull();
    expect(world.entries.map(({ event, before }) => [event, before])).toEqual([
      ['done', null],
      ['done', 'U0HUGO'],
    ]);
    expect(world.answers.slice(-2)).toEqual([expect.stringContaining('Unlinked'), expect.stringContaining('Unlinked')]);
    expect(world.lost, 'the holder is notified once').toEqual(['U0HUGO']);
  });

  it.each(['U0ZOE', 'U0HUGO'])(
    'leaves the card with %s, who was linked since, when its job runs again',
    async (since) => {
      const world = setUp();
      await world.linkCard(linkTo('U0HUGO'));
      await world.unlinkCard(unlink);
      await world.linkCard(linkTo(since, 'act_link2'));

      await world.unlinkCard(unlink);

      expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: since });
      expect(world.entries.slice(3)).toMatchObject([{ event: 'superseded' }]);
      expect(world.answers.at(-1)).toContain(`<@${since}> is linked to it now`);
    },
  );

  it('leaves the card with a person who was linked while it waited', async () => {
    const world = setUp();
    await world.linkCard(linkTo('U0HUGO'));
    await world.linkCard(linkTo('U0ZOE', 'act_link2'));

    await world.unlinkCard(unlink);

    expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: 'U0ZOE' });
    expect(world.answers.at(-1)).toMatch(
      /^Who holds .* has been decided again since you asked.*<@U0ZOE> is linked to it now/,
    );
  });

  it("needs someone else's confirmation when it is your own card", async () => {
    const world = setUp(hugo, true);
    await world.linkCard(linkTo('U0OLGA'));

    await world.unlinkCard(unlink);

    expect(world.claimed).toEqual([[acctId]]);
    expect(await world.links.ofAccount(acctId)).toMatchObject({ userId: 'U0OLGA' });
    expect(world.lost).toEqual([]);
  });

  it('says that nothing changed when nobody is linked', async () => {
    const world = setUp();

    await world.unlinkCard(unlink);

    expect(world.entries.map(({ event }) => event)).toEqual(['unchanged']);
    expect(world.answers).toEqual([expect.stringMatching(/^Nobody is linked to .* now\. Nothing changed\.$/)]);
  });

  it('stays the newest request when nobody is linked yet, because the link that was asked for before it waits', async () => {
    const world = setUp();
    await world.unlinkCard(unlink);

    await world.linkCard(linkTo('U0HUGO'));

    expect(await world.links.ofAccount(acctId)).toBeNull();
    expect(world.answers.at(-1)).toMatch(
      /^Who holds .* has been decided again since you asked\..*Nobody is linked to it now/,
    );
  });
});

describe('a change of holder whose worker is killed at any step', () => {
  /** Sam holds the card. @returns what people are told directly; a repeat counts once. */
  function heldBySam() {
    const told = new Map<string, string>();
    const prepare = async ({ deps }: PerformWorld): Promise<WorldDeps> => {
      told.clear();
      await deps.links.link({ acctId, userId: 'U0SAM', provedBy: 'approver', by: 'U0BEN', at: '2026-11-01' });
      return {
        ...deps,
        person: async () => hugo,
        notifyDirectly: async (userId, id, { text }) => void told.set(`${userId} ${id}`, text),
      };
    };
    return { told, prepare };
  }

  it('records the link with the previous holder once, and tells both of them', async () => {
    const { told, prepare } = heldBySam();
    const action = ask('link', { ...byCommand, subject: 'U0HUGO' });

    await killEverywhere(action, prepare, async (world, diedAt) => {
      expect(await world.deps.links.ofAccount(acctId), diedAt).toMatchObject({ userId: 'U0HUGO' });
      expect(await world.records(), diedAt).toMatchObject([{ event: 'done', before: 'U0SAM', after: 'U0HUGO' }]);
      expect([...told.keys()].sort(), diedAt).toEqual(['U0HUGO linked-act_link1', 'U0SAM unlinked-act_link1']);
      expect(world.auditLines, diedAt).toEqual(['audit-act_link1-done']);
      expect(world.answers.at(-1)?.text, diedAt).toContain('Linked: <@U0HUGO>');
    });
  });

  it('records its end with the holder once, and tells them', async () => {
    const { told, prepare } = heldBySam();
    const action = ask('unlink', byCommand);

    await killEverywhere(action, prepare, async (world, diedAt) => {
      expect(await world.deps.links.ofAccount(acctId), diedAt).toBeNull();
      expect(await world.records(), diedAt).toMatchObject([{ event: 'done', before: 'U0SAM', after: null }]);
      expect([...told.keys()], diedAt).toEqual(['U0SAM unlinked-act_unlink1']);
      expect(world.auditLines, diedAt).toEqual(['audit-act_unlink1-done']);
      expect(world.answers.at(-1)?.text, diedAt).toContain('Unlinked');
    });
  });
});

it.each<[string, VerbAction, string]>([
  ['unlinks it', ask('unlink', byCommand), 'Unlinked by <@U0OLGA>.'],
  ['links it to somebody else', ask('link', { ...byCommand, subject: 'U0HUGO' }), 'Linked to <@U0HUGO> by <@U0OLGA>.'],
  [
    'confirms that it is not theirs',
    ask('decide-claim', { target: { kind: 'claim', claimId: 'clm_1', confirms: true } }),
    '<@U0OLGA> confirmed that.',
  ],
])('a holder reads what an approver did who %s', async (_what, action, did) => {
  const world = await createActionWorld(redis());
  const told: string[] = [];
  const deps = {
    ...world.deps,
    person: async () => hugo,
    notifyDirectly: async (userId: string, _id: string, { blocks }: Message) =>
      void told.push(`${userId}: ${JSON.stringify(blocks)}`),
  };
  await deps.links.link({ acctId, userId: 'U0SAM', provedBy: 'approver', by: 'U0BEN', at: '2026-11-01' });
  const target = claimTarget(claimValue('clm_1', 'U0SAM'), true);
  await deps.claims.save({
    id: 'clm_1',
    action: ask('unlink', { ...byCommand, actor: { userId: 'U0SAM', teamId: 'T1' } }),
    card: { acctId, isSameName: false, isSameEmail: false },
    state: 'open',
    expiresAt: '2026-11-21T15:00:00.000Z',
  });

  await performAction(action.verb === 'decide-claim' ? { ...action, target } : action, deps);

  const lost = told.find((text) => text.includes('no longer linked to you.'));
  expect(lost).toContain(`U0SAM: `);
  expect(lost).toContain(`no longer linked to you.* ${did}\\n`);
});
