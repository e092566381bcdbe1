import { expect, it } from 'vitest';
import type { CardTarget, Target } from '../../../src/actions/action.ts';
import { SlackError, StoreUnavailableError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import {
  askOf,
  createGroupOfTarget,
  type Prepared,
  type RequestDeps,
  requestAction,
} from '../../../src/dispatch/request-action.ts';
import type { Verb } from '../../../src/dispatch/verbs.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { createRoles, type Roles } from '../../../src/policy/roles.ts';
import type { Message } from '../../../src/slack/message.ts';
import { unavailable } from '../../../templates/policy/not-permitted.ts';

const ask = {
  id: 'act_1',
  verb: 'block',
  target: { kind: 'words', words: ['1212'] },
  actor: { userId: 'U0OLGA', teamId: 'T1' },
  isExternal: false,
  origin: { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false },
} as const;
const said = (text: string): Message => ({ text, blocks: [] });

/** What most of these tests do not look at. */
const common = {
  take: async () => 'new',
  offer: async () => 'p_1',
  groupOfTarget: async () => null,
  count: () => {},
  now: () => new Date('2026-11-20T15:00:00Z'),
  log: createLog({ level: 'silent', process: 'test' }),
} satisfies Partial<Parameters<typeof requestAction>[2]>;

/** @returns what was stored and what the person was told. */
async function asked(given: {
  isExternal?: boolean;
  roles?: Role[];
  isComplete?: boolean;
  prepared?: Prepared<object>;
  isStoreAway?: boolean;
}) {
  const taken: { type: string; why: string | null }[] = [];
  const told: string[] = [];
  const counted: string[] = [];
  const { roles = ['operator'], isComplete = true, prepared = { kind: 'input', input: {} } } = given;
  const rights: RequestDeps['rights'] = {
    rolesOf: async () => ({ roles, isComplete }),
    whoMay: async () => ['U0ANA'],
  };
  const { isExternal = false } = given;
  await requestAction(
    { ...ask, target: { kind: 'words', words: ['1212'] }, isExternal, input: async () => prepared },
    async ({ text }) => void told.push(text),
    {
      ...common,
      rights,
      async take(entry) {
        if (given.isStoreAway === true) throw new StoreUnavailableError('unavailable');
        const why = entry.type === 'refused' ? entry.why : null;
        const action = entry.type === 'action' ? entry.action : null;
        taken.push({ type: entry.type, why, ...(action?.verb === 'look' && { verb: 'look', seen: action.seen }) });
        return 'new';
      },
      count: (_verb, decision) => void counted.push(decision),
    },
  );
  return { taken, told, counted };
}

it('keeps what was asked for the question to those who may, as far as the click says it', async () => {
  const changeRequest = {
    goals: [{ rule: { kind: 'limit', period: 'daily', category: null }, to: 45_000 }],
    term: { kind: 'duration', ms: 3_600_000 },
  } as const;
  const offered: object[] = [];
  await requestAction(
    { ...ask, verb: 'limit', target: { kind: 'words', words: ['1212'] }, input: { changeRequest } },
    async () => {},
    {
      ...common,
      rights: { rolesOf: async () => ({ roles: [], isComplete: true }), whoMay: async () => ['U0ANA'] },
      offer: async (action) => `p_${offered.push(action)}`,
    },
  );

  expect(offered).toEqual([
    expect.objectContaining({ verb: 'ask-permission', asked: 'limit', input: { changeRequest } }),
  ]);
});

it.each([
  ['limit', ['holder'], true],
  ['remedy', ['holder'], true],
  ['limit', [], false],
  ['unblock', ['holder'], false],
] as const)('%s, refused to %j: names what holders ask with: %s', async (verb, roles, isNamed) => {
  const told: Message[] = [];
  await requestAction(
    askOf({ ...ask, verb, target: { kind: 'words', words: ['1212'] }, input: {} }),
    async (message) => void told.push(message),
    {
      ...common,
      rights: { rolesOf: async () => ({ roles: [...roles], isComplete: true }), whoMay: async () => ['U0ANA'] },
    },
  );

  expect(told[0]?.text.includes('For your own card, write `/card ask 300`. Ask <@U0ANA>.')).toBe(isNamed);
  expect(JSON.stringify(told[0]?.blocks).includes('/card ask 300')).toBe(isNamed);
});

it.each([
  ['block', [], 'Only operators and approvers may block cards.', true],
  ['ask', [], 'Only the person who holds the card may ask for more.', true],
  ['ask', ['operator'], 'Only the person who holds the card may ask for more.', true],
  ['unblock', [], 'Only approvers may unblock cards.', false],
  ['unlink', ['operator'], 'Only approvers may unlink cards.', false],
] as const)(
  '%s, refused to %j: tells people how to link their own card if that helps',
  async (verb, roles, why, isTold) => {
    const told: Message[] = [];
    await requestAction(
      askOf({ ...ask, verb, target: { kind: 'words', words: ['1212'] }, input: {} }),
      async (message) => void told.push(message),
      {
        ...common,
        rights: { rolesOf: async () => ({ roles: [...roles], isComplete: true }), whoMay: async () => ['U0ANA'] },
      },
    );

    expect(told[0]?.text).toContain(why);
    const link = 'If it is your own card, say so first: `/card link` and its last four digits.';
    expect(told[0]?.text.includes(link)).toBe(isTold);
  },
);

it.each(['subscribe', 'recover', 'quiet'] as const)(
  '%s: refuses an approver of some card groups only, says why and names who may',
  async (verb) => {
    const taken: string[] = [];
    const told: Message[] = [];
    const target =
      verb === 'recover' ? { kind: 'since', since: { agoMs: 1000 } } : { kind: 'channel', text: 'declines' };
    await requestAction(
      { ...ask, verb, target, input: {} } as Parameters<typeof requestAction>[0],
      async (message) => void told.push(message),
      {
        ...common,
        rights: {
          rolesOf: async (_userId, asked) => ({
            roles: asked?.group === undefined || asked.group === 'North' ? ['approver'] : [],
            isComplete: true,
          }),
          whoMay: async (_role, group) => (group === null ? ['U0ANA'] : ['U0ANA', 'U0NINA']),
        },
        take: async ({ type }) => {
          taken.push(type);
          return 'new';
        },
      },
    );

    expect(taken).toEqual(['refused']);
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^Not done: Only approvers may .*\. You are one for some groups of cards only, and this is not about those cards alone\. Ask <@U0ANA>\. Nothing/,
      ),
    ]);
    expect(JSON.stringify(told)).toContain('Ask <@U0ANA>.');
  },
);

const tooLate = { kind: 'refused', why: 'This alert is too old.', message: said('Not done: too old') } as const;
const refusals: readonly [string, Parameters<typeof asked>[0], string, RegExp, string][] = [
  ['a person without a role', { roles: [] }, 'not permitted', /Only operators/, 'refused'],
  ['a person from another company', { isExternal: true }, 'not permitted to people of another company', /./, 'refused'],
  [
    'anyone while a user group is unreadable',
    { roles: [], isComplete: false },
    'it could not be read who may',
    /./,
    'unavailable',
  ],
  ['a click on an old alert', { prepared: tooLate }, 'This alert is too old.', /too old/, 'refused'],
];

it.each(refusals)('refuses %s and audits the reason and the policy', async (_who, given, why, words, counted) => {
  const seen = await asked(given);

  expect(seen.taken).toEqual([{ type: 'refused', why }]);
  expect(seen.told).toEqual([expect.stringMatching(words)]);
  expect(seen.counted).toEqual([counted]);
});

it('does on the second press of one button what was refused while a user group was unreadable', async () => {
  const [stored, taken, told] = [new Set<string>(), [] as string[], [] as string[]];
  const target: Target = { kind: 'words', words: ['1212'] };
  const press = async (known: Awaited<ReturnType<Roles['rolesOf']>>): Promise<void> =>
    await requestAction(askOf({ ...ask, target, input: {} }), async ({ text }) => void told.push(text), {
      ...common,
      rights: { rolesOf: async () => known, whoMay: async () => ['U0ANA'] },
      // As the inbox does: each id once.
      take: async ({ type, action }) => {
        if (stored.has(action.id)) return 'seen';
        taken.push(type);
        stored.add(action.id);
        return 'new';
      },
    });

  await press({ roles: [], isComplete: false });
  await press({ roles: [], isComplete: false });
  await press({ roles: ['operator'], isComplete: true });
  await press({ roles: ['operator'], isComplete: true });

  expect(taken, 'one refusal on record, and the action once').toEqual(['refused', 'action']);
  const refusal = unavailable({ isBlock: true }).text;
  expect(told).toEqual([refusal, refusal]);
});

const many = { acctIds: [1], names: ['Jane'], last4s: ['1212'] };
it.each<[Verb, object, string, string]>([
  ['block', {}, 'U0OLGA', 'action'],
  ['block-all', many, 'U0OLGA', 'action'],
  ['activate', {}, 'U0OLGA', 'it could not be read who may'],
  // They may be in the group by now.
  ['block', {}, 'U0NEW', 'it could not be read who may'],
])(
  '%s: while Slack lists no user group, an older list of it counts only for a block, %j by %s',
  async (verb, input, userId, taken) => {
    let [isSilent, elapsedMs] = [false, 0];
    const policy = policyOfVariables({ operators: ['S1'], approvers: [], twoPersonAboveCents: 0, serviceZone: 'UTC' });
    const { rolesOf } = createRoles(
      {
        policy: () => policy,
        namedDelegates: async () => [],
        slack: {
          async groupMembers() {
            if (isSilent) throw new SlackError('usergroups.users.list', 'unknown', 'http_503');
            return ['U0OLGA'];
          },
          people: { of: async () => null },
        },
        rolesVersion: async () => null,
        isHolder: async () => false,
        knownForMs: 10_000,
        now: common.now,
        log: common.log,
      },
      () => elapsedMs,
    );
    await rolesOf('U0OLGA');
    isSilent = true;
    elapsedMs = 3_600_000;
    const entries: string[] = [];
    const actor = { userId, teamId: 'T1' };
    await requestAction(
      askOf({ ...ask, actor, verb, target: { kind: 'alert', alertId: 'evt_1' }, input: { ...input } }),
      async () => {},
      {
        ...common,
        rights: { rolesOf, whoMay: async () => [] },
        async take(entry) {
          entries.push(entry.type === 'refused' ? entry.why : entry.type);
          return 'new';
        },
      },
    );

    expect(entries).toEqual([taken]);
  },
);

it('says where to block a card while Cardbell cannot', async () => {
  const inPortal = /If it is urgent, have the card blocked in the card program’s portal\.$/;
  const unread = await asked({ roles: [], isComplete: false });
  const unstored = await asked({ isStoreAway: true });

  expect([...unread.told, ...unstored.told]).toEqual([
    expect.stringMatching(inPortal),
    expect.stringMatching(inPortal),
  ]);
});

it('lets an authorized person through although an irrelevant group is unreadable', async () => {
  const seen = await asked({ isComplete: false });

  expect(seen).toMatchObject({ taken: [{ type: 'action', why: null }], told: [], counted: ['taken'] });
});

it('opening a form only records a look', async () => {
  const seen = await asked({ prepared: { kind: 'shown' } });

  expect(seen).toMatchObject({ taken: [{ type: 'action', verb: 'look', seen: 'block' }], told: [] });
});

it('still shows the form if the look cannot be recorded', async () => {
  expect((await asked({ prepared: { kind: 'shown' }, isStoreAway: true })).told).toEqual([]);
});

it('still refuses if the refusal cannot be recorded, but accepts nothing', async () => {
  const [refused, accepted] = [await asked({ roles: [], isStoreAway: true }), await asked({ isStoreAway: true })];

  expect(refused.told).toEqual([expect.stringMatching(/Only operators/)]);
  expect(accepted.told).toEqual([unavailable({ isBlock: true }).text]);
});

it('names those who may act on cards of this group, not those of other groups', async () => {
  const told: string[] = [];
  const groupOfTarget = createGroupOfTarget({
    alerts: { get: async (id) => (id === 'evt_1' ? { card: { group: 'Field' } } : null) },
    groupOfCard: async () => Promise.reject(new Error('no Redis')),
  });
  const whoMay = async (_role: Role, group?: string | null) => (group === 'Field' ? ['U0FAY'] : ['U0ANA', 'U0FAY']);
  const refuse = async (target: CardTarget) =>
    await requestAction({ ...ask, target, input: {} }, async ({ blocks }) => void told.push(JSON.stringify(blocks)), {
      ...common,
      rights: { rolesOf: async () => ({ roles: [], isComplete: true }), whoMay },
      groupOfTarget,
    });

  await refuse({ kind: 'alert', alertId: 'evt_1' });
  await refuse({ kind: 'card', acctId: 7, cardId: null, alertId: null });

  expect(told[0]).toContain('<@U0FAY>');
  expect(told[0]).not.toContain('<@U0ANA>');
  expect(told[1]).toContain('<@U0ANA>');
});

it.each([
  ['form', 'seen', 1],
  ['form', 'new', 0],
  // Slack repeats it: nothing in it can differ.
  ['button', 'seen', 0],
] as const)('a %s that is %s: says so if what it says now may not count', async (kind, taken, lines) => {
  const told: string[] = [];
  const origin = { ...ask.origin, kind };
  const target: Target = { kind: 'words', words: ['1212'] };
  await requestAction(askOf({ ...ask, origin, target, input: {} }), async ({ text }) => void told.push(text), {
    ...common,
    rights: { rolesOf: async () => ({ roles: ['operator'], isComplete: true }), whoMay: async () => [] },
    take: async () => taken,
  });

  expect(told).toEqual(Array(lines).fill(expect.stringMatching(/^Submitted twice\. .*what it said first counts/)));
});
