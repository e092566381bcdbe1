import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { verbNames } from '../../../src/dispatch/verbs.ts';
import { claimTarget, claimValue } from '../../../src/holders/claim-store.ts';
import { approvalClick, askedToPay, override } from '../../support/asked-for-more.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type Over,
  type PerformWorld,
  performAction,
  policyOnRecord,
  verbsOf,
  virtualOrder,
} from '../../support/perform-world.ts';
import { expectRefused, link, type Refused, refusedOf } from '../../support/refused.ts';
import { declined, outcome } from '../../templates/fixtures.ts';

const redis = useRedis();
const OTTO = { userId: 'U0OTTO', teamId: 'T1' };
const GUS = { userId: 'U0GUS', teamId: 'T1' };
const waitedSince = '2026-11-20T14:40:00.000Z';
const somebody = { name: null, email: null, isBot: false, isGuest: false, isExternal: false, isDeactivated: false };
const at = '2026-11-20T15:00:00.000Z';
const gone: Over = { target: { kind: 'alert', alertId: 'evt_gone' } };
const words = (...typed: string[]): Over => ({ ...byCommand, target: { kind: 'words', words: typed } });
const asHolder: Over = { roles: ['holder'] };
const toPay = { ask: { amountCents: 50_000, term: { kind: 'permanent' } } } as const;
const noCards = directoryOf();
const manyCards = directoryOf({
  find: async () =>
    Array.from({ length: 6 }, (_, index) => ({
      ...accountOf({ acctId: index + 1 }),
      holder: null,
      matchedBy: 'name' as const,
    })),
});
const claim = ({ deps }: PerformWorld, over: object = {}) =>
  deps.claims.save({
    id: 'clm_1',
    action: ask('claim', { ...words('1212'), actor: OTTO }),
    card: { acctId, isSameName: false, isSameEmail: false },
    state: 'open',
    expiresAt: '2026-11-21T15:00:00.000Z',
    ...over,
  });
const onClaim: Over = { target: { kind: 'claim', claimId: 'clm_1', confirms: true } };

const rows: Refused[] = [
  ...(['block', 'unblock', 'activate', 'limit', 'allow', 'ask', 'acknowledge', 'recognize', 'show'] as const).map(
    (verb): Refused => ({ verb, when: 'the alert is too old', asked: gone, why: /This alert is too old/ }),
  ),
  ...(
    [
      'show',
      'activate',
      'block',
      'unblock',
      'limit',
      'link',
      'unlink',
      'resend-virtual',
      'mute',
      'unmute',
      'travel',
      'declines',
      'track',
    ] as const
  ).map(
    (verb): Refused => ({
      verb,
      when: 'no card matches',
      asked: { ...words('nobody'), ...toPay, subject: 'U0HUGO' },
      deps: { directory: noCards },
      why: /no card matches/i,
    }),
  ),
  ...(['block', 'unlink', 'declines', 'track', 'ask'] as const).map(
    (verb): Refused => ({
      verb,
      when: 'a holder names a card that is not theirs',
      asked: { ...byCommand, ...asHolder, ...toPay },
      why: /This card is not linked to you/,
      isOfCard: true,
    }),
  ),
  {
    verb: 'ask',
    when: 'no card is linked',
    asked: { ...asHolder, ...toPay, target: { kind: 'own' } },
    why: /No card is linked to you/,
  },
  {
    verb: 'ask',
    when: 'the person has several cards',
    asked: { ...asHolder, ...toPay, target: { kind: 'own' } },
    before: async (world) => {
      await link(world, 'U0OLGA', 1);
      await link(world, 'U0OLGA', 2);
    },
    why: /You have more than one card/,
  },
  {
    verb: 'ask',
    when: 'an approver asks for a card that is not theirs',
    asked: { ...byCommand, ...toPay },
    why: /This card is not linked to you/,
    isOfCard: true,
  },
  {
    verb: 'ask',
    when: 'the purchase would pass anyway',
    asked: { ...toPay, ask: { ...toPay.ask, amountCents: 100 } },
    deps: { checkPurchase: async () => ({ state: 'passes' }) },
    before: (world) => link(world, 'U0OLGA'),
    why: /No limit stops this purchase/,
    isOfCard: true,
  },
  {
    verb: 'ask',
    when: 'nothing that can be changed would let it pass',
    asked: toPay,
    before: (world) => link(world, 'U0OLGA'),
    why: /I found nothing that I can change/,
    isOfCard: true,
  },
  {
    verb: 'link',
    when: 'Slack does not know the person',
    asked: { ...byCommand, subject: 'U0HUGO' },
    why: /does not know this person/,
    isOfCard: true,
  },
  {
    verb: 'link',
    when: 'the person is a bot',
    asked: { ...byCommand, subject: 'U0BOT' },
    deps: { person: async () => ({ ...somebody, isBot: true }) },
    why: /A bot holds no card/,
    isOfCard: true,
  },
  {
    verb: 'claim',
    when: 'a guest claims a card',
    asked: words('1212'),
    deps: { person: async () => ({ ...somebody, isGuest: true }) },
    why: /Guests and people of other companies/,
  },
  {
    verb: 'claim',
    when: 'the person has claimed too often today',
    asked: words('1212'),
    deps: { directory: noCards, person: async () => somebody },
    before: async ({ deps }) => {
      for (const one of ['a', 'b', 'c', 'd', 'e']) await deps.claims.count('U0OLGA', `act_${one}`);
    },
    why: /You have asked 5 times today/,
  },
  {
    verb: 'claim',
    when: 'several cards match',
    asked: words('Smith'),
    deps: { directory: manyCards, person: async () => somebody },
    why: /more than one card matches/i,
  },
  { verb: 'decide-claim', when: 'the claim is too old', asked: onClaim, why: /This claim is too old/ },
  {
    verb: 'decide-claim',
    when: 'the claim is already decided',
    asked: onClaim,
    before: (world) => claim(world, { state: 'refused', decision: { actionId: 'act_no', by: 'U0ANA', at } }),
    why: /refused already/,
  },
  {
    verb: 'decide-claim',
    when: 'it is their own claim',
    asked: { ...onClaim, actor: OTTO },
    before: claim,
    why: /You claim this card yourself/,
  },
  {
    verb: 'decide-claim',
    when: 'the card has a different holder than the claim showed',
    asked: { target: claimTarget(claimValue('clm_1', 'U0SAM'), true) },
    before: claim,
    isOfCard: true,
    why: /Who holds the card has changed since you saw the claim/,
  },
  {
    verb: 'decide-claim',
    when: 'it expired',
    asked: onClaim,
    before: (world) => claim(world, { expiresAt: at.replace('15:', '14:') }),
    why: /expired without a decision/,
  },
];

it.each(rows)('$verb, when $when: explains the refusal and audits it', (row) => expectRefused(redis(), row));

it('audits a refusal made at the click, with the reason shown there', async () => {
  const world = await createActionWorld(redis());
  const { deps } = await askedToPay(world, 50_000);
  const late = ask('decide', {
    ...approvalClick('act_late', 'U0ZOE'),
  });

  const refused = { why: 'This request is decided already.' };
  await verbsOf(deps).recordRefusal(late, refused);
  await verbsOf(deps).recordRefusal(late, refused);

  expect(await refusedOf(world)).toEqual([
    expect.objectContaining({
      actionId: 'act_late',
      detail: 'This request is decided already.',
      acctId,
      policy: policyOnRecord,
    }),
  ]);
});

/** Files that import a value from a refusal template. */
function saying(folder: string): string[] {
  const says = /import (?!type)[^;]*templates\/\w+\/(refusal|unclear)\.ts'/;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && says.test(readFileSync(`${folder}/${name}`, 'utf8')),
  );
}

it('only the files that audit refusals can send one', () => {
  // Failed actions and stopped approvals are audited separately.
  expect(saying('src').toSorted()).toEqual([
    'actions/fail-action.ts',
    'actions/record-refusal.ts',
    'approvals/complete-approval.ts',
    'approvals/in-flight.ts',
  ]);
  // An unreadable command is not an action yet.
  expect(saying('handlers').toSorted()).toEqual(['dispatch/card-command.ts', 'dispatch/refused.ts']);
});

it.each(verbNames)('the audit line for %s says in words that it was refused', async (verb) => {
  const lines: string[] = [];
  const { deps } = await createActionWorld(redis(), {
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });

  await verbsOf(deps).recordRefusal({ ...ask('block', { id: 'act_refused2' }), verb });

  expect(lines).toEqual([expect.stringMatching(/^<@U\w+> was not allowed to [a-z’' ]+\b/)]);
  expect(lines[0]).not.toMatch(/allowed to \w*[_-]/);
});

it.each([
  ['words that name no card', ask('show', { target: { kind: 'words', words: ['9999'] } }), 'no card matches'],
  ['a filter that cannot be read', ask('subscribe', { target: { kind: 'channel', text: 'foo' } }), '“foo”'],
  ['a request that is over', approvalClick('act_mistake', 'U0ZOE'), 'too old'],
  ['a request that is over', override, 'too old'],
  [
    'a claim that is over',
    ask('decide-claim', { target: { kind: 'claim', claimId: 'clm_1', confirms: true } }),
    'too old',
  ],
  [
    'a temporary change that is over',
    ask('revert', { target: { kind: 'temporary-change', temporaryChangeId: 'act_9' } }),
    'too old',
  ],
  ['an alert that is over', ask('acknowledge', { target: { kind: 'alert', alertId: 'evt_9' } }), 'too old'],
  ['a block that is over', ask('undo-block', { target: { kind: 'action', actionId: 'act_9' } }), 'for one minute only'],
  ['a click that waited', ask('unblock', { ...byCommand, askedAt: waitedSince }), 'longer than 10 minutes'],
  [
    'an order that waited',
    ask('order-virtual', { ...byCommand, target: virtualOrder, askedAt: waitedSince }),
    'longer',
  ],
  ['a link of somebody unknown', ask('link', { ...byCommand, subject: 'U0HUGO' }), 'does not know this person'],
  ['a claim of somebody unknown', ask('claim', words('1212')), 'does not know this person'],
  ['a subscription that is none', ask('unsubscribe', { target: { kind: 'channel', text: '7' } }), 'no subscription'],
])('the audit line for %s does not say that it was not allowed', async (_what, action, why) => {
  const lines: string[] = [];
  const { deps } = await createActionWorld(redis(), {
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });

  await performAction({ ...action, id: 'act_mistake' }, deps);

  expect(lines).toEqual([expect.stringMatching(/^<@U\w+> tried to .*not done, (?:[a-z].*|I .*)nothing changed/)]);
  expect(lines[0]).toContain(why);
});

it('the audit lines of what has no effect do not say that it was not allowed', async () => {
  const lines: string[] = [];
  const { deps } = await createActionWorld(redis(), {
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });
  await deps.links.link({ acctId, userId: 'U0OLGA', provedBy: 'approver', by: 'U0ANA', at });
  const target = { kind: 'request', requestId: 'req_order1' } as const;
  const large = JSON.stringify({ ...(JSON.parse(virtualOrder.sealed) as object), fundCents: 100_001 });
  await performAction(ask('order-virtual', { id: 'act_order1', target: { ...virtualOrder, sealed: large } }), deps);
  lines.length = 0;

  await performAction(ask('ask', toPay), deps);
  await performAction(ask('emergency-override', { target, actor: OTTO }), deps);
  const orderOfNone = { ...deps, unseal: () => null };
  await performAction(ask('order-virtual', { id: 'act_unread', target: virtualOrder, actor: GUS }), orderOfNone);

  expect(lines).toEqual([
    expect.stringMatching(/tried to ask for a higher limit for .*: not done, I found nothing that I can change/),
    expect.stringMatching(/tried to use the emergency override: not done, only a change of a card’s rules/),
    expect.stringMatching(/tried to order a virtual card: not done, the order can no longer be read/),
  ]);
});

it('the audit line of a refusal without a card has no dangling preposition', async () => {
  const lines: string[] = [];
  const { deps } = await createActionWorld(redis(), {
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });

  const target = { kind: 'channel', text: '' } as const;
  await verbsOf(deps).recordRefusal({ ...ask('block', { id: 'act_refused4' }), verb: 'ask', target });

  expect(lines).toEqual([expect.stringContaining('was not allowed to ask for a higher limit: ')]);
});

it.each<[string, string, string, Partial<TransactionAlert>?]>([
  ['raise_limit', 'decline.rule.velocity', 'raise a limit of'],
  ['none known yet', 'decline.rule.location', 'allow purchases abroad for'],
  ['a merchant category', 'decline.rule.mcc', 'allow a merchant category for'],
  ['none needed', 'decline.rule.location', 'allow purchases abroad for', { remedy: { kind: 'retry' } }],
  [
    'what is still needed',
    'decline.rule.location',
    'raise a limit of',
    { outcomes: [outcome({ verb: 'allow', alsoNeeds: ['raise_limit'] })] },
  ],
])('names what the form on a decline would have done when it refuses it: %s', async (_what, code, did, over = {}) => {
  const lines: string[] = [];
  const { deps } = await createActionWorld(redis(), {
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });
  const alert = declined(code, 'Unauthorized merchant category: (Hardware Stores)', over);
  await deps.alerts.save(alert);
  for (const one of alert.outcomes) await deps.alerts.setOutcome(alert.event.id, 'act_allowed', one);

  const target = { kind: 'alert', alertId: alert.event.id } as const;
  await verbsOf(deps).recordRefusal({ ...ask('block', { id: 'act_refused3', target }), verb: 'remedy' });

  expect(lines).toEqual([expect.stringContaining(`was not allowed to ${did} `)]);
});
