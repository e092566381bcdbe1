import { describe, expect, it } from 'vitest';
import { type Assumed, explainPolicy, replayDecisions } from '../../../bin/policy/try-policy.ts';
import type { RecordedDecision } from '../../../src/policy/decision-store.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { approve, limit } from '../../support/daily-limit.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createActionWorld, performAction } from '../../support/perform-world.ts';
import { recordedDecision } from '../../support/recorded-decisions.ts';

const redis = useRedis();
const at = new Date('2026-12-24T15:00:00.000Z');
const policy = parsePolicy(
  `
version: 1
approvers: [U0ANA, S0FIN]
operators: [U0OLGA]
amounts: [{ up_to: 500, approvals: 1 }, { approvals: 3 }]
orders: [{ up_to: 100, approvals: 1 }, { approvals: 2 }]
durations: { longest: 7 days, permanent: false }
groups: [{ cards: [North], approvers: [U0NINA] }]
delegates: [{ for: U0ANA, to: U0BEN, from: 2026-12-24, until: 2026-12-31 }]
own_delegates: [U0CAL]
`,
  'policy.yaml',
  policyOfVariables({ operators: [], approvers: [], twoPersonAboveCents: 100_000, serviceZone: 'America/New_York' }),
);
const capped = parsePolicy(
  `
version: 1
approvers: [U0ANA, U0BEN]
amounts: [{ up_to: 1000, approvals: 1 }, { approvals: 2 }]
caps: { person: { 24h: 500 } }
groups: [{ cards: [North], caps: { card: { 30d: 400 } } }, { cards: [South], caps: { person: { 24h: 800 } } }]
`,
  'capped.yaml',
  policyOfVariables({ operators: [], approvers: [], twoPersonAboveCents: 100_000, serviceZone: 'America/New_York' }),
);
const nothing: Assumed = { group: null, nowCents: null, fundCents: null, isOwnCard: false, memberOf: [], at };

function explain(words: string, assumed: Partial<Assumed> = {}, by = policy): string {
  const explained = explainPolicy(by, words, { ...nothing, ...assumed });
  return explained.kind === 'unclear' ? explained.why : explained.lines.join('\n');
}

const tooFew = parsePolicy(
  `
version: 1
approvers: [U0ANA, U0BEN]
amounts: [{ up_to: 500, approvals: 1 }, { approvals: 3 }]
groups: [{ cards: [South], approvers: [U0ANA] }, { cards: [North], approvers: [U0ANA, S0FIN] }]
delegates: [{ for: U0BEN, to: U0CAL, from: 2026-12-24, until: 2026-12-31 }]
`,
  'too-few.yaml',
  policyOfVariables({ operators: [], approvers: [], twoPersonAboveCents: 100_000, serviceZone: 'America/New_York' }),
);

it.each<[string, Partial<Assumed>, string | undefined]>([
  ['limit 1234 daily 900', {}, 'Nobody can get it approved: only 1 other approver is named'],
  ['limit 1234 daily 900', { group: 'South' }, 'Nobody can get it approved: no other approver is named'],
  ['limit 1234 daily 900', { group: 'North' }, undefined],
  ['limit 1234 daily 500', {}, undefined],
  ['limit 1234 daily 500', { isOwnCard: true }, undefined],
])('explaining “%s” with %j says whether enough others are named, delegates not counted', (words, assumed, last) => {
  const said = explain(`U0ANA ${words}`, assumed, tooFew).split('\n');

  expect(said.find((line) => line.startsWith('Nobody'))).toBe(last);
});

describe('explaining what would happen', () => {
  it.each<[string, Partial<Assumed>, RegExp]>([
    [
      'U0ANA limit 1234 daily 900 for 4h',
      { nowCents: 40_000 },
      /raises it by \$500\.00, for 4 hours\nResult: done at once/,
    ],
    [
      'U0ANA limit 1234 daily 900 for 4h',
      {},
      /counted from \$0\.00 because --now is not given.*\nResult: waits for 2 other approvers, from: S0FIN$/,
    ],
    ['U0BEN limit 1234 daily 900 for 4h', {}, /Result: waits for 2 other approvers, from: S0FIN$/],
    ['U0GUS limit 1234 daily 900 for 4h', { memberOf: ['S0FIN'] }, /, from: U0ANA, S0FIN, U0BEN$/],
    ['U0ANA limit 1234 daily 900 for 4h', { nowCents: 40_000, isOwnCard: true }, /Result: waits for 1 other approver/],
    [
      'U0ANA limit 1234 daily 900',
      { nowCents: 40_000 },
      /Result: refused\. The policy allows this only for 1 week at most: say for how long\.$/,
    ],
    [
      'U0ANA limit 1234 daily 900 for 8 days',
      { nowCents: 40_000 },
      /Result: refused\. The policy allows this for 1 week at most/,
    ],
    [
      'U0OLGA mute 1234 3 days',
      {},
      /Mute: until 2026-12-27.*\nResult: refused\. Only approvers may mute a card for more than 24 hours\.\nWho may: U0ANA, S0FIN, U0BEN$/,
    ],
    ['U0ANA unblock 1234', { isOwnCard: true }, /\nWho may: S0FIN$/],
    ['U0SAM block 1234', {}, /\nWho may: U0OLGA, U0ANA, S0FIN, U0BEN$/],
    ['U0BEN ask 1234 300 hotel', { isOwnCard: true }, /waits for 1 other approver, from: U0ANA, S0FIN$/],
    ['U0ANA ask 300 hotel', {}, /\nWho may: the card’s holder$/],
    [
      'U0HUGO ask 1234 5000',
      { isOwnCard: true },
      /Change: raises a limit by at most \$5,000\.00, for one purchase only.*\nResult: waits for 3 other approvers/,
    ],
    [
      'U0HUGO ask 1234 500 for 2 days hotel',
      { isOwnCard: true },
      /at most \$500\.00, for 2 days\nResult: waits for 1 other approver,/,
    ],
    [
      'U0HUGO ask 1234 500 for 8 days hotel',
      { isOwnCard: true },
      /Result: refused\. The policy allows this for 1 week at most/,
    ],
    ['U0ANA block 1234', { group: 'South' }, /\nCard: in South, which the policy does not name\n/],
    ['U0ANA limit 1234 daily 900 weekly 1000', {}, /One limit at a time/],
    [
      'U0OLGA travel-mute 1234 US until January 5',
      {},
      /Mute: until 20.*\nResult: refused\. Only approvers may mute a card for more than 24/,
    ],
    ['U0OLGA travel-mute 1234 Spain until January 5', {}, /Mute: until 20.*\nResult: done at once/],
    ['U0OLGA mute 1234 24h', {}, /Result: done at once/],
    ['U0ANA mute 1234 3 days', {}, /Result: done at once/],
    ['U0ANA mute 1234 3 days', { isOwnCard: true }, /Result: refused\. You can’t mute your own card/],
    ['U0ANA mute 1234 trade show', {}, /A mute always has an end/],
    ['U0ANA limit 1234 daily 300', { nowCents: 40_000 }, /Result: done at once/],
    [
      'U0OLGA limit 1234 daily 900 for 4h',
      {},
      /is: operator\n.*\nResult: refused\. Only approvers may change limits\.\nWho may: U0ANA, S0FIN, U0BEN$/,
    ],
    ['U0GUS limit 1234 daily 300 for 4h', { memberOf: ['S0FIN'] }, /is: approver/],
    ['<@U0BEN> limit 1234 daily 300 for 4h', {}, /is: approver/],
    [
      'U0BEN limit 1234 daily 300 for 4h',
      { at: new Date('2026-12-23T15:00:00.000Z') },
      /neither operator nor approver/,
    ],
    ['U0NINA limit 1234 daily 300 for 4h', { group: 'north' }, /Card: in North\nU0NINA is: approver/],
    ['U0ANA limit 1234 daily 300 for 4h', { group: 'north' }, /Who may: U0NINA/],
    ['U0ANA virtual order Jane Doe', {}, /Order: \$0\.00 .*--fund says how much\nResult: done at once/],
    ['U0ANA virtual order Jane Doe', { fundCents: 10_001 }, /Order: \$100\.01.*\nResult: waits for 1 other approver/],
    ['U0NINA virtual order Jane Doe', { group: 'north' }, /Result: refused\. Only approvers may order virtual cards/],
    [
      'U0NINA subscribe declines',
      { group: 'north' },
      /Result: refused\. Only approvers .*\nWho may: U0ANA, S0FIN, U0BEN$/,
    ],
    ['U0ANA subscribe declines', { group: 'north' }, /Result: done at once/],
    ['U0ANA unlink 1234', {}, /Result: done at once/],
    ['U0ANA unlink 1234', { isOwnCard: true }, /\nClaim: .*\nResult: waits for 1 other approver, from: S0FIN$/],
    ['U0ANA link 1234 <@U0HUGO>', {}, /Result: done at once/],
    ['U0ANA link 1234 <@U0ANA>', {}, /\nClaim: .*email.*\nResult: waits for 1 other approver, from: S0FIN$/],
    ['U0BEN link 1234', {}, /\nClaim: .*\nResult: waits for 1 other approver, from: U0ANA, S0FIN$/],
    ['U0OLGA block 1234', {}, /Result: done at once/],
    ['U0OLGA unblock 1234', {}, /Result: refused/],
    ['ana limit 1234 daily 900', {}, /no Slack user id/],
    ['U0ANA limit 1234 daily', {}, /What should the daily limit be/],
    ['U0ANA', {}, /What would they type/],
  ])('%s, %j', (words, assumed, expected) => {
    expect(explain(words, assumed)).toMatch(expected);
  });

  it.each<[string, Partial<Assumed>, RegExp]>([
    [
      'U0ANA limit 1234 daily 900',
      { nowCents: 39_999 },
      /\nCaps: over the cap for one approver alone: \$0\.00 of \$500\.00 used within 24 hours; earlier changes are not known\nResult: waits for 1 other approver, from: U0BEN$/,
    ],
    [
      'U0ANA limit 1234 daily 900',
      { nowCents: 40_000 },
      /\nCaps: not exceeded by this change alone; earlier changes are not known\nResult: done at once$/,
    ],
    [
      'U0ANA limit 1234 daily 900',
      { nowCents: 40_000, group: 'North' },
      /one card.* of \$400\.00 used within 30 days;/,
    ],
    ['U0ANA limit 1234 daily 900', { nowCents: 20_000, group: 'South' }, /Caps: not exceeded.*\nResult: done at once$/],
    ['U0ANA virtual order Jane Doe', { fundCents: 50_001 }, /\nCaps: over .*\nResult: waits for 1 other approver/],
    ['U0HUGO ask 1234 501', { isOwnCard: true }, /\nCaps: over .*\nResult: waits for 2 other approvers/],
    ['U0ANA limit 1234 daily 300', { nowCents: 40_000 }, /permanently\nResult: done at once$/],
    ['U0ANA limit 1234 daily none', { nowCents: 40_000 }, /removes the limit.*\nResult: waits for 1 other approver/],
    ['U0ANA block 1234', {}, /approver\nResult: done at once$/],
  ])('says whether it exceeds a cap: %s, %j', (words, assumed, expected) => {
    expect(explain(words, assumed, capped)).toMatch(expected);
  });

  it.each<[number | null, string]>([
    [90_000, 'lowers it by $400.00'],
    [50_000, 'leaves it as it is'],
    [40_000, 'raises it by $100.00'],
    [null, 'raises it by $500.00, counted from $0.00'],
  ])('says by how much a limit changes: from %s', (nowCents, expected) => {
    expect(explain('U0ANA limit 1234 daily 500 for 4h', { nowCents })).toContain(`Change: ${expected}`);
  });

  it('names the file and its hash', () => {
    expect(explain('U0OLGA block 1234')).toContain(`Policy: policy.yaml, SHA-256 ${policy.hash}`);
  });
});

describe('trying a policy on recorded decisions', () => {
  const then = { ...recordedDecision({ raiseCents: 50_000, lastsMs: 3_600_000 }), atMs: at.getTime() };

  it.each<[string, Partial<typeof then>, string | null]>([
    ['the same answer', {}, null],
    ['a raise that now needs more approvers', { raiseCents: 50_001 }, 'needs 2 more'],
    ['an action without an amount', { raiseCents: 'no amount' }, 'needs 2 more'],
    ['a change that lasts too long', { lastsMs: 'stays' }, 'refused'],
    ['a former approver', { userId: 'U0ZOE', roles: [] }, 'refused'],
    ['a former member of a user group', { userId: 'U0ZOE' }, null],
    ['a card of a group with other approvers', { group: 'North' }, 'refused'],
    [
      'what concerns all cards, by an approver of one group',
      { userId: 'U0NINA', roles: [], verb: 'recover', acctId: null, raiseCents: null, lastsMs: null },
      'refused',
    ],
    ['a delegate', { userId: 'U0BEN' }, null],
    ['a person who may be named as a delegate, and was', { userId: 'U0CAL' }, null],
    ['a person who may be named as a delegate, and was not', { userId: 'U0CAL', roles: [], kind: 'refused' }, null],
    [
      'an order that now needs two approvers',
      { verb: 'order-virtual', raiseCents: 10_001, lastsMs: null },
      'needs 1 more',
    ],
    ['a raise over a cap that this policy lacks', { isOverCap: true, kind: 'request', others: 1 }, 'allowed'],
    ['an action that was late at the time', { kind: 'late' }, null],
    ['a verb from an older version', { verb: 'gone' }, null],
  ])('%s', (_what, over, would) => {
    const { differences, skipped } = replayDecisions(policy, [{ ...then, ...over }]);

    expect(differences.map((difference) => difference.would)).toEqual(would === null ? [] : [would]);
    expect(skipped).toBe(0);
  });

  it.each<[string, Partial<typeof then>, string | null]>([
    ['by itself', { ownCents: 50_001 }, 'needs 1 more'],
    ['not by itself', { ownCents: 50_000 }, null],
    ['not by itself, but with what several approved', { raiseCents: 90_000, ownCents: 30_000 }, null],
    ['of its group', { group: 'North', ownCents: 40_001 }, 'needs 1 more'],
    ['of another group', { group: 'South', ownCents: 50_001 }, null],
    ['with earlier ones, as then', { isOverCap: true, kind: 'request', others: 1 }, null],
    ['by an order', { verb: 'order-virtual', lastsMs: null, ownCents: 50_001 }, 'needs 1 more'],
    ['without an amount', { raiseCents: null, lastsMs: null }, null],
  ])('compares with the caps of the policy what exceeds one %s', (_what, over, would) => {
    const { differences } = replayDecisions(capped, [{ ...then, ...over }]);

    expect(differences.map((difference) => difference.would)).toEqual(would === null ? [] : [would]);
  });

  it('shows no difference to the same file, also after a raise that several approved', async () => {
    const policyFor = () => capped.standard.approval;
    const world = await createActionWorld(redis(), { policyFor });
    const { decisions: store } = world.deps;
    let ms = 0;
    const remember = async (decision: RecordedDecision, atMs: number) => {
      ms += 1;
      await store.remember(decision, atMs + ms);
    };
    const deps = { ...world.deps, decisions: { ...store, remember } };
    world.service.rules = { IsActive: true, DailySpendLimit: 400 };
    await performAction(limit('act_large', 1000), deps);
    await performAction(approve('req_large', 'act_ben', 'U0BEN'), deps);
    world.advance(1000);
    await performAction(limit('act_small', 1300), deps);
    const decisions = await store.since(0);

    expect(world.service.rules['DailySpendLimit']).toBe(1300);
    expect(decisions.at(-1)).toMatchObject({ actionId: 'act_small', raiseCents: 90_000, ownCents: 30_000 });
    expect(replayDecisions(capped, decisions)).toEqual({ differences: [], skipped: 0 });
  });

  it.each<[string, Partial<typeof then>]>([
    ['a delegate who acted for the person concerned', { userId: 'U0BEN', roles: ['operator'] }],
    ['a person whose account was deactivated', { userId: 'U0ANA', roles: [] }],
    ['an operator, for too long', { userId: 'U0BEN', roles: ['operator'], verb: 'mute', lastsMs: 3 * 86_400_000 }],
  ])('skips what was refused without a role that the policy grants: %s', (_what, over) => {
    const refused = { ...then, raiseCents: null, kind: 'refused', ...over } as const;

    expect(replayDecisions(policy, [refused])).toEqual({ differences: [], skipped: 1 });
  });

  it('reports what was decided, when and for whom', () => {
    expect(replayDecisions(policy, [{ ...then, raiseCents: 90_000 }]).differences).toEqual([
      {
        at: at.toISOString(),
        actionId: 'act_1',
        userId: 'U0ANA',
        verb: 'limit',
        acctId: 7,
        was: 'allowed',
        would: 'needs 2 more',
      },
    ]);
  });
});
