import type { DirectoryAccount } from '../../src/directory/account.ts';
import type { Directory } from '../../src/directory/directory.ts';

/** An account whose details were read, and of which nothing else is known. */
export function accountOf(over: Partial<DirectoryAccount> = {}): DirectoryAccount {
  return {
    acctId: 7378,
    firstName: null,
    lastName: null,
    namesAt: null,
    customId: null,
    isVirtual: null,
    group: null,
    rulesetId: null,
    accountStatus: null,
    availableCents: null,
    email: null,
    cards: [],
    detailsAt: '2026-11-20T15:00:00.000Z',
    ...over,
  };
}

/** A directory that has read every account and found nothing, except what a test says. */
export function directoryOf(over: Partial<Directory> = {}): Directory {
  const status = { accounts: 2, lackingDetails: 0, listedAt: '2026-11-20T15:00:00.000Z' };
  const none = async () => [];
  const account: Directory['account'] = over.account ?? (async (acctId) => accountOf({ acctId }));
  return {
    account,
    current: account,
    reload: async () => null,
    status: async () => status,
    async *all() {},
    reloadOlderThan: async () => true,
    refresh: async () => {},
    untilListed: async () => {},
    learn: async () => {},
    waitingForActivation: none,
    allWaitingForActivation: none,
    find: none,
    findKnown: none,
    search: none,
    searchAmong: none,
    findByEmail: none,
    waitForQuota: async () => {},
    idle: async () => {},
    stop: async () => {},
    ...over,
  };
}
