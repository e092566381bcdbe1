import { expect, it } from 'vitest';
import type { ListenerDeps } from '../../../handlers/deps.ts';
import { findCards } from '../../../handlers/directory/find-cards.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { createSeals } from '../../../src/core/seal.ts';
import { createDirectory } from '../../../src/directory/directory.ts';
import { createLinks } from '../../../src/holders/link-store.ts';
import { createCardsFor } from '../../../src/policy/permissions.ts';
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

it('type-ahead over 5,000 accounts needs only a few Redis commands per keystroke and never scans', async () => {
  const firsts = ['Jane', 'John', 'Maria', 'Ahmed', 'Li', 'Olga', 'Peter', 'Zoë', 'Ana', 'Tom'];
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    acctId: index + 1,
    firstName: firsts[index % 10] ?? '',
    lastName: `Name${index + 1}`,
    customId: `EMP-${index + 1}`,
    isVirtual: false,
    accountStatus: 'OPEN',
    availableCents: 0,
    ledgerCents: 0,
    email: null,
    group: null,
    last4: String(index + 1)
      .padStart(4, '0')
      .slice(-4),
    cardStatus: 'ACTIVE' as const,
  }));
  const loader = {
    listAccounts: async () => ({ businessAccountId: 1, businessName: 'B', balanceCents: 0, accounts }),
    getAccount: async () => {
      const refused = { operation: 'getAccount', status: 403, outcome: 'refused', code: 'refused', apiMessage: null };
      throw new CardApiError('not called', refused as ConstructorParameters<typeof CardApiError>[1]);
    },
  };
  const worker = createDirectory({
    redis: redis(),
    loader: loader as never,
    apiQuota: { detailsBurst: 0, detailsReserve: 0, detailsPerMinute: 0 },
  });
  await worker.refresh();
  await worker.stop();

  const directory = createDirectory({ redis: redis(), loader: null });
  const deps = {
    directory,
    seals: createSeals('xoxb-test'),
    cardsFor: createCardsFor({
      rolesOf: async () => ({ roles: ['operator'], isComplete: true }),
      links: createLinks(redis()),
    }),
  } as unknown as ListenerDeps;
  const type = async (value: string) => {
    let options: { text: { text: string }; value: string }[] = [];
    const ack = async (answer: { options: typeof options }) => {
      ({ options } = answer);
    };
    await findCards(deps)({ ack, body: { user: { id: 'U1' }, value } } as never);
    return options;
  };
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
