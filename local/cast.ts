import type { PurchaseRequest } from '../sandbox/engine/purchase-request.ts';
import type { SeedAccount, SeedData } from '../sandbox/seed/seed-data.ts';
import { STANDARD_SEED } from '../sandbox/seed/standard.ts';
import type { WorkspaceChannel, WorkspaceUser, WorkspaceUserGroup } from '../workspace/server.ts';

/** Channel ids of the demo's workspace. */
export const channelId = {
  general: 'C0GENERAL',
  declines: 'C0DECLINES',
  shipping: 'C0SHIPPING',
  status: 'C0STATUS',
  virtual: 'C0VIRTUAL',
  spend: 'C0SPEND',
  approvals: 'C0APPROVALS',
  ops: 'C0OPS',
  audit: 'C0AUDIT',
} as const;

/** User ids of the people in the demo. */
export const userId = {
  app: 'U0CARDBELL',
  olga: 'U0OLGA',
  ana: 'U0ANA',
  ben: 'U0BEN',
  otto: 'U0OTTO',
  sam: 'U0SAM',
  guide: 'U0GUIDE',
} as const;

/** Ana and Ben. */
export const approvers: WorkspaceUserGroup = {
  id: 'S0APPROVERS',
  handle: 'card-approvers',
  name: 'Card approvers',
  users: [userId.ana, userId.ben],
};

/**
 * Everyone in the demo, in the page's time zone. The app comes first, because a workspace uses its first bot as the
 * app.
 */
export function demoUsers(tz: string): WorkspaceUser[] {
  return [
    { id: userId.app, name: 'cardbell', realName: 'Cardbell', isBot: true, tz },
    { id: userId.olga, name: 'olga', realName: 'Olga Brandt', roleHint: 'operator', tz },
    { id: userId.ana, name: 'ana', realName: 'Ana Ferreira', roleHint: 'approver', tz },
    { id: userId.ben, name: 'ben', realName: 'Ben Osei', roleHint: 'approver', tz },
    { id: userId.otto, name: 'otto', realName: 'Otto Lang', roleHint: 'no rights', tz },
    {
      id: userId.sam,
      name: 'sam',
      realName: 'Sam Rivera',
      // Same as in the card program, so Sam could have linked the card alone.
      email: 'sam.rivera@example.com',
      roleHint: 'holds 1234',
      tz,
    },
    { id: userId.guide, name: 'guide', realName: 'Demo guide', isBot: true, tz },
  ];
}

/** The channels, in the page's order. Balances are shown in private channels only. */
export function demoChannels(tillUrl: string): WorkspaceChannel[] {
  const office = [userId.olga, userId.ana, userId.ben];
  return [
    {
      id: channelId.declines,
      name: 'card-declines',
      topic: `Why a card was declined, and what fixes it. Try one at the <${tillUrl}|cash register>.`,
    },
    { id: channelId.spend, name: 'card-spend', topic: `What cards paid for. Pay at the <${tillUrl}|cash register>.` },
    { id: channelId.status, name: 'card-status', topic: 'Cards that were activated, blocked, unblocked or closed.' },
    { id: channelId.shipping, name: 'card-shipping', topic: 'Cards in the post.' },
    { id: channelId.virtual, name: 'virtual-cards', topic: 'Virtual cards that were made.' },
    {
      id: channelId.approvals,
      name: 'card-approvals',
      topic: 'What holders ask for, and raises that need a second approver.',
      isPrivate: true,
      members: office,
    },
    { id: channelId.audit, name: 'card-audit', topic: 'Who did what.', isPrivate: true, members: office },
    { id: channelId.ops, name: 'cardbell-ops', topic: 'Cardbell’s own trouble.', isPrivate: true, members: office },
    { id: channelId.general, name: 'general', topic: 'Everybody at Juniper & Oak Builders.' },
  ];
}

/** Last four digits of the card in the guide. */
export const HERO_LAST4 = '1234';

/** Where Sam is declined first. Nobody else is declined there, so the decline keeps its own message. */
export const HERO_MERCHANT = 'Corner Diner';

const hero: SeedAccount = {
  name: ['Sam', 'Rivera'],
  customId: 'EMP-1130',
  group: 1,
  // Outside the range in which tests look for plain holders, and high enough that only the limit stops Sam.
  balance: 4650,
  cards: [{ status: 'ACTIVE', lastFour: HERO_LAST4 }],
  rules: { DailySpendLimit: 150 },
  history: [
    { daysAgo: 1, amount: 38.2, merchant: HERO_MERCHANT, mcc: '5812', outcome: 'settled' },
    { daysAgo: 2, amount: 71.55, merchant: 'Oak Hardware', mcc: '5251', outcome: 'settled' },
    { daysAgo: 6, amount: 54.9, merchant: 'ROUTE 9 FUEL', mcc: '5542', outcome: 'settled', pin: true },
  ],
};

/** The sandbox's business with one extra holder, whose card ends in 1234. */
export const demoSeed: SeedData = { ...STANDARD_SEED, accounts: [...STANDARD_SEED.accounts, hero] };

/** What Sam buys when the demo starts: the first purchase fits into the daily limit, the second does not. */
export const heroPurchases: readonly Omit<PurchaseRequest, 'AcctId'>[] = [
  { Amount: 96.4, MerchantName: 'Oak Hardware', MerchantCity: 'Albany', MerchantState: 'NY', MCCCode: '5251' },
  { Amount: 84.1, MerchantName: HERO_MERCHANT, MerchantCity: 'Albany', MerchantState: 'NY', MCCCode: '5812' },
];
