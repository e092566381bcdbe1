import { describe, expect, it } from 'vitest';
import { reported } from '../../../src/actions/action-state.ts';
import type { CardApiError } from '../../../src/core/errors.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_MS, REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, denial, override, type Told } from '../../support/asked-for-more.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { killEverywhere, whole } from '../../support/kill-everywhere.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { stoppedWords } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const ben = approvalClick('act_ben', 'U0BEN');
const clicks: readonly [string, VerbAction, 'approved' | 'overridden'][] = [
  ['an approval', ben, 'approved'],
  ['an emergency override', override, 'overridden'],
];

/** What others do, and the state of the request if nothing was sent before. */
interface Meanwhile {
  readonly what: string;
  readonly becomes: 'denied' | 'expired' | 'overridden' | 'approved';
  readonly others: (world: PerformWorld, deps: WorldDeps) => Promise<void>;
}
const denies: Meanwhile = {
  what: 'someone denies it',
  becomes: 'denied',
  others: async (_world, deps) => await performAction(denial('act_zoe', 'U0ZOE'), deps),
};
const expires: Meanwhile = {
  what: 'the request expires',
  becomes: 'expired',
  others: async (world, deps) => {
    world.advance(REQUEST_MS + 1);
    await verbsOf(deps).ageRequest('req_ask1');
  },
};
const overrides: Meanwhile = {
  what: 'someone overrides it',
  becomes: 'overridden',
  others: async (world, deps) => await whole(override, world, deps),
};
const approves: Meanwhile = {
  what: 'someone else approves it',
  becomes: 'approved',
  others: async (world, deps) => await whole(approvalClick('act_zoe', 'U0ZOE'), world, deps),
};

async function asked(): Promise<{ world: PerformWorld; hugo: Told }> {
  const world = await createActionWorld(redis());
  const hugo = await askedToPay(world, 50_000);
  world.advance(REQUEST_OVERDUE_MS);
  return { world, hugo };
}

/** The limits that open temporary changes restore, in dollars. */
async function backs({ deps }: PerformWorld): Promise<number[]> {
  const open = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
  return [...new Set(open.map(({ changes }) => Number(changes[0]?.from) / 100))];
}

const away = (): never => {
  throw unanswered();
};

/** The card service refuses every change. */
function refusing({ deps }: Pick<Told, 'deps'>): WorldDeps {
  const putSpendRules = async (): Promise<never> => {
    throw refusal('Not this card');
  };
  return { ...deps, card: { ...deps.card, putSpendRules } };
}

/** The first attempt of a click. The write arrives or not, and its response is lost. */
async function firstAttempt(click: VerbAction, { deps }: Told, how: { arrives: boolean }): Promise<void> {
  let isSent = false;
  const card: WorldDeps['card'] = {
    ...deps.card,
    putSpendRules: async (...args) => {
      isSent = true;
      if (how.arrives) await deps.card.putSpendRules(...args);
      away();
    },
    getSpendRules: async (...args) => (isSent ? away() : await deps.card.getSpendRules(...args)),
  };
  await expect(performAction(click, { ...deps, card })).rejects.toThrow('unavailable');
}

describe.each(clicks)('between two attempts of %s', (_what, click, state) => {
  it('that failed, a denial is final, and the job reports nothing more if it runs again', async () => {
    const { world, hugo } = await asked();
    await performAction(click, refusing(hugo));
    await performAction(denial('act_zoe', 'U0ZOE'), hugo.deps);
    const [before, told] = [await world.stations(), world.answers.length];
    expect(before.slice(-2)).toEqual(['failed', 'denied']);

    await performAction(click, hugo.deps);

    expect(await world.stations()).toEqual(before);
    expect(world.answers).toHaveLength(told);
    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'denied', inFlight: [] });
  });

  it('that failed, the job reports nothing more if it runs again after the request expired', async () => {
    const { world, hugo } = await asked();
    await performAction(click, refusing(hugo));
    const [before, told] = [await world.stations(), world.answers.length];
    expect(before.at(-1)).toBe('failed');
    world.advance(REQUEST_MS + 1);

    await performAction(click, hugo.deps);

    expect(await world.stations()).toEqual(before);
    expect(world.answers).toHaveLength(told);
    await verbsOf(hugo.deps).ageRequest('req_ask1');
    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'expired', inFlight: [] });
  });

  it.each([true, false])(
    'nobody can deny the request, and the approval continues (it had reached the card: %s)',
    async (arrives) => {
      const { world, hugo } = await asked();
      await firstAttempt(click, hugo, { arrives });

      await performAction(denial('act_zoe', 'U0ZOE'), hugo.deps);
      expect(world.answers.at(-1)?.text).toMatch(
        /(approved it|used the emergency override) just now.*Wait two minutes/,
      );
      await whole(click, world, hugo.deps);

      expect(world.writes).toEqual(['limit 900']);
      expect(await world.deps.requests.get('req_ask1')).toMatchObject({
        state,
        decision: { actionId: click.id },
        inFlight: [],
      });
      expect(hugo.told()).toEqual([expect.stringContaining('you can pay $500.00 until')]);
      expect((await world.stations()).slice(-2)).toEqual(arrives ? ['refused', 'done'] : ['done', 'confirmed']);
    },
  );

  it('the request does not expire, even if someone else presses a button', async () => {
    const { world, hugo } = await asked();
    await firstAttempt(click, hugo, { arrives: true });

    await expires.others(world, hugo.deps);
    await performAction(approvalClick('act_zoe', 'U0ZOE'), hugo.deps);
    expect(world.answers.at(-1)?.text).toMatch(/(approved it|used the emergency override) just now.*Wait two minutes/);
    await whole(click, world, hugo.deps);

    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state, decision: { actionId: click.id } });
    expect(hugo.told()).toEqual([expect.stringContaining('you can pay $500.00 until')]);
  });

  it('another approval decides the request, and this one is still completed', async () => {
    const { world, hugo } = await asked();
    await firstAttempt(click, hugo, { arrives: true });

    await approves.others(world, hugo.deps);
    await whole(click, world, hugo.deps);

    expect(world.writes).toEqual(['limit 900']);
    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'approved', decision: { by: 'U0ZOE' } });
    expect(await world.deps.progress.read(click.id)).toMatchObject({ state: 'confirmed', isNotified: true });
    expect(hugo.told()).toEqual([expect.stringContaining('Approved by <@U0ZOE>')]);
    expect(await backs(world)).toEqual([400]);
  });

  it('the request stays open to others if the approval finally fails', async () => {
    const { world, hugo } = await asked();
    const answering = (error: CardApiError): WorldDeps => {
      const putSpendRules = async (): Promise<never> => {
        throw error;
      };
      return { ...hugo.deps, card: { ...hugo.deps.card, putSpendRules } };
    };
    const limited = performAction(click, answering(refusal(null, { code: 'rate_limited' })));
    await expect(limited).rejects.toThrow('refused');
    await performAction(click, answering(refusal()));

    await performAction(denial('act_zoe', 'U0ZOE'), hugo.deps);

    expect(world.writes).toEqual([]);
    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'denied', inFlight: [] });
    expect(await world.deps.recentRaises.reserveOverride(acctId, 'act_later')).toBe(true);
  });
});

const crashes = [
  ...[denies, expires, overrides, approves].map((meanwhile) => ({ click: ben, state: 'approved', ...meanwhile })),
  ...[denies, expires, approves].map((meanwhile) => ({ click: override, state: 'overridden', ...meanwhile })),
];

it.each(crashes)(
  'reports the state of the card correctly if the worker of $click.id is killed at any step and then $what',
  async ({ click, state, becomes, others }) => {
    let hugo: Told;
    const ends = new Set<string>();
    await killEverywhere(
      click,
      async (world) => {
        hugo = await askedToPay(world, 50_000);
        world.advance(REQUEST_OVERDUE_MS);
        return hugo.deps;
      },
      async (world, diedAt) => {
        // An approval from a day ago is not sent any more. The request then ends when its age is checked again.
        if (becomes === 'expired') await verbsOf(hugo.deps).ageRequest('req_ask1');
        const request = await world.deps.requests.get('req_ask1');
        ends.add(`${request?.state}`);
        const isMade = world.writes.length > 0;
        expect(world.writes, diedAt).toEqual(isMade ? ['limit 900'] : []);
        expect(isMade ? [state, becomes] : [becomes], diedAt).toContain(request?.state);
        expect(isMade, diedAt).toBe(['approved', 'overridden'].includes(request?.state ?? ''));
        const words = isMade ? /you can pay \$500\.00 until/ : /[Nn]othing changed/;
        expect(hugo.told(), diedAt).toEqual([expect.stringMatching(words)]);
        const written = await world.deps.progress.read(click.id);
        expect(written?.state, diedAt).not.toBe('sending');
        expect(reported(written)?.isNotified, diedAt).not.toBe(false);
        expect(await backs(world), diedAt).toEqual(isMade ? [400] : []);
      },
      others,
    );

    expect([...ends].toSorted()).toEqual([...new Set([state, becomes])].toSorted());
  },
);

/** An approver's raise from an alert button that needs a second approval, and the messages by recipient. */
async function raiseOfTwo() {
  const told: string[] = [];
  const lines: string[] = [];
  const world = await createActionWorld(redis(), {
    answer: async ({ actor }, { text }) => void told.push(`${actor.userId}: ${text}`),
    notifyDirectly: async (userId, _id, { text }) => void told.push(`${userId}: ${text}`),
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });
  const hour = { kind: 'duration', ms: 3_600_000 } as const;
  await performAction(
    ask('limit', { changeRequest: { goals: [limitGoal('daily', 180_000)], term: hour } }),
    world.deps,
  );
  const click = (id: string, userId: string, approve: boolean) => {
    const target = { kind: 'request', requestId: 'req_limit1' } as const;
    return ask('decide', { ...byCommand, id, target, approve, actor: { userId, teamId: 'T1' } });
  };
  return { world, told, lines, click };
}

/** The card service certainly has not received the change. */
function limited({ deps }: Pick<Told, 'deps'>): WorldDeps {
  const putSpendRules = async (): Promise<never> => {
    throw refusal(null, { code: 'rate_limited' });
  };
  return { ...deps, card: { ...deps.card, putSpendRules } };
}

const endsOfTwo: readonly [string, (made: Awaited<ReturnType<typeof raiseOfTwo>>) => Promise<unknown>][] = [
  ['denied', ({ world, click }) => performAction(click('act_zoe', 'U0ZOE', false), world.deps)],
  [
    'withdrawn',
    ({ world }) => performAction(ask('withdraw', { target: { kind: 'request', requestId: 'req_limit1' } }), world.deps),
  ],
  [
    'expired',
    async ({ world }) => {
      world.advance(REQUEST_MS + 1);
      await verbsOf(world.deps).ageRequest('req_limit1');
    },
  ],
];

it.each(endsOfTwo)(
  'tells only the second approver if the request was %s before anything was sent',
  async (end, ends) => {
    const made = await raiseOfTwo();
    const { world, told, click } = made;
    const ben = click('act_ben', 'U0BEN', true);
    await expect(performAction(ben, limited(world))).rejects.toThrow('refused');
    await ends(made);
    const [before, recorded] = [told.length, (await world.records()).length];
    const outcomes = async () => (await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes;
    const shown = await outcomes();

    await performAction(ben, world.deps);
    await performAction(ben, world.deps);

    expect(world.writes).toEqual([]);
    expect(told.slice(before)).toEqual([stoppedWords(end)]);
    expect((await world.records()).slice(recorded)).toMatchObject([{ event: 'refused', actor: { userId: 'U0BEN' } }]);
    expect(await outcomes()).toEqual(shown);
    expect(await world.deps.requests.get('req_limit1')).toMatchObject({ state: end, inFlight: [] });
  },
);

it.each([
  ['had not begun', 0, 'Not done: Your request to decide requests. The card service could not be asked.'],
  ['had begun', 1, 'Not done. The request ended before anything was sent. Look at the request.'],
])(
  'tells only the second approver if the request is denied right after the last try, which %s',
  async (_how, reads, why) => {
    const { world, told, click } = await raiseOfTwo();
    let left = reads;
    const getSpendRules: WorldDeps['card']['getSpendRules'] = async (...args) => {
      if (left === 0) away();
      left -= 1;
      return await world.deps.card.getSpendRules(...args);
    };
    const withLock: WorldDeps['withLock'] = async (name, work, lease) => {
      try {
        return await world.deps.withLock(name, work, lease);
      } catch (error) {
        if (name === 'request:req_limit1') await performAction(click('act_zoe', 'U0ZOE', false), world.deps);
        throw error;
      }
    };
    const before = told.length;

    await performAction(click('act_ben', 'U0BEN', true), {
      ...world.deps,
      card: { ...world.deps.card, getSpendRules },
      withLock,
      isLastAttempt: true,
    });

    expect(told.slice(before)).toEqual([
      expect.stringMatching(/^U0OLGA: Your request was denied by <@U0ZOE>/),
      expect.stringContaining(`U0BEN: ${why}`),
    ]);
    expect(await world.deps.requests.get('req_limit1')).toMatchObject({ state: 'denied', inFlight: [] });
  },
);

it('reports a failed second approval to the approver, while the requester still waits', async () => {
  const { world, told, click } = await raiseOfTwo();
  const getSpendRules = async () => away();

  await performAction(click('act_ben', 'U0BEN', true), {
    ...world.deps,
    card: { ...world.deps.card, getSpendRules },
    isLastAttempt: true,
  });

  expect(told.at(-1)).toMatch(/^U0BEN: Could not change the limit.*The request is still open/);
  const outcomes = (await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes;
  expect(outcomes?.map(({ state }) => state)).toEqual(['waiting']);
  await performAction(click('act_zoe', 'U0ZOE', true), world.deps);
  expect((await world.deps.requests.get('req_limit1'))?.state).toBe('approved');
});

it.each(['denied', 'still open'])(
  'reports a failed second approval to the approver even if its worker died before, with the request %s',
  async (end) => {
    const { world, told, click } = await raiseOfTwo();
    const ben = click('act_ben', 'U0BEN', true);
    const dies = async (): Promise<never> => {
      throw new Error('killed');
    };
    const dying: WorldDeps = {
      ...refusing(world),
      answer: async (action, message) =>
        await (action.actor.userId === 'U0BEN' ? dies() : world.deps.answer(action, message)),
    };
    await expect(performAction(ben, dying)).rejects.toThrow('killed');
    if (end === 'denied') await performAction(click('act_zoe', 'U0ZOE', false), world.deps);

    await performAction(ben, world.deps);

    expect(told.filter((text) => text.startsWith('U0BEN: Could not change the limit'))).toHaveLength(1);
  },
);

it.each(['denied', 'expired'])(
  'does not claim that nothing changed when a request is %s after an unconfirmed approval',
  async (end) => {
    const { world, told, lines, click } = await raiseOfTwo();
    const ben = click('act_ben', 'U0BEN', true);
    let isSent = false;
    const card: WorldDeps['card'] = {
      ...world.deps.card,
      putSpendRules: async () => {
        isSent = true;
        away();
      },
      getSpendRules: async (acct) => (isSent ? away() : await world.deps.card.getSpendRules(acct)),
    };
    await whole(ben, world, { ...world.deps, card, isLastAttempt: true });

    if (end === 'denied') await performAction(click('act_zoe', 'U0ZOE', false), world.deps);
    else {
      world.advance(REQUEST_MS + 1);
      await verbsOf(world.deps).ageRequest('req_limit1');
    }

    expect((await world.deps.requests.get('req_limit1'))?.state).toBe(end);
    expect(told.at(-1)).toMatch(
      /^U0OLGA: Your request (?:was denied|expired).*: daily limit .*Whether an earlier approval changed anything is not certain/,
    );
    expect(told.at(-1)).not.toContain('Nothing changed');
    if (end === 'denied')
      expect(lines.at(-1)).toMatch(/denied.*whether an earlier approval changed anything is not certain/i);
    const outcomes = (await world.deps.alerts.get('evt_0123456789abcdef'))?.outcomes;
    expect(outcomes?.at(-1)?.state).toBe('unknown');
  },
);
