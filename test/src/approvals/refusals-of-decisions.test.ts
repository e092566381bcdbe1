import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import type { ChangeRequest } from '../../../src/limits/change-request.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, denial as deny, override } from '../../support/asked-for-more.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type Over,
  type PerformWorld,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { expectRefused, link, type Refused, refusedOf } from '../../support/refused.ts';

const redis = useRedis();
const OTTO = { userId: 'U0OTTO', teamId: 'T1' };
const typed = (text: string, channel = 'C1'): Over => ({
  target: { kind: 'channel', text },
  origin: { kind: 'command', channel, messageTs: null, reply: null, replace: false },
});
const place = { name: 'cards', isArchived: false, isMember: true, isExtShared: false, isPrivate: false };
const routing = (over: Partial<WorldDeps> = {}): Partial<WorldDeps> => ({ channelInfo: async () => place, ...over });
const temporaryChange = async ({ deps }: PerformWorld, state: 'open' | 'ended') => {
  const changeRequest: ChangeRequest = {
    goals: [limitGoal('daily', 45_000)],
    term: { kind: 'duration', ms: 3_600_000 },
  };
  await performAction(ask('limit', { ...byCommand, changeRequest }), deps);
  const open = await deps.temporaryChanges.get('act_limit1');
  if (open !== null) await deps.temporaryChanges.save({ ...open, state });
};
const onTemporaryChange = (temporaryChangeId: string): Over => ({
  target: { kind: 'temporary-change', temporaryChangeId },
});
const onBlock: Over = { target: { kind: 'action', actionId: 'act_block1' } };
const decided = async (world: PerformWorld) => {
  const { deps } = await askedToPay(world, 50_000);
  await performAction(deny('act_no', 'U0BEN'), deps);
};
const ordered = async ({ deps }: PerformWorld) => {
  const target = {
    ...virtualOrder,
    sealed: JSON.stringify({ ...JSON.parse(virtualOrder.sealed), fundCents: 500_000 }),
  };
  await performAction(ask('order-virtual', { ...byCommand, id: 'act_ask1', target }), deps);
};
const { id: _approval, verb: _decide, ...approveIt } = approvalClick('act_yes', 'U0ZOE');
const { id: _id, verb: _break, ...overrideIt } = override;

const rows: Refused[] = [
  { verb: 'decide', when: 'it is too old', asked: approveIt, why: /This request is too old/ },
  { verb: 'decide', when: 'it is decided', asked: approveIt, before: decided, why: /denied already/, isOfCard: true },
  {
    verb: 'decide',
    when: 'it is the person’s own card',
    asked: { ...approveIt, actor: { userId: 'U0HUGO', teamId: 'T1' } },
    before: (world) => askedToPay(world, 50_000),
    why: /It is your own card/,
    isOfCard: true,
  },
  {
    verb: 'decide',
    when: 'they ordered the card themselves',
    asked: { ...approveIt, actor: { userId: 'U0OLGA', teamId: 'T1' } },
    before: ordered,
    why: /You have approved it already/,
  },
  {
    verb: 'withdraw',
    when: 'somebody else ordered the card',
    asked: { target: approveIt.target, actor: { userId: 'U0ZOE', teamId: 'T1' } },
    before: ordered,
    why: /Only the person who asked can withdraw/,
  },
  {
    verb: 'emergency-override',
    when: 'it is an order',
    asked: overrideIt,
    before: ordered,
    why: /Only a change of a card’s rules/,
  },
  { verb: 'emergency-override', when: 'it is too old', asked: overrideIt, why: /This request is too old/ },
  {
    verb: 'emergency-override',
    when: 'it is decided',
    asked: overrideIt,
    before: decided,
    why: /decided already/,
    isOfCard: true,
  },
  {
    verb: 'emergency-override',
    when: 'it is too soon',
    asked: overrideIt,
    before: (world) => askedToPay(world, 50_000),
    why: /15 minutes/,
    isOfCard: true,
  },
  {
    verb: 'emergency-override',
    when: 'it was used a moment ago',
    asked: overrideIt,
    before: async (world) => {
      await askedToPay(world, 50_000);
      world.advance(REQUEST_OVERDUE_MS);
      await world.deps.recentRaises.reserveOverride(acctId, 'act_other');
    },
    why: /in the last 24 hours/,
    isOfCard: true,
  },
  { verb: 'revert', when: 'it is too old', asked: onTemporaryChange('act_gone'), why: /This change is too old/ },
  {
    verb: 'revert',
    when: 'it has ended',
    asked: onTemporaryChange('act_limit1'),
    before: (world) => temporaryChange(world, 'ended'),
    why: /put back already/,
    isOfCard: true,
  },
  {
    verb: 'revert',
    when: 'someone changed it meanwhile',
    asked: onTemporaryChange('act_limit1'),
    before: async (world) => {
      await temporaryChange(world, 'open');
      world.service.rules = { ...world.service.rules, DailySpendLimit: 700 };
    },
    why: /Somebody changed the daily limit or the card’s ruleset meanwhile/,
    isOfCard: true,
  },
  {
    verb: 'complete-temporary-change',
    when: 'nothing is asked',
    asked: onTemporaryChange('act_limit1'),
    before: (world) => temporaryChange(world, 'open'),
    why: /It is still in force/,
    isOfCard: true,
  },
  { verb: 'undo-block', when: 'it is too old', asked: onBlock, why: /for one minute only/ },
  {
    verb: 'undo-block',
    when: 'someone else blocked the card',
    asked: { ...onBlock, actor: OTTO },
    before: ({ deps }) => performAction(ask('block', byCommand), deps),
    why: /Only the person who blocked it/,
    isOfCard: true,
  },
  {
    verb: 'unblock',
    when: 'it is the person’s own card',
    asked: byCommand,
    before: async (world) => {
      world.service.status = 'BLOCKED';
      await link(world, 'U0OLGA');
    },
    why: /can’t unblock your own card/,
    isOfCard: true,
  },
  {
    verb: 'resend-virtual',
    when: 'the card is physical',
    asked: byCommand,
    deps: {
      toFacts: (id) => ({
        acctId: id,
        cardId: 6231,
        last4: '1212',
        holder: null,
        customId: null,
        isVirtual: false,
        group: null,
      }),
    },
    why: /This card is not virtual/,
    isOfCard: true,
  },
  {
    verb: 'order-virtual',
    when: 'it can no longer be read',
    asked: { ...byCommand, target: virtualOrder },
    deps: { unseal: () => null },
    why: /can no longer be read/,
  },
  {
    verb: 'recover',
    when: 'there is no such date',
    asked: { target: { kind: 'since', since: { agoMs: 5 } } },
    why: /There is no such date/,
  },
  {
    verb: 'declines',
    when: 'the time cannot be read',
    asked: { ...byCommand, details: 'soon' },
    why: /“soon” is not a time/,
    isOfCard: true,
  },
  {
    verb: 'mute',
    when: 'the end cannot be read',
    asked: { ...byCommand, details: 'whenever' },
    deps: routing(),
    why: /always has an end/,
    isOfCard: true,
  },
  {
    verb: 'travel',
    when: 'it is for too long',
    asked: { ...byCommand, details: 'FR 200 days' },
    deps: routing(),
    why: /longer than 90 days/,
    isOfCard: true,
  },
  {
    verb: 'why',
    when: 'no such alert is known',
    asked: typed('evt_gone'),
    deps: routing(),
    why: /I know no such alert/,
  },
  {
    verb: 'quiet',
    when: 'the hours cannot be read',
    asked: typed('at night'),
    deps: routing(),
    why: /is not a range of hours/,
  },
  { verb: 'subscribe', when: 'the filter cannot be read', asked: typed('everything blue'), deps: routing(), why: /./ },
  {
    verb: 'subscribe',
    when: 'Cardbell is not in the channel',
    asked: typed('declines'),
    deps: routing({ channelInfo: async () => ({ ...place, isMember: false }) }),
    why: /Cardbell is not in this channel/,
  },
  {
    verb: 'subscribe',
    when: 'Slack hides the channel',
    asked: typed('declines'),
    deps: routing({
      channelInfo: async () => {
        throw new SlackError('conversations.info', 'channel_unusable', 'channel_not_found');
      },
    }),
    why: /Cardbell is not in this channel/,
  },
  {
    verb: 'quiet',
    when: 'the channel is shared with another company',
    asked: typed('22:00-07:00'),
    deps: routing({ channelInfo: async () => ({ ...place, isExtShared: true }) }),
    why: /shared with another company/,
  },
  {
    verb: 'digest',
    when: 'it is not a channel',
    asked: {
      ...typed('daily 09:00', 'D0OLGA'),
      wanted: { kind: 'at', weekday: null, isMonthly: false, hour: 9, minute: 0, zone: null },
    },
    deps: routing(),
    why: /direct conversation/,
  },
  {
    verb: 'unsubscribe',
    when: 'there is no subscription to remove',
    asked: typed('all'),
    deps: routing(),
    why: /no subscription/,
  },
];

it.each(rows)('$verb, when $when: answers and audits the refusal', (row) => expectRefused(redis(), row));

it('the refusal of someone who may not decide an order names no card: it does not exist yet', async () => {
  const lines: string[] = [];
  const operator = { roles: ['operator' as const], isComplete: true };
  const world = await createActionWorld(redis(), {
    rolesOf: async (userId) => (userId === OTTO.userId ? operator : { roles: ['approver'], isComplete: true }),
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });
  await ordered(world);

  await performAction(ask('decide', { ...approveIt, id: 'act_otto', actor: OTTO }), world.deps);

  expect((await refusedOf(world)).map(({ acctId: id }) => id)).toEqual([null]);
  expect(lines.at(-1)).toBe(
    '<@U0OTTO> was not allowed to decide a request: Only approvers may decide requests, nothing changed.',
  );
});
