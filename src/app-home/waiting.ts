import type { OpenMute, OpenRaise, WaitingRequest } from '../../templates/app-home/home-waiting.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Mutes } from '../routing/mute-store.ts';

/** Requests that nobody has decided yet. @param mayDecide whether the reader approves at all. */
export async function waitingRequests(
  userId: string,
  mayDecide: boolean,
  requests: Pick<Requests, 'open'>,
): Promise<WaitingRequest[]> {
  return (await requests.open()).map(({ id, action, card, holder, changes, approvals, needed }) => ({
    value: id,
    askedBy: action.actor.userId,
    askedAt: action.askedAt,
    card,
    changes,
    reason: action.reason,
    approvals: approvals.length,
    needed,
    mayDecide: mayDecide && ![action.actor.userId, holder, ...approvals.map(({ by }) => by)].includes(userId),
  }));
}

/** Temporary changes, soonest end first. */
export async function openRaises(
  temporaryChanges: Pick<TemporaryChanges, 'all'>,
  factsOf: (acctId: number) => Promise<CardFacts>,
  now: Date,
): Promise<OpenRaise[]> {
  return await Promise.all(
    (await temporaryChanges.all()).map(async ({ id, acctId, changes, by, endsAt, state }) => ({
      value: id,
      card: await factsOf(acctId),
      changes,
      by: by.userId,
      endsAt,
      leftMs: state === 'open' ? Math.max(1, Date.parse(endsAt) - now.getTime()) : 0,
    })),
  );
}

/** Mutes and travel notices, soonest end first. */
export async function openMutes(mutes: Pick<Mutes, 'active'>): Promise<OpenMute[]> {
  return (await mutes.active()).map(({ card, kind, by, reason, endsAt }) => ({
    card,
    isTravel: kind === 'travel',
    by,
    reason,
    endsAt,
  }));
}
