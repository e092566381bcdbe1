import { claimWaits, confirmOwnCard } from '../../templates/holders/claim-answers.ts';
import { claimRequest } from '../../templates/holders/claim-request.ts';
import { linkResult } from '../../templates/holders/link-result.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { type DirectoryAccount, toCardFacts } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import type { Person } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import { type Claim, type Claims, decisionOf } from './claim-store.ts';
import { type SetLink, whyNoHolder } from './link-card.ts';
import type { Links } from './link-store.ts';
import { isSameEmail } from './own-card.ts';
import type { ClaimAction } from './verbs.ts';

/** A claim that nobody decides expires. Silence never confirms it. */
const CLAIM_MS = 24 * 3_600_000;
const CLAIMS_A_DAY = 5;
/** How many accounts a claim may match; with more it is a guess. */
const ACCOUNTS_MAX = 5;

interface Deps extends Pick<ActionTools, 'refuse' | 'answer'> {
  /** What Slack knows of somebody; null: nothing. */
  readonly person: (userId: string) => Promise<Person | null>;
  readonly directory: Pick<Directory, 'find' | 'findByEmail'>;
  readonly links: Pick<Links, 'ofAccount'>;
  readonly setLink: SetLink;
  /** @returns the value of a button that stands for the action. */
  readonly offer: (action: Action) => Promise<string>;
  /** Leaves it to the approvers. */
  readonly openClaim: (action: ClaimAction, acctIds: readonly number[]) => Promise<void>;
}

/**
 * "I hold this card": proved by an e-mail address that Slack and the card program agree on, and a press of the button;
 * otherwise an approver decides.
 *
 * Whoever claims a card of somebody else, or one that does not exist, gets the same answer, so that it does not give away
 * whose card it is.
 *
 * @throws SlackError when Slack could not be asked who this is, and asking again can help.
 */
export function createClaimCard(deps: Deps): (action: ClaimAction) => Promise<void> {
  return async function claimCard(action) {
    const { userId } = action.actor;
    const person = await deps.person(userId);
    const why = whyNoHolder(person);
    if (why !== null) return await deps.refuse(action, { what: 'Your claim', why, whoCan: 'Ask an approver.' });
    const meant = await accountsMeant(action);
    const own = person?.email == null ? [] : await ownAccounts(meant, userId, person.email);
    const linked = own.find(({ isLinked }) => isLinked)?.account;
    // Since the button was offered the address may have changed, or somebody else may have been linked.
    const proved = action.confirmed ? own[0]?.account : linked;
    if (proved !== undefined) {
      const link = { acctId: proved.acctId, cardId: null, userId, provedBy: 'email' } as const;
      return await deps.answer(action, linkResult({ ...(await deps.setLink(action, link)), userId }));
    }
    if (own.length === 0 || own.length > ACCOUNTS_MAX) {
      return await deps.openClaim(action, meant.slice(0, ACCOUNTS_MAX));
    }
    await askToConfirm(
      action,
      own.map(({ account }) => account),
    );
  };

  async function accountsMeant({ target }: Action): Promise<number[]> {
    if (target.kind === 'card') return [target.acctId];
    if (target.kind !== 'words') return [];
    return (await deps.directory.find(target.words.join(' '))).map(({ acctId }) => acctId);
  }

  /** Of the accounts that are meant, those with the person's own address that nobody else is linked to. */
  async function ownAccounts(
    meant: readonly number[],
    userId: string,
    email: string,
  ): Promise<{ account: DirectoryAccount; isLinked: boolean }[]> {
    const own = [];
    for (const account of await deps.directory.findByEmail(email)) {
      if (!meant.includes(account.acctId) || !isSameEmail(account.email, email)) continue;
      const link = await deps.links.ofAccount(account.acctId);
      // Where somebody else is linked already, an approver has to decide.
      if (link === null || link.userId === userId) own.push({ account, isLinked: link !== null });
    }
    return own;
  }

  async function askToConfirm(action: ClaimAction, own: readonly DirectoryAccount[]): Promise<void> {
    const choices = [];
    for (const account of own) {
      const { acctId } = account;
      const target = { kind: 'card', acctId, cardId: null, alertId: null } as const;
      const confirmed: ClaimAction = { ...action, confirmed: true, target };
      choices.push({ value: await deps.offer(confirmed), card: toCardFacts(acctId, account) });
    }
    await deps.answer(action, confirmOwnCard(choices));
  }
}

interface OpenClaimDeps extends Pick<ActionTools, 'record' | 'refuse' | 'answer' | 'now'> {
  readonly claims: Pick<Claims, 'get' | 'save' | 'count'>;
  /** Posts a claim into the channel for requests, to be confirmed or refused there. */
  readonly postClaim: (claim: Claim) => Promise<void>;
  /** Ends a claim that nobody decided. */
  readonly scheduleClaimEnd: (claimId: string, atMs: number) => Promise<void>;
}

/** A claim that an approver has to decide. Safe to repeat. */
export function createOpenClaim(
  deps: OpenClaimDeps,
): (action: ClaimAction, acctIds: readonly number[]) => Promise<void> {
  return async function openClaim(action, acctIds) {
    if ((await deps.claims.count(action.actor.userId, action.id)) > CLAIMS_A_DAY) {
      const why = `You have asked ${CLAIMS_A_DAY} times today.`;
      return await deps.refuse(action, { what: 'Your claim', why, whoCan: 'Ask an approver to link you.' });
    }
    const id = `clm_${action.id.slice(4)}`;
    const claim = (await deps.claims.get(id)) ?? (await open(id, action, acctIds));
    await deps.scheduleClaimEnd(id, Date.parse(claim.expiresAt));
    await deps.postClaim(claim);
    await deps.answer(action, claimWaits());
  };

  async function open(id: string, action: ClaimAction, acctIds: readonly number[]): Promise<Claim> {
    const expiresAt = new Date(deps.now().getTime() + CLAIM_MS).toISOString();
    const claim: Claim = { id, action, acctIds: [...acctIds], state: 'open', expiresAt };
    await deps.record(action, { event: 'waiting', acctId: null, detail: id });
    await deps.claims.save(claim);
    return claim;
  }
}

/** The message of a claim, as it stands now. @param factsOf what is known of an account's card. */
export async function claimMessage(claim: Claim, factsOf: (acctId: number) => Promise<CardFacts>): Promise<Message> {
  const { target, actor, askedAt } = claim.action;
  const decision = decisionOf(claim);
  return claimRequest({
    value: claim.id,
    claimedBy: actor.userId,
    claimedAt: askedAt,
    query: target.kind === 'words' ? target.words.join(' ') : 'of a message',
    cards: await Promise.all(claim.acctIds.map(factsOf)),
    state: claim.state,
    confirmed: claim.state === 'confirmed' ? await factsOf(claim.acctId) : null,
    decidedBy: decision?.by ?? null,
    until: decision?.at ?? claim.expiresAt,
  });
}
