import type { SeedAccount, SeedCard } from './seed-data.ts';

/** One active card. */
export const active: readonly SeedCard[] = [{ status: 'ACTIVE' }];
const inactive: readonly SeedCard[] = [{ status: 'INACTIVE', ageDays: 6 }];
const blocked: readonly SeedCard[] = [{ status: 'BLOCKED' }];
/** One card that has ended. */
export const closed: readonly SeedCard[] = [{ status: 'CLOSED' }];

/**
 * Holders that a test or a visitor may pick without surprises: one active card, a balance between 600 and 4,500
 * dollars, the rules of a new card, nothing spent yet.
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
