import { claimWaits, confirmOwnCard } from '../../templates/holders/claim-answers.ts';
import { linkResult } from '../../templates/holders/link-result.ts';
import { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { auditRecord } from '../actions/report.ts';
import type { DirectoryAccount } from '../directory/account.ts';
import { whyNoHolder } from './holder-check.ts';
import { setLink } from './set-link.ts';

/** A claim that nobody decides ends by itself. Never a yes by silence. */
const CLAIM_MS = 24 * 3_600_000;
const CLAIMS_A_DAY = 5;
/** Accounts that one claim can mean; more are no claim but a guess. */
const ACCOUNTS_MAX = 5;

/**
 * "I hold this card": proved by the e-mail address that Slack and the card program both have, and a press of the button;
 * else an approver decides.
 *
 * Whoever claims a card that is not theirs, or that does not exist, gets one and the same answer: it tells nothing of
 * whose card it is.
 *
 * @throws SlackError when Slack could not be asked who this is, and asking again can help.
 */
export async function claimCard(action: Action, deps: ActionDeps): Promise<void> {
  const { actor } = action;
  const person = await deps.person(actor.userId);
  const why = whyNoHolder(person);
  if (why !== null) {
    return await refuse(action, { what: 'Your claim', why, whoCan: 'Ask an approver.' }, deps);
  }
  const own = person?.email == null ? [] : await ownAccounts(action, person.email, deps);
  if (action.confirmed) return await confirm(action, own, deps);

  for (const { acctId } of own) {
    if ((await deps.links.ofAccount(acctId))?.userId !== actor.userId) continue;
    const card = deps.toFacts(acctId, await deps.directory.account(acctId));
    await recordUnchanged(action, { acctId }, deps);
    return await deps.answer(action, linkResult({ card, userId: actor.userId, before: null, isSame: true }));
  }
  if (own.length > 0 && own.length <= ACCOUNTS_MAX) return await askToConfirm(action, own, deps);
  await askApprovers(action, deps);
}

/** The accounts with the person's own address that the words can mean, and that nobody else is linked to. */
async function ownAccounts(action: Action, email: string, deps: ActionDeps): Promise<DirectoryAccount[]> {
  const meant = await accountsMeant(action, deps);
  const own: DirectoryAccount[] = [];
  for (const account of await deps.directory.findByEmail(email)) {
    if (!meant.includes(account.acctId) || fold(account.email ?? '') !== fold(email)) continue;
    const link = await deps.links.ofAccount(account.acctId);
    // Somebody else is linked to it already: an approver has to look.
    if (link === null || link.userId === action.actor.userId) own.push(account);
  }
  return own;
}

function fold(email: string): string {
  return email.normalize('NFC').trim().toLowerCase();
}

async function accountsMeant({ target }: Action, { directory }: ActionDeps): Promise<number[]> {
  if (target.kind === 'card') return [target.acctId];
  if (target.kind !== 'words') return [];
  return (await directory.find(target.words.join(' '))).map(({ acctId }) => acctId);
}

async function askToConfirm(action: Action, own: readonly DirectoryAccount[], deps: ActionDeps): Promise<void> {
  const choices = [];
  for (const account of own) {
    const { acctId } = account;
    const target = { kind: 'card', acctId, cardId: null, alertId: null };
    const confirmed = Action.parse({ ...action, verb: 'claim', subject: null, confirmed: true, target });
    const value = await deps.pending.put({ kind: 'choice', action: confirmed, questionId: null });
    choices.push({ value, card: deps.toFacts(acctId, account) });
  }
  await deps.answer(action, confirmOwnCard(choices));
}

/** The button was pressed; by now the address may have changed, or somebody else been linked. */
async function confirm(action: Action, own: readonly DirectoryAccount[], deps: ActionDeps): Promise<void> {
  const { userId } = action.actor;
  const [account] = own;
  if (account === undefined) return await askApprovers(action, deps);
  const { acctId } = account;
  await deps.withLock(`account:${acctId}`, async () => {
    const link = { acctId, userId, provedBy: 'email', by: userId, at: deps.now().toISOString() } as const;
    await setLink(action, null, link, deps);
    const card = deps.toFacts(acctId, account);
    await deps.answer(action, linkResult({ card, userId, before: null, isSame: false }));
  });
}

async function askApprovers(action: Action, deps: ActionDeps): Promise<void> {
  const { userId } = action.actor;
  if ((await deps.claims.count(userId, action.id)) > CLAIMS_A_DAY) {
    const why = `You have asked ${CLAIMS_A_DAY} times today.`;
    return await refuse(action, { what: 'Your claim', why, whoCan: 'Ask an approver to link you.' }, deps);
  }
  const id = `clm_${action.id.slice(4)}`;
  if ((await deps.claims.get(id)) === null) {
    const acctIds = (await accountsMeant(action, deps)).slice(0, ACCOUNTS_MAX);
    const expiresAt = new Date(deps.now().getTime() + CLAIM_MS).toISOString();
    await deps.audit.append(auditRecord(action, 'waiting', { acctId: null, cardId: null, detail: id }, deps));
    const undecided = { state: 'open', acctId: null, decidedBy: null, decidedAt: null, decision: null } as const;
    await deps.claims.save({ id, action, acctIds, ...undecided, expiresAt, ref: null });
  }
  const claim = await deps.claims.get(id);
  if (claim === null) return;
  await deps.scheduleClaimEnd(id, Date.parse(claim.expiresAt));
  await deps.postClaim(claim);
  await deps.answer(action, claimWaits());
}
