import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxAccount } from '../sandbox/server.ts';
import { actionId } from '../src/slack/action-id.ts';
import type { StoredMessage, Workspace } from '../workspace/server.ts';

/** All of them are approvers and operators. Each may make 60 requests at once, then one per second. */
const PEOPLE = 40;
export const people = Array.from({ length: PEOPLE }, (_, index) => `U0P${String(index).padStart(2, '0')}`);
/** Number of people who type at the same time. */
const TOGETHER = 8;
/** Cards that are blocked and unblocked. The other cards' limits change. */
const BLOCKED_CARDS = 4;

interface World {
  readonly workspace: Workspace;
  readonly accounts: readonly SandboxAccount[];
  /** The channel for requests. */
  readonly approvals: string;
}

/** Commands in turn: each changes something that the previous one set. */
const onLimits: readonly ((acctId: number, serial: number) => string)[] = [
  (acctId, serial) => `limit ${acctId} daily ${200 + (serial % 50)}`,
  (acctId, serial) => `limit ${acctId} weekly ${500 + (serial % 70)} for 4h team lunch`,
  (acctId) => `show ${acctId}`,
  (acctId, serial) => `limit ${acctId} monthly ${900 + (serial % 90)}`,
  // Needs two approvals.
  (acctId, serial) => `limit ${acctId} daily ${5000 + (serial % 90)} trade fair`,
  (acctId) => `declines ${acctId} 30d`,
  (acctId) => `mute ${acctId} 2 hours on a trip`,
  (acctId, serial) => `limit ${acctId} yearly ${5500 + (serial % 90)} for 2 days`,
];

/** Simulates people who type and press buttons. */
export function createSoakPeople({ workspace, accounts, approvals }: World) {
  const usable = accounts.filter(({ CardList, IsVirtual }) => !IsVirtual && CardList[0]?.CardStatus === 'ACTIVE');
  const [blocked, limited] = [usable.slice(0, BLOCKED_CARDS), usable.slice(BLOCKED_CARDS)];
  let serial = 0;
  let looked = 0;

  /** @returns how many were acknowledged. */
  return async function act(count: number): Promise<number> {
    let acknowledged = 0;
    let left = count;
    const person = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const { ok } = await next();
        if (ok) acknowledged += 1;
        // Slack does not let anyone type faster.
        await sleep(200);
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, person));
    return acknowledged;
  };

  async function next(): Promise<{ readonly ok: boolean }> {
    serial += 1;
    const user = people[serial % people.length] ?? '';
    const request = serial % 4 === 0 ? openRequest() : undefined;
    // One request in three is left to expire.
    if (request !== undefined && serial % 12 !== 0)
      return await workspace.press({ user, message: request, actionId: actionId.decideRequestApprove });
    return await workspace.command({ user, channel: approvals, command: '/card', text: words() });
  }

  function words(): string {
    if (serial % 3 !== 0) {
      const turn = Math.floor(serial / limited.length);
      return onLimits[turn % onLimits.length]?.(limited[serial % limited.length]?.AcctId ?? 0, serial) ?? 'help';
    }
    const turn = Math.floor(serial / 3);
    const isBlock = Math.floor(turn / blocked.length) % 2 === 0;
    return `${isBlock ? 'block' : 'unblock'} ${blocked[turn % blocked.length]?.AcctId} ${isBlock ? 'lost' : 'found again'}`;
  }

  function openRequest(): StoredMessage | undefined {
    const all = workspace.messages(approvals);
    while (looked < all.length) {
      const message = all[looked];
      looked += 1;
      if (JSON.stringify(message?.blocks ?? []).includes(actionId.decideRequestApprove)) return message;
    }
    return undefined;
  }
}
