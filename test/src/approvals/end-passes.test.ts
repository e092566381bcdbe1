import { describe, expect, it } from 'vitest';
import { goalsOf } from '../../../src/card-api/rule-change.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { parseCommand } from '../../../src/dispatch/command.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import type { ChangeRequest } from '../../../src/limits/change-request.ts';
import { linkHugo } from '../../support/asked-for-more.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type Over,
  type PerformWorld,
  performAction,
  verbsOf,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const MINUTE_MS = 60_000;
/** 11:50 PM Eastern time. */
const EVENING_MS = Date.parse('2026-11-21T04:50:00.000Z') - Date.parse('2026-11-20T15:00:00.000Z');
const MIDNIGHT = '2026-11-21T05:00:00.000Z';
const person = (userId: string) => ({ userId, teamId: 'T1' });

/** What a person types at that time. */
function typed(words: string, { deps }: PerformWorld): ChangeRequest {
  const read = parseCommand(`limit 4242 ${words}`, { now: deps.now(), zone: deps.zone });
  if (read.kind !== 'read') throw new Error(`not read: ${words}`);
  return read.input['changeRequest'] as ChangeRequest;
}

/** Ana asks at 11:50 PM for a raise that needs a second approver. */
async function askedAt1150(words: string, given: { hugo?: boolean; payCents?: number } = {}) {
  const told: string[] = [];
  const updated: string[] = [];
  const world = await createActionWorld(redis(), {
    updateRequest: async (id) => void updated.push(id),
    cardChanged: (changed) => verbsOf(deps).refreshRequests(changed),
  });
  const deps: WorldDeps = {
    ...world.deps,
    answer: async (action, { text }) => void told.push(`${action.actor.userId}: ${text}`),
    notifyDirectly: async (userId, _id, { text }) => void told.push(`${userId}: ${text}`),
  };
  world.advance(EVENING_MS);
  const now = () => ({ askedAt: deps.now().toISOString() });
  if (given.hugo === true) {
    await linkHugo(world);
    const { term } = typed(`daily 450 ${words}`, world);
    const hugo = { ...byCommand, actor: person('U0HUGO'), roles: ['holder'] as const };
    await performAction(
      ask('ask', {
        ...hugo,
        ...now(),
        roles: ['holder'],
        id: 'act_ask1',
        ask: { amountCents: given.payCents ?? 50_000, term },
      }),
      deps,
    );
  } else {
    const changeRequest = typed(`daily 1600 ${words}`, world);
    await performAction(
      ask('limit', { ...byCommand, ...now(), id: 'act_ask1', actor: person('U0ANA'), changeRequest }),
      deps,
    );
  }
  told.length = 0;
  const click = (verb: 'decide' | 'emergency-override', id: string, over: Over = {}): VerbAction =>
    ask(verb, {
      target: { kind: 'request', requestId: 'req_ask1' },
      id,
      actor: person('U0ZOE'),
      reason: 'they wait at the counter',
      approve: true,
      ...now(),
      ...over,
    });
  return { ...world, deps, told, updated, click };
}

const request = async ({ deps }: { deps: WorldDeps }) => await deps.requests.get('req_ask1');

describe('a raise that was asked for until midnight', () => {
  it('ends at the midnight that was asked for if it is approved before', async () => {
    const world = await askedAt1150('until midnight');
    world.advance(5 * MINUTE_MS);

    await performAction(world.click('decide', 'act_yes'), world.deps);

    expect(world.service.rules['DailySpendLimit']).toBe(1600);
    expect((await world.deps.temporaryChanges.all()).map(({ endsAt }) => endsAt)).toEqual([MIDNIGHT]);
  });

  it.each([
    ['until midnight', /to the end of Nov 20, 2026, Eastern time/],
    ['tonight', /to the end of Nov 20, 2026, Eastern time/],
    ['until 11:58pm', /until Nov 20, 2026, 11:58 PM ET/],
  ])('changes nothing if it is approved after “%s”, and tells both people', async (words, when) => {
    const world = await askedAt1150(words);
    world.advance(15 * MINUTE_MS);

    await performAction(world.click('decide', 'act_yes'), world.deps);

    expect(world.writes).toEqual([]);
    expect(await world.deps.temporaryChanges.all()).toEqual([]);
    const of = (userId: string) => world.told.filter((line) => line.startsWith(userId)).join('\n');
    for (const text of [of('U0ZOE'), of('U0ANA')]) {
      expect(text).toMatch(when);
      expect(text).toMatch(/passed/);
      expect(text).toMatch(/[Nn]othing changed/);
      expect(text).toMatch(/[Aa]sk (for the limit )?again/);
    }
    expect(await request(world)).toMatchObject({ state: 'expired' });
    expect(await world.stations()).not.toContain('approved');
  });

  it('expires when it would end, although nobody looks at it', async () => {
    const world = await askedAt1150('until midnight', { hugo: true });
    const wait = await verbsOf(world.deps).ageRequest('req_ask1');
    expect(wait).toBe(10 * MINUTE_MS);

    world.advance(wait ?? 0);
    await verbsOf(world.deps).ageRequest('req_ask1');

    expect(await request(world)).toMatchObject({ state: 'expired' });
    expect(world.told.join('\n')).toMatch(
      /U0HUGO: .*to the end of Nov 20, 2026, Eastern time.*passed.*Nothing changed\. Ask again/,
    );
  });

  it('cannot be made by an emergency override any more', async () => {
    const world = await askedAt1150('until 12:06am', { hugo: true });
    world.advance(17 * MINUTE_MS);

    await performAction(world.click('emergency-override', 'act_glass1', { roles: ['operator'] }), world.deps);

    expect(world.writes).toEqual([]);
    expect(world.told.join('\n')).toMatch(/U0ZOE: .*passed.*Nothing changed/);
  });

  it('may be approved for another time before it ends, and then has the usual day', async () => {
    const world = await askedAt1150('until midnight');
    world.advance(5 * MINUTE_MS);
    const changeRequest = { ...typed('daily 1600', world), term: { kind: 'duration', ms: 3_600_000 } } as const;
    await performAction(world.click('decide', 'act_yes', { changeRequest }), world.deps);
    expect(await request(world)).toMatchObject({ state: 'open' });

    world.advance(15 * MINUTE_MS);
    await performAction(world.click('decide', 'act_two', { actor: person('U0BEN') }), world.deps);

    expect(await request(world)).toMatchObject({ state: 'open' });
    expect(world.told.at(-1)).toMatch(/It was changed since you saw it.*for 1 hour/);
  });
});

describe('a raise for days that an approver changed to end tonight, while others still have to approve it', () => {
  const tonight = { kind: 'day', day: '2026-11-20' } as const;

  /** Hugo, or Ana, asks for days. Ben changes that, and midnight passes. */
  async function changed({ hugo = true, words = 'until 2026-11-27' } = {}) {
    const world = await askedAt1150(words, { hugo, payCents: 200_000 });
    const { changes, revision } = (await request(world)) ?? { changes: [], revision: 0 };
    const changeRequest = { goals: goalsOf(changes), term: tonight };
    const actor = person('U0BEN');
    await performAction(
      world.click('decide', 'act_tonight', { actor, changeRequest, reason: 'tonight only' }),
      world.deps,
    );
    expect(await request(world)).toMatchObject({ state: 'open', term: tonight, revision: revision + 1 });
    // The end may be nearer than the reminder, and than the next look after it.
    expect(await verbsOf(world.deps).ageRequest('req_ask1')).toBe(Date.parse(MIDNIGHT) - world.deps.now().getTime());
    world.advance(11 * MINUTE_MS);
    return world;
  }
  const asAsked = {
    state: 'open',
    term: { kind: 'day', day: '2026-11-27' },
    note: '',
    revision: 2,
    needed: 2,
    approvals: [],
  };
  /** The last approval of the request as it was seen. */
  const lastClick = (revision: number) => ({
    actor: person('U0ZOE'),
    target: { kind: 'request', requestId: 'req_ask1', revision } as const,
  });

  it('is open again as it was asked for, and lasts its day', async () => {
    const world = await changed();

    await verbsOf(world.deps).ageRequest('req_ask1');

    expect(await request(world)).toMatchObject({ ...asAsked, voided: [{ by: 'U0BEN', why: 'values' }] });
    expect(world.updated).toContain('req_ask1');
    world.advance(24 * 60 * MINUTE_MS);
    await verbsOf(world.deps).ageRequest('req_ask1');
    expect(world.told.at(-1)).toMatch(/U0HUGO: Your request expired.*Nobody decided within 24 hours/);
  });

  it('is not approved by a click on what is over', async () => {
    const world = await changed();

    await performAction(world.click('decide', 'act_late', lastClick(1)), world.deps);

    expect(world.told.at(-1)).toMatch(/^U0ZOE: Not done. The end that an approver chose has passed/);
    expect(await request(world)).toMatchObject(asAsked);
    await performAction(world.click('decide', 'act_zoe', lastClick(2)), world.deps);
    await performAction(world.click('decide', 'act_ben', { ...lastClick(2), actor: person('U0BEN') }), world.deps);
    expect(await world.deps.temporaryChanges.all()).toMatchObject([{ endsAt: '2026-11-28T05:00:00.000Z' }]);
  });

  it('expires with what was asked for if that is over, too', async () => {
    const world = await changed({ words: 'until 12:30am' });
    world.advance(30 * MINUTE_MS);

    await verbsOf(world.deps).ageRequest('req_ask1');

    expect(world.told.at(-1)).toMatch(/U0HUGO: .*It was to last until Nov 21, 2026, 12:30 AM ET, and that has passed/);
  });
});

it('refuses an approver’s own end that has passed, and leaves the request open', async () => {
  const world = await askedAt1150('for 4h');
  const term = { kind: 'day', day: '2026-11-19' } as const;
  const changeRequest = { ...typed('daily 1600', world), term };

  await performAction(world.click('decide', 'act_yes', { changeRequest }), world.deps);

  expect(world.told.join('\n')).toMatch(/U0ZOE: .*end of Nov 19, 2026.*passed.*Choose a later end.*Nothing changed/);
  expect(await request(world)).toMatchObject({ state: 'open', term: { kind: 'duration' }, revision: 0 });
  expect(world.writes).toEqual([]);
});

describe('an approval that is retried after the end', () => {
  it.each([
    ['nothing was sent', 'getSpendRules'],
    ['the card service did not take it', 'putSpendRules'],
  ] as const)('changes nothing and tells both people: %s', async (_what, method) => {
    const world = await askedAt1150('until midnight');
    let isAway = true;
    const { card } = world.deps;
    const details = {
      operation: method,
      status: null,
      outcome: 'not_sent',
      code: 'unavailable',
      apiMessage: null,
    } as const;
    const deps: WorldDeps = {
      ...world.deps,
      card: {
        ...card,
        [method]: async (...args: never[]) => {
          if (isAway) throw new CardApiError('away', details);
          return await (card[method] as (...given: never[]) => Promise<unknown>)(...args);
        },
      },
    };
    world.advance(9 * MINUTE_MS);
    const yes = world.click('decide', 'act_yes');
    await expect(performAction(yes, deps)).rejects.toThrow();
    isAway = false;
    world.advance(5 * MINUTE_MS);

    await performAction(yes, deps);
    await verbsOf(deps).ageRequest('req_ask1');

    expect(world.writes).toEqual([]);
    expect(await deps.temporaryChanges.all()).toEqual([]);
    expect(world.told.join('\n')).toMatch(/U0ZOE: .*passed.*[Nn]othing changed/);
    expect(world.told.join('\n')).toMatch(/U0ANA: .*passed.*[Nn]othing changed/);
    expect(await request({ deps })).toMatchObject({ state: 'expired' });
  });
});

describe('a change whose end passes before it is made', () => {
  it('is not made, and says so', async () => {
    const world = await createActionWorld(redis());
    world.advance(EVENING_MS);
    const changeRequest = typed('daily 450 until midnight', world);
    const asked = ask('limit', { ...byCommand, askedAt: world.deps.now().toISOString(), changeRequest });
    world.advance(10 * MINUTE_MS);

    await performAction(asked, world.deps);

    expect(world.writes).toEqual([]);
    expect(world.answers.at(-1)?.text).toMatch(/end of Nov 20, 2026, Eastern time.*passed.*Nothing changed/);
  });

  it('does not end another temporary change of the same values', async () => {
    const world = await createActionWorld(redis());
    world.advance(EVENING_MS);
    const askedAt = { askedAt: world.deps.now().toISOString() };
    const longer = ask('limit', { ...byCommand, ...askedAt, changeRequest: typed('daily 450 for 4h', world) });
    const shorter = typed('daily 450 until midnight', world);
    await performAction(longer, world.deps);
    const before = await world.deps.temporaryChanges.all();
    world.advance(10 * MINUTE_MS);

    await performAction(ask('limit', { ...byCommand, ...askedAt, id: 'act_two', changeRequest: shorter }), world.deps);

    expect(await world.deps.temporaryChanges.all()).toEqual(before);
    expect(world.answers.at(-1)?.text).toMatch(/passed/);
  });
});
