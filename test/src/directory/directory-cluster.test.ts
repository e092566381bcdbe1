import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisCluster, startCluster } from '../../../local/redis-cluster.ts';
import { type AccountDetails, Business, type ListedAccount } from '../../../src/card-api/schema-account.ts';
import { createDirectory } from '../../../src/directory/directory.ts';

let servers: RedisCluster;
let cluster: Cluster;

beforeAll(async () => {
  servers = await startCluster(1);
  cluster = new Cluster([servers.url]);
});
afterAll(async () => {
  cluster.disconnect();
  await servers.stop();
});

it('works on Redis Cluster: list, fill, find and load', async () => {
  const account = {
    accountStatus: 'OPEN',
    availableCents: 1,
    ledgerCents: 1,
    email: null,
    isVirtual: false,
    customId: null,
    group: null,
  };
  const listed = (acctId: number): ListedAccount => ({
    ...account,
    acctId,
    firstName: 'Jane',
    lastName: `N${acctId}`,
    last4: null,
    cardStatus: null,
  });
  const details = (acctId: number): AccountDetails => ({
    ...account,
    acctId,
    rulesetId: null,
    contactName: null,
    cards: [{ cardId: acctId * 10, last4: `10${acctId}`, status: 'ACTIVE', expiresOn: null }],
  });
  const loader = {
    listAccounts: async () => ({ ...Business.parse({}), accounts: [listed(21), listed(22)] }),
    getAccount: async (acctId: number) => details(acctId),
  };
  const directory = createDirectory({ redis: cluster, loader, now: () => new Date() });

  await directory.refresh();
  await directory.idle();

  expect(await directory.find('1022')).toMatchObject([{ acctId: 22, holder: 'Jane N22' }]);
  expect(await directory.account(23)).toMatchObject({ cards: [{ cardId: 230 }] });
  expect(await directory.search('jane', 10)).toHaveLength(2);
  await directory.stop();
});
