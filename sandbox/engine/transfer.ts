import { availableCents, findAccount, takeId, type World } from '../state/world.ts';

/** Records money that the business moved to a card, or got back from it (negative). */
export function recordTransfer(world: World, acctId: number, amountCents: number, description: string): void {
  world.state.transfers.push({
    transactionId: takeId(world, 'transaction'),
    acctId,
    at: world.now().toISOString(),
    amountCents,
    description,
    category: 'CardFunding',
  });
}

/** A closed account keeps no money: the business gets what becomes available, and pays what is captured too late. */
export function returnBalance(world: World, acctId: number): void {
  const account = findAccount(world, acctId);
  if (account?.status !== 'CLOSED') return;
  const cents = availableCents(account);
  if (cents === 0) return;
  account.ledgerCents -= cents;
  world.state.business.ledgerCents += cents;
  recordTransfer(world, acctId, -cents, 'Card account closed');
}
