import type { SeedAccount, SeedCard, SeedPurchase } from './seed-data.ts';

/** One active card. */
const active: readonly SeedCard[] = [{ status: 'ACTIVE' }];
const inactive: readonly SeedCard[] = [{ status: 'INACTIVE', ageDays: 6 }];
const blocked: readonly SeedCard[] = [{ status: 'BLOCKED' }];
/** One closed card. */
const closed: readonly SeedCard[] = [{ status: 'CLOSED' }];

/**
 * Holders that a test or a visitor may pick without surprises: one active card, a balance between 600 and 4,500
 * dollars, default rules, nothing spent yet.
 */
export const plain: readonly SeedAccount[] = [
  { name: ['Maya', 'Okafor'], customId: 'F1Q52343SF', group: 1, balance: 1250, cards: active },
  { name: ['Jonas', 'Lindqvist'], customId: 'EMP-1042', group: 1, balance: 640, cards: active },
  { name: ['Priya', 'Raman'], customId: 'EMP-1043', group: 2, balance: 2380.5, cards: active },
  { name: ['Tom', 'Becker'], group: 2, balance: 900, cards: active },
  { name: ['Lucia', 'Ferrara'], customId: 'EMP-1051', group: 3, balance: 3100, cards: active },
  { name: ['Ahmed', 'Nasser'], group: 3, balance: 4400, cards: active },
  { name: ['Grace', 'Whitfield'], customId: 'EMP-1060', group: 4, balance: 1875.25, cards: active },
  { name: ['Diego', 'Salas'], group: 1, balance: 720, cards: active },
  { name: ['Hannah', 'Kim'], customId: 'EMP-1071', group: 4, balance: 2600, cards: active },
  { name: ['Oscar', 'Petrov'], group: 2, balance: 1500, cards: active },
];

/** Holders with a card in each of the other states. */
export const otherStates: readonly SeedAccount[] = [
  { name: ['Nina', 'Castellanos'], customId: 'EMP-1080', group: 1, balance: 300, cards: inactive },
  { name: ['Peter', 'Vance'], group: 2, balance: 500, cards: inactive },
  {
    name: ['Ruth', 'Adeyemi'],
    customId: 'EMP-1082',
    group: 3,
    balance: 0,
    cards: [{ status: 'INACTIVE', ageDays: 3 }],
  },
  { name: ['Simon', 'Marsh'], group: 4, balance: 450, cards: blocked },
  { name: ['Elena', 'Duarte'], customId: 'EMP-1085', group: 1, balance: 580, cards: blocked },
  { name: ['Victor', 'Hale'], group: 2, balance: 5200, cards: blocked },
  { name: ['Carol', 'Jansen'], customId: 'EMP-0990', group: 3, balance: 0, cards: closed },
  { name: ['Felix', 'Moreau'], group: 4, balance: 0, cards: closed },
];

const lunch = (daysAgo: number, amount: number): SeedPurchase => ({
  daysAgo,
  amount,
  merchant: 'CORNER DINER',
  mcc: '5812',
  outcome: 'settled',
});
const fuel = (daysAgo: number, amount: number): SeedPurchase => ({
  daysAgo,
  amount,
  merchant: 'ROUTE 9 FUEL',
  mcc: '5542',
  outcome: 'settled',
  pin: true,
});
const lumber = (daysAgo: number, amount: number): SeedPurchase => ({
  daysAgo,
  amount,
  merchant: 'OAK HARDWARE',
  mcc: '5251',
  outcome: 'settled',
});

/** Holders with restrictive rules. Their balances are outside the range of the plain ones. */
export const withRules: readonly SeedAccount[] = [
  {
    name: ['Alice', 'Alvarez'],
    customId: 'EMP-1101',
    group: 1,
    balance: 4900,
    cards: [{ status: 'ACTIVE', lastFour: '4821' }],
    rules: { DailySpendLimit: 150, WeeklySpendLimit: 600 },
    history: [lunch(1, 84.1), lunch(3, 41.75), lunch(8, 62)],
  },
  {
    name: ['Bruno', 'Alvarez'],
    group: 2,
    balance: 5400,
    cards: [{ status: 'ACTIVE', lastFour: '4821' }],
    rules: { cardNotPresent: false },
    history: [fuel(2, 55.2), fuel(9, 61.07)],
  },
  {
    name: ['Chen', 'Wei'],
    customId: 'EMP-1103',
    group: 3,
    balance: 6100,
    cards: active,
    rules: {
      MonthlySpendLimit: 2000,
      categories: [
        { id: 9, DailySpendLimit: 60, MonthlySpendLimit: 500 },
        { id: 11 },
        { id: 10, TransactionLimit: 250 },
      ],
    },
    history: [
      lunch(1, 38.4),
      { daysAgo: 5, amount: 412.6, merchant: 'LAKESIDE HOTEL', mcc: '7011', outcome: 'settled' },
    ],
  },
  {
    name: ['Dana', 'Brooks'],
    customId: 'FIELD-07',
    group: 1,
    ruleset: 1,
    balance: 5050,
    cards: active,
    history: [
      fuel(1, 71.3),
      lumber(2, 128.99),
      { daysAgo: 1, amount: 64, merchant: 'OAK HARDWARE', mcc: '5251', outcome: 'held' },
    ],
  },
  {
    name: ['Ethan', 'Cole'],
    customId: 'FIELD-08',
    group: 1,
    ruleset: 1,
    balance: 4750,
    cards: active,
    history: [fuel(4, 66.6), { daysAgo: 6, amount: 89, merchant: 'OAK HARDWARE', mcc: '5251', outcome: 'refunded' }],
  },
  {
    name: ['Ingrid', 'Solheim'],
    group: 4,
    ruleset: 2,
    balance: 8200,
    cards: active,
    history: [
      {
        daysAgo: 12,
        amount: 940,
        merchant: 'NORDLYS AIR',
        mcc: '3211',
        outcome: 'settled',
        online: true,
        country: 'NO',
      },
      { daysAgo: 10, amount: 233.4, merchant: 'HAVN HOTELL', mcc: '7011', outcome: 'settled', country: 'NO' },
    ],
  },
  { name: ['Kofi', 'Mensah'], group: 4, balance: 5600, cards: active, rules: { remoteDecision: true } },
  {
    name: ['Laura', 'Quinn'],
    group: 3,
    balance: 0,
    cards: active,
    rules: { businessBalance: true, DailySpendLimit: 5000 },
  },
  {
    name: ['Marcus', 'Thiel'],
    customId: 'EMP-1112',
    group: 2,
    balance: 5150,
    // The replacement has arrived: activating it permanently closes the old card.
    cards: [{ status: 'ACTIVE' }, { status: 'INACTIVE', ageDays: 4 }],
    history: [lunch(2, 23.9), { daysAgo: 2, amount: 118, merchant: 'CITY CABS', mcc: '4121', outcome: 'reversed' }],
  },
  {
    name: ['Nora', 'Blum'],
    group: 2,
    balance: 120,
    cards: [{ status: 'CLOSED', ageDays: 500 }, { status: 'ACTIVE' }],
    history: [lunch(20, 18.5)],
  },
];

/** Virtual cards, most of them for a single purpose. */
export const virtual: readonly SeedAccount[] = [
  {
    name: ['Cloud', 'Hosting'],
    customId: 'V-HOSTING',
    group: 5,
    balance: 590,
    virtual: true,
    cards: active,
    ruleset: 3,
  },
  {
    name: ['Ad', 'Campaigns'],
    customId: 'V-ADS',
    group: 5,
    balance: 9800,
    virtual: true,
    cards: active,
    rules: { MonthlySpendLimit: 5000 },
  },
  { name: ['Team', 'Offsite'], group: 5, balance: 250, virtual: true, cards: [{ status: 'INACTIVE', ageDays: 9 }] },
  { name: ['Old', 'Subscription'], group: 5, balance: 0, virtual: true, cards: closed },
];
