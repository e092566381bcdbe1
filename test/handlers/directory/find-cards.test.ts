import { describe, expect, it } from 'vitest';
import { findCards } from '../../../handlers/directory/find-cards.ts';
import type { ListenerDeps } from '../../../src/app/compose-web.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { createSeals } from '../../../src/core/seal.ts';
import { createDirectory } from '../../../src/directory/directory.ts';
import { createLinks } from '../../../src/holders/link-store.ts';
import type { Roles } from '../../../src/policy/roles.ts';
import { createCardsFor } from '../../../src/policy/roles-for-card.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const ACCOUNTS = 5000;

/** The Redis calls since the last check, by command. */
async function asked(): Promise<Record<string, number>> {
  const stats = await redis().info('commandstats');
  await redis().config('RESETSTAT');
  return Object.fromEntries(
    [...stats.matchAll(/cmdstat_([a-z|]+):calls=(\d+)/g)]
      .filter(([, name]) => !/^(info|config)/.test(name ?? ''))
      .map(([, name, calls]) => [name ?? '', Number(calls)]),
  );
}

const listed = (acctId: number, firstName: string, lastName: string) => ({
  acctId,
  firstName,
  lastName,
  customId: `EMP-${acctId}`,
  isVirtual: false,
  accountStatus: 'OPEN',
  availableCents: 0,
  ledgerCents: 0,
  email: null,
  group: null as string | null,
  last4: String(acctId).padStart(4, '0').slice(-4),
  cardStatus: 'ACTIVE' as const,
});

/** @returns types into the menu of cards, for a person with some roles for some groups. */
async function typing(
  accounts: readonly ReturnType<typeof listed>[],
  rolesOf: Roles['rolesOf'],
  hasCardGroups = false,
) {
  const loader = {
    listAccounts: async () => ({ balanceCents: 0, accounts, unreadable: 0 }),
    getAccount: async () => {
      const refused = { operation: 'getAccount', status: 403, outcome: 'refused', code: 'refused', apiMessage: null };
      throw new CardApiError('not called', refused as ConstructorParameters<typeof CardApiError>[1]);
    },
  };
  const worker = createDirectory({
    redis: redis(),
    loader: loader as never,
    now: () => new Date(),
    apiQuota: { detailsBurst: 0, detailsReserve: 0, detailsPerMinute: 0 },
  });
  await worker.refresh();
  await worker.stop();
  const links = createLinks(redis(), () => new Date());
  const deps = {
    directory: createDirectory({ redis: redis(), loader: null, now: () => new Date() }),
    seals: createSeals('xoxb-test'),
    rights: { rolesOf },
    cardsFor: createCardsFor({ rolesOf, links, groupOf: async ({ group }) => (hasCardGroups ? group : null) }),
    accountsOf: links.accountsOf,
  } as unknown as ListenerDeps;
  return async (value: string) => {
    let options: { text: { text: string }; value: string }[] = [];
    const ack = async (answer: { options: typeof options }) => {
      ({ options } = answer);
    };
    await findCards(deps)({ ack, body: { user: { id: 'U1' }, value } } as never);
    return options;
  };
}

const link = (acctId: number) =>
  createLinks(redis(), () => new Date()).link({
    acctId,
    userId: 'U1',
    provedBy: 'email',
    by: 'U1',
    at: '2026-11-20T00:00:00Z',
  });

describe('someone with rights for one group', () => {
  const others = Array.from({ length: 300 }, (_, index) => listed(index + 1, 'Jo', `Aa${index + 1}`));
  const sales = [listed(901, 'Jo', 'Zane'), listed(902, 'Zoe', 'Zorn')].map((one) => ({ ...one, group: 'Sales' }));
  const ofSales: Roles['rolesOf'] = async (_userId, asked) => ({
    roles: asked?.group === undefined || asked.group === 'Sales' ? ['operator', 'holder'] : ['holder'],
    isComplete: true,
  });
  const names = (options: readonly { text: { text: string } }[]) =>
    options.map(({ text }) => text.text.split(' · ')[0]);

  it('finds its cards behind a hundred cards of other groups with the same beginning', async () => {
    const type = await typing([...others, ...sales], ofSales, true);

    expect(names(await type('jo'))).toEqual(['Jo Zane']);
    expect(names(await type(''))).toEqual(['Jo Zane', 'Zoe Zorn']);
  });

  it('finds no card whose group was not read yet, except the own one', async () => {
    const ofMain: Roles['rolesOf'] = async (_userId, asked) => ({
      roles: asked?.group === 'Sales' ? ['holder'] : ['operator', 'holder'],
      isComplete: true,
    });
    await link(1);
    const read = { ...listed(3, 'Jo', 'Aa3'), group: 'Field' };
    const type = await typing([listed(1, 'Jo', 'Aa1'), listed(2, 'Jo', 'Aa2'), read], ofMain, true);

    expect(names(await type('jo'))).toEqual(['Jo Aa1', 'Jo Aa3']);
    expect(await type('0002')).toEqual([]);
  });

  it('sees the own card first, also before anything is typed', async () => {
    await link(300);
    const type = await typing([...others, ...sales], ofSales, true);

    expect(names(await type(''))).toEqual(['Jo Aa300', 'Jo Zane', 'Zoe Zorn']);
    expect(names(await type('jo'))).toEqual(['Jo Aa300', 'Jo Zane']);
    expect(names(await type('0300'))).toEqual(['Jo Aa300']);
    expect(names(await type('zo'))).toEqual(['Zoe Zorn']);
  });
});

it('a holder sees the own card, and nobody reads the cards of others for it', async () => {
  await link(300);
  const others = Array.from({ length: 300 }, (_, index) => listed(index + 1, 'Jo', `Aa${index + 1}`));
  const type = await typing(others, async () => ({ roles: ['holder'], isComplete: true }));
  await asked();

  const options = [await type(''), await type('jo'), await type('emp-300'), await type('aa299')];

  expect(options.map((found) => found.length)).toEqual([1, 1, 1, 0]);
  expect(await asked()).toEqual({ zrangebylex: 8, hmget: 4 });
});

it('type-ahead over 5,000 accounts needs only a few Redis commands per keystroke and never scans', async () => {
  const firsts = ['Jane', 'John', 'Maria', 'Ahmed', 'Li', 'Olga', 'Peter', 'Zoë', 'Ana', 'Tom'];
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) =>
    listed(index + 1, firsts[index % 10] ?? '', `Name${index + 1}`),
  );
  const type = await typing(accounts, async () => ({ roles: ['operator'], isComplete: true }));
  await asked();

  const times: string[] = [];
  for (const typed of ['', 'j', 'ja', 'jane', 'jane na', '42', '4242', 'EMP-49', 'name4', 'zzyzx']) {
    const start = performance.now();
    const options = await type(typed);
    times.push(`${JSON.stringify(typed)} ${options.length} in ${(performance.now() - start).toFixed(1)} ms`);
    const commands = await asked();
    const total = Object.values(commands).reduce((sum, calls) => sum + calls, 0);

    expect(Object.keys(commands).filter((name) => !['zrangebylex', 'hmget', 'mget', 'get'].includes(name))).toEqual([]);
    expect(total, `${typed}: ${JSON.stringify(commands)}`).toBeLessThanOrEqual(8);
    expect(options.length).toBeLessThanOrEqual(100);
    for (const option of options) {
      expect(option.text.text.length).toBeLessThanOrEqual(75);
      expect(option.value.length).toBeLessThanOrEqual(75);
    }
  }
  expect((await type('jane name4241'))[0]?.text.text).toBe('Jane Name4241 · card 4241 · active');
  process.stdout.write(`type-ahead over ${ACCOUNTS} accounts: ${times.join('; ')}\n`);
});
