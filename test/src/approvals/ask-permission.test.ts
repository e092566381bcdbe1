import { describe, expect, it } from 'vitest';
import type { CardStatus } from '../../../src/core/event.ts';
import { momentOf } from '../../../src/core/since.ts';
import { verbs } from '../../../src/dispatch/verbs.ts';
import type { ChangeRequest } from '../../../src/limits/change-request.ts';
import type { Message } from '../../../src/slack/message.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();

async function createWorld(over: Partial<WorldDeps> = {}) {
  const posted = new Map<string, Message>();
  const world = await createActionWorld(redis(), {
    rolesOf: async () => ({ roles: [], isComplete: true }),
    whoMay: async () => ['U0ANA', 'S0APPROVERS'],
    momentOf: (since, at) => momentOf(since, at, 'America/New_York'),
    postToApprovals: async (id, message) => void posted.set(id, message),
    alertLink: async (alertId) => `https://team.slack.com/archives/C1/${alertId}`,
    requestLink: async (requestId) => `https://team.slack.com/archives/C2/${requestId}`,
    ...over,
  });
  return { world, posted };
}

/** The value of *Ask them* on the last answer. */
function askValueIn({ blocks }: Message): string {
  const value = /"action_id":"ask_permission","value":"([^"]+)"/.exec(JSON.stringify(blocks))?.[1];
  return value ?? expect.fail('the refusal has a button to ask');
}

it('lets a refused person ask the people with permission, in the approvals channel', async () => {
  const { world, posted } = await createWorld();
  await performAction(ask('unblock', { ...byCommand, reason: 'found it' }), world.deps);
  const refused = world.answers.at(-1) ?? expect.fail('the person was answered');
  const pending = await world.deps.pending.get(askValueIn(refused));
  if (pending?.kind !== 'choice') return expect.fail('the button stores a question');
  expect(pending.choice).toMatchObject({ verb: 'ask-permission', input: { asked: 'unblock' }, reason: 'found it' });

  const question = ask('ask-permission', { ...byCommand, reason: 'found it', asked: 'unblock' });
  await performAction(question, world.deps);
  await performAction(question, world.deps);

  expect(posted.size, 'one question, even if the job runs again').toBe(1);
  const [message] = posted.values();
  expect(message?.text).toMatch(
    /^<@U0OLGA> asks an approver to unblock Jane Doe · card .*\. Reason: “found it” Only approvers may/,
  );
  expect(message?.text).toContain('`/card unblock ');
  expect(world.answers.at(-1)?.text).toMatch(/^Asked: <@U0ANA> and <!subteam\^S0APPROVERS>, in the approvals channel/);
  expect((await world.stations()).filter((event) => event === 'asked')).toHaveLength(1);
  expect(world.writes).toEqual([]);
});

/** *Ask them* in the last answer. */
async function pressAskThem(world: PerformWorld): Promise<void> {
  const pending = await world.deps.pending.get(askValueIn(world.answers.at(-1) ?? expect.fail('no answer')));
  if (pending?.kind !== 'choice') return expect.fail('the button stores a question');
  const { input, ...choice } = pending.choice;
  const question = ask('ask-permission', { ...byCommand, ...choice, ...input, id: 'act_question' });
  await performAction(verbs['ask-permission'].action.parse(question), world.deps);
}

it('asks approvers to unblock the card of whom may not undo its block', async () => {
  const { world, posted } = await createWorld();
  const both = async () => ({ roles: ['operator' as const, 'approver' as const], isComplete: true });
  await performAction(ask('block', { ...byCommand, id: 'act_block' }), { ...world.deps, rolesOf: both });
  const target = { kind: 'action', actionId: 'act_block' } as const;
  await performAction(ask('undo-block', { target }), world.deps);

  await pressAskThem(world);

  const [message] = posted.values();
  expect(message?.text).toMatch(/^<@U0OLGA> asks an approver to unblock Jane Doe · card .*: `\/card unblock /);
});

const fourHours = {
  goals: [{ rule: { kind: 'limit', period: 'daily', category: null }, to: 45_000 }],
  term: { kind: 'duration', ms: 4 * 3_600_000 },
} as const;

let asked = 0;

/** What the people asked read after someone without a role was refused and pressed *Ask them*. */
async function questionAfter(...[verb, over]: Parameters<typeof ask>): Promise<string> {
  const { world, posted } = await createWorld();
  asked += 1;
  await performAction(ask(verb, { id: `act_asked${asked}`, ...over }), world.deps);
  await pressAskThem(world);
  const [message] = posted.values();
  expect(shown(message?.blocks ?? [])).toContain(message?.text.split('. ')[0]);
  return shown(message?.blocks ?? []);
}

describe('the people asked read all that is asked', () => {
  it('the new limit, how long, and the command that makes it', async () => {
    const text = await questionAfter('limit', { ...byCommand, changeRequest: fourHours, reason: 'team lunch' });

    expect(text).toMatch(
      /<@U0OLGA> asks an approver to change a limit of Jane Doe · .*: daily limit \$450\.00, for 4 hours\*/,
    );
    expect(text).toContain('“team lunch”');
    expect(text).toMatch(/`\/card limit \S+ daily \$450\.00 for 4 hours`/);
  });

  it('no command for a change that no command makes the same way', async () => {
    const rule = { kind: 'limit', period: 'daily', category: { id: 7, name: 'Fuel' } } as const;
    const day = { kind: 'day', day: '2026-12-24' } as const;
    const changes: ChangeRequest[] = [
      { ...fourHours, term: { kind: 'purchase' } },
      { ...fourHours, term: day },
      { ...fourHours, goals: [{ rule, to: 45_000 }] },
      { ...fourHours, goals: [{ rule: { ...rule, category: null }, to: null }] },
    ];
    for (const changeRequest of changes) {
      const text = await questionAfter('limit', { ...byCommand, changeRequest });
      expect(text).toContain('daily limit');
      expect(text).not.toContain('/card');
    }
    expect(await questionAfter('limit', { ...byCommand, changeRequest: { ...fourHours, term: day } })).toContain(
      'to the end of Dec 24, 2026',
    );
  });

  it('the purchase and a link to its alert', async () => {
    const text = await questionAfter('limit', { changeRequest: fourHours });

    expect(text).toMatch(
      /\$84\.10 at Blue Bottle Coffee · <https:\/\/team\.slack\.com\/archives\/C1\/evt_0123456789abcdef\|/,
    );
  });

  it('a link to the request', async () => {
    const text = await questionAfter('emergency-override', { target: { kind: 'request', requestId: 'req_1' } });

    expect(text).toContain('<https://team.slack.com/archives/C2/req_1|');
  });

  it('the words that say how long', async () => {
    expect(await questionAfter('mute', { ...byCommand, details: '3 days trade show' })).toMatch(
      /`\/card mute \S+ 3 days trade show`/,
    );
  });

  it('whose card it should be, and no command that would claim it for the reader', async () => {
    const text = await questionAfter('link', { ...byCommand, subject: 'U0HUGO' });

    expect(text).toContain(': <@U0HUGO>');
    expect(text).not.toContain('/card link');
  });

  it('the channel that it is about', async () => {
    const target = { kind: 'channel', text: 'declines over 500' } as const;
    const text = await questionAfter('subscribe', { ...byCommand, target });

    expect(text).toContain('“declines over 500” in <#C1>');
    expect(text).toContain('Only approvers may do this: type `/card subscribe declines over 500` in <#C1>.');
  });

  it('shows no command that is too long to be shown in full: without its end, a filter lets other alerts through', async () => {
    const filter = `declines over 500 and merchant "${'Blue Bottle '.repeat(9)}" and not country US`;
    const target = { kind: 'channel', text: filter } as const;

    const text = await questionAfter('subscribe', { ...byCommand, target });

    expect(text).toContain('Only approvers may do this.');
  });

  it('no command for a direct message, in which only the person who asks can type', async () => {
    const origin = { kind: 'command', channel: 'D1', messageTs: null, reply: null, replace: false } as const;

    const text = await questionAfter('quiet', { ...byCommand, origin, target: { kind: 'channel', text: 'off' } });

    expect(text).toContain('“off” in a direct message');
    expect(text).toContain('Only approvers may do this.');
  });

  it('since when, also if it was a time ago', async () => {
    const target = { kind: 'since', since: { agoMs: 3 * 24 * 3_600_000 } } as const;

    const text = await questionAfter('recover', { ...byCommand, target });

    expect(text).toMatch(/fetch missed events · “<!date\^\d+\^[^>]+>”/);
    expect(text).toContain('Only approvers may do this: `/card recover 2026-11-17T15:00:00Z`.');
  });

  it('the people named, and no command, of what acts for whoever types it', async () => {
    const delegate = { to: 'U0JANE', from: '2026-11-23', until: '2026-11-27' };
    const target = { kind: 'channel', text: '<@U0JANE> monday friday' } as const;

    const text = await questionAfter('delegate', { ...byCommand, target, delegate });

    expect(text).toContain('asks an approver to name a delegate · “<@U0JANE> monday friday”*');
    expect(text).toContain('Only approvers may do this.');
  });

  it('the person whose card it is, and no command, because a copied mention names nobody', async () => {
    const target = { kind: 'words' as const, words: ['<@U0JANE>', 'found'] };

    const text = await questionAfter('unblock', { ...byCommand, target });

    expect(text).toContain('· “<@U0JANE> found”');
    expect(text).toContain('Only approvers may do this.');
  });

  it('no command for an order, because it opens a form', async () => {
    const text = await questionAfter('order-virtual', { ...byCommand, target: { kind: 'order', sealed: '' } });

    expect(text).toContain('Only approvers may do this.');
  });

  it('the whole command, if its first word is not enough', async () => {
    expect(await questionAfter('resend-virtual', byCommand)).toMatch(/`\/card virtual resend \S+`/);
  });
});

it('names the typed words if the card is unknown', async () => {
  const { world, posted } = await createWorld();

  await performAction(
    ask('ask-permission', { ...byCommand, target: { kind: 'words', words: ['Sam', 'Rivera'] }, asked: 'block' }),
    world.deps,
  );

  const [question] = posted.values();
  expect(question?.text).toContain('asks an operator or an approver to block cards · “Sam Rivera”');
  expect(question?.text).toContain('`/card block Sam Rivera`');
});

/** What the people asked read about “my card” of somebody who holds these cards of one account. */
async function questionOfHolder(asked: string, cards: { last4: string; status: CardStatus }[]): Promise<string> {
  const listed = cards.map((each, at) => ({ ...each, cardId: at + 1, seenAt: '2026-11-20T15:00:00.000Z' }));
  const directory = directoryOf({ account: async () => accountOf({ acctId, cards: listed }) });
  const { world, posted } = await createWorld({ directory });
  const link = { acctId, userId: 'U0OLGA', provedBy: 'approver', by: 'U0ANA', at: '2026-11-20T15:00:00.000Z' } as const;
  await world.deps.links.link(link);

  await performAction(ask('ask-permission', { ...byCommand, target: { kind: 'own' }, asked }), world.deps);

  return [...posted.values()].map(({ text }) => text).join();
}

it('names the card of somebody who wrote “my card”, and the command for it', async () => {
  const text = await questionOfHolder('unblock', [
    { last4: '1111', status: 'CLOSED' },
    { last4: '1212', status: 'BLOCKED' },
  ]);

  expect(text).toContain('asks an approver to unblock Jane Doe · card 1212');
  expect(text).toContain('`/card unblock 1212`');
});

it('names the new card where “my card” is to be activated, not the one in use', async () => {
  const text = await questionOfHolder('activate', [
    { last4: '1212', status: 'ACTIVE' },
    { last4: '3434', status: 'INACTIVE' },
  ]);

  expect(text).toContain('to activate Jane Doe · card 3434');
  expect(text).toContain('`/card activate 3434`');
});

it('offers no command for “my card” if it is unknown which that is, because it would act on that of whoever types it', async () => {
  const { world, posted } = await createWorld();

  await performAction(ask('ask-permission', { ...byCommand, target: { kind: 'own' }, asked: 'block' }), world.deps);

  const [question] = posted.values();
  expect(question?.text).toContain('to block cards · “my card”');
  expect(question?.text).not.toContain('/card block');
});

it('does not ask the approver who asks', async () => {
  const { world, posted } = await createWorld();
  const actor = { userId: 'U0ANA', teamId: 'T1' };

  await performAction(ask('ask-permission', { ...byCommand, actor, asked: 'unblock' }), world.deps);

  const [question] = posted.values();
  expect(question?.text.match(/<@U0ANA>/g), 'only as the person who asks').toHaveLength(1);
  expect(world.answers.at(-1)?.text).toMatch(/^Asked: <!subteam\^S0APPROVERS>, in the approvals channel/);
});

it('asks at most five times an hour, so that a refused person cannot keep mentioning the approvers', async () => {
  const { world, posted } = await createWorld();
  for (let count = 1; count <= 7; count += 1)
    await performAction(ask('ask-permission', { ...byCommand, id: `act_q${count}`, asked: 'unblock' }), world.deps);

  expect(posted.size).toBe(5);
  expect(world.answers.at(-1)?.text).toContain('You asked 5 times within an hour.');
});
