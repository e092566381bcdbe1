import { AskAction } from '../../src/approvals/verbs.ts';
import { slashCommand } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import { parseCommand } from '../../src/dispatch/command.ts';
import { entryOf, isVerb, type Verb } from '../../src/dispatch/verbs.ts';
import { lastsMs, termWords } from '../../src/limits/term.ts';
import { LimitAction } from '../../src/limits/verbs.ts';
import { type ApprovalPolicy, type ExceededCap, exceededCap } from '../../src/policy/approval-policy.ts';
import {
  type Decision,
  decide,
  type Facts,
  groupAsked,
  type Permission,
  type Role,
} from '../../src/policy/decide-action.ts';
import type { RecordedDecision } from '../../src/policy/decision-store.ts';
import { delegationsAt, type Policy, permittedTo, sectionOf, standsInFor } from '../../src/policy/policy.ts';
import { splitMuteDetails } from '../../src/routing/mute.ts';
import { muteEndOf } from '../../src/routing/mute-end.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { overCap } from '../../templates/limits/counted-words.ts';

/** The assumptions of a policy question. Nothing is looked up. */
export interface Assumed {
  /** The card's group, as the card service names it; null: none. */
  readonly group: string | null;
  /** The current limit, in whole cents; null: unknown. */
  readonly nowCents: number | null;
  /** The amount on an ordered virtual card, in whole cents; null: not given. */
  readonly fundCents: number | null;
  /** The person holds the card. */
  readonly isOwnCard: boolean;
  /** The person's user groups. */
  readonly memberOf: readonly string[];
  readonly at: Date;
}

type Explained =
  | { readonly kind: 'explained'; readonly lines: readonly string[] }
  | { readonly kind: 'unclear'; readonly why: string };

/**
 * What would happen, and who else could approve.
 *
 * @param words `U01ANA limit 1234 daily 900`: a person, and what they would type after `/card`.
 */
export function explainPolicy(policy: Policy, words: string, assumed: Assumed): Explained {
  const [who = '', ...typed] = words.trim().split(/\s+/);
  const userId = /^<?@?([UW][A-Z0-9]+)>?$/.exec(who)?.[1];
  if (userId === undefined) return { kind: 'unclear', why: `“${who}” is no Slack user id such as U01ANA.` };
  const command = parseCommand(typed.join(' '), { now: assumed.at, zone: policy.zone });
  if (command.kind !== 'read' || !isVerb(command.verb)) {
    return {
      kind: 'unclear',
      why: command.kind === 'unclear' ? command.why : `What would they type behind ${slashCommand()}?`,
    };
  }
  const { verb } = command;
  const { isOwnCard } = assumed;
  const group = entryOf(verb).permission.ofAllCards === true ? null : assumed.group;
  const section = sectionOf(policy, group);
  const roles = rolesIn(policy, userId, { ...assumed, group });
  const claim = claimOf(verb, userId, command.input, assumed);
  const change = claim ?? factsFor(verb, policy, command.input, assumed);
  if ('why' in change) return { kind: 'unclear', why: change.why };
  const { permission } = entryOf(change.judgedAs ?? verb);
  const cap = exceededAlone(section.approval, change.facts.raiseCents);
  const facts = { roles, isOwnCard, ...change.facts, isOverCap: cap !== null };
  const decision =
    claim === null
      ? decide(permission, facts, boundsFor(verb, section.approval))
      : ({ kind: 'request', others: 1 } as const);
  const isApproval = claim === null && !isOwnCard && permission.needsOthers !== 'always';
  const others = (role: Role) => othersWith(role, userId, policy, { ...assumed, group }, isApproval);
  return {
    kind: 'explained',
    lines: [
      `Policy: ${policy.source}, SHA-256 ${policy.hash}`,
      groupWords(section.cardGroups, group),
      `${userId} is: ${roles.length === 0 ? 'neither operator nor approver' : roles.join(', ')}`,
      ...change.lines,
      ...capWords(section.approval, change.facts, cap),
      ...outcomeWords(decision, others),
    ],
  };
}

function groupWords(cardGroups: readonly string[], given: string | null): string {
  if (cardGroups.length > 0) return `Card: in ${cardGroups.join(', ')}`;
  return given === null ? 'Card: in no group of its own' : `Card: in ${given}, which the policy does not name`;
}

/** The cap that a change exceeds by itself; null: none. */
function exceededAlone(approval: ApprovalPolicy, cents = 0): ExceededCap | null {
  const none = { dayCents: 0, monthCents: 0 };
  return exceededCap(approval, { person: none, card: none, program: none }, cents);
}

/** Whether a policy has caps. */
export function hasCaps({ caps }: Pick<ApprovalPolicy, 'caps'>): boolean {
  return Object.values(caps).some(({ dayCents, monthCents }) => dayCents !== null || monthCents !== null);
}

function capWords(approval: ApprovalPolicy, { raiseCents = 0 }: Change['facts'], cap: ExceededCap | null): string[] {
  if (raiseCents === 0 || !Number.isFinite(raiseCents) || !hasCaps(approval)) return [];
  const exceeds = cap === null ? 'not exceeded by this change alone' : overCap(cap);
  return [`Caps: ${exceeds}; earlier changes are not known`];
}

/** The person's roles from the file and the assumed user groups. */
function rolesIn(policy: Policy, userId: string, { group, memberOf, isOwnCard, at }: Assumed): Role[] {
  const ids = [userId, ...memberOf, ...standsInFor(policy, userId, at)];
  const held = (['approver', 'operator'] as const).filter((role) =>
    permittedTo(policy, role, group).some((id) => ids.includes(id)),
  );
  return isOwnCard ? [...held, 'holder'] : held;
}

interface Others {
  readonly named: readonly string[];
  readonly all: readonly string[];
}

/**
 * Who else has a role, including delegates on that day. Approvers may do everything that operators may. Whoever is a delegate
 * only of the person who asks never decides what that person asked for.
 *
 * @param isApproval the person who asks counts as an approver. A delegate counts as the person they act for, who is then no
 * other one.
 * @returns `named`: without delegates, who count together with whom they act for.
 */
function othersWith(
  role: Role,
  userId: string,
  policy: Policy,
  { group, memberOf, at }: Pick<Assumed, 'group' | 'memberOf' | 'at'>,
  isApproval: boolean,
): Others {
  if (role === 'holder') return { named: [], all: ['the card’s holder'] };
  const approvers = permittedTo(policy, 'approver', group);
  const named = role === 'operator' ? [...permittedTo(policy, role, group), ...approvers] : approvers;
  const isApprover = [userId, ...memberOf].some((id) => approvers.includes(id));
  const actsFor = isApprover ? [] : standsInFor(policy, userId, at).filter((id) => approvers.includes(id));
  const counted = isApproval && actsFor.length === 1 ? actsFor : [];
  const isOther = (id: string) => id !== userId && !counted.includes(id);
  const others = named.filter(isOther);
  const delegates = delegationsAt(policy, at).flatMap(({ for: whom, to }) => (others.includes(whom) ? [to] : []));
  return { named: [...new Set(others)], all: [...new Set([...others, ...delegates])].filter(isOther) };
}

/** A verb's input besides a card, as facts and in words. */
interface Change {
  readonly facts: Pick<Facts, 'raiseCents' | 'lastsMs'>;
  readonly lines: readonly string[];
  /** The verb whose permission it needs, if it is not its own. */
  readonly judgedAs?: Verb;
}

function factsFor(
  verb: Verb,
  policy: Policy,
  input: Readonly<Record<string, unknown>>,
  assumed: Assumed,
): Change | { readonly why: string } {
  if (verb === 'order-virtual') return orderIn(assumed);
  if (verb === 'ask') return askIn(policy, input, assumed);
  return verb === 'mute' || verb === 'travel' ? muteIn(verb, policy, input, assumed) : changeIn(policy, input, assumed);
}

/** What only somebody else may decide: who holds the person's own card. Null: it is no claim. */
function claimOf(
  verb: Verb,
  userId: string,
  { subject }: Readonly<Record<string, unknown>>,
  { isOwnCard }: Assumed,
): Change | null {
  if (verb === 'unlink' && isOwnCard) return { facts: {}, lines: ['Claim: the person no longer holds the card'] };
  if (verb !== 'claim' && (verb !== 'link' || subject !== userId)) return null;
  return {
    facts: {},
    lines: ['Claim: the person holds the card. If it has their email address, they confirm it themselves'],
  };
}

function muteIn(
  verb: 'mute' | 'travel',
  { zone }: Policy,
  input: Readonly<Record<string, unknown>>,
  { at }: Assumed,
): ReturnType<typeof factsFor> {
  const { judgedAs, countries, rest } = splitMuteDetails({ verb, details: String(input['details']) });
  const end = muteEndOf(rest, { now: at, zone }, verb === 'travel' ? countries.split(',') : null);
  if ('why' in end) return end;
  return {
    judgedAs,
    facts: { lastsMs: end.endsAt.getTime() - at.getTime() },
    lines: [`Mute: until ${end.endsAt.toISOString()}`],
  };
}

/** The amount of a virtual card order. */
function orderIn({ fundCents }: Assumed): Change {
  const given = fundCents === null ? '; --fund says how much' : '';
  const cents = fundCents ?? 0;
  return { facts: { raiseCents: cents }, lines: [`Order: ${formatCents(cents)} on a new virtual card${given}`] };
}

/** What a holder asks to pay: no limit has to rise by more than that. */
function askIn({ zone }: Policy, input: Readonly<Record<string, unknown>>, { at }: Assumed): Change {
  const { amountCents, term } = AskAction.shape.ask.parse(input['ask']);
  return {
    facts: { raiseCents: amountCents, lastsMs: lastsMs(term, at, zone) },
    lines: [`Change: raises a limit by at most ${formatCents(amountCents)}, ${termWords(term)}`],
  };
}

/** The size and duration of a limit change. */
function changeIn(policy: Policy, input: Readonly<Record<string, unknown>>, { nowCents, at }: Assumed): Change {
  const read = LimitAction.shape.changeRequest.safeParse(input['changeRequest']);
  const to = read.success ? read.data.goals[0]?.to : undefined;
  if (!read.success || typeof to === 'boolean') return { facts: {}, lines: [] };
  const { term } = read.data;
  const more = typeof to === 'number' ? to - (nowCents ?? 0) : Number.POSITIVE_INFINITY;
  const from = nowCents === null ? ', counted from $0.00 because --now is not given' : '';
  return {
    facts: { raiseCents: Math.max(0, more), lastsMs: lastsMs(term, at, policy.zone) },
    lines: [`Change: ${changeWords(more)}${from}, ${termWords(term)}`],
  };
}

/** @param more how much higher a limit becomes, in whole cents; Infinity: no limit. */
function changeWords(more: number): string {
  if (!Number.isFinite(more)) return 'removes the limit';
  if (more === 0) return 'leaves it as it is';
  return more > 0 ? `raises it by ${formatCents(more)}` : `lowers it by ${formatCents(-more)}`;
}

function outcomeWords(decision: Decision, others: (role: Role) => Others): string[] {
  const names = (role: Role) => others(role).all.join(', ') || 'nobody';
  switch (decision.kind) {
    case 'allowed':
      return ['Result: done at once'];
    case 'request':
      return [
        `Result: waits for ${countOf(decision.others, 'other approver')}, from: ${names('approver')}`,
        ...tooFewWords(decision.others, others('approver').named),
      ];
    case 'refused':
      return [
        `Result: refused. ${decision.why}`,
        ...(decision.who === null ? [] : [`Who may: ${names(decision.who)}`]),
      ];
    case 'late':
      return ['Result: asked again, because it waited too long'];
  }
}

function tooFewWords(needed: number, named: readonly string[]): string[] {
  // A user group may have enough members.
  if (named.length >= needed || named.some((id) => id.startsWith('S'))) return [];
  const there =
    named.length === 0
      ? 'no other approver is'
      : `only ${countOf(named.length, 'other approver')} ${named.length === 1 ? 'is' : 'are'}`;
  return [`Nobody can get it approved: ${there} named`];
}

/** A recorded decision that would change. */
interface Difference {
  readonly at: string;
  readonly actionId: string;
  readonly userId: string;
  readonly verb: string;
  readonly acctId: number | null;
  readonly was: string;
  readonly would: string;
}

/**
 * Which recorded decisions would change under a policy.
 *
 * Past user group memberships and the delegates that approvers named are unknown: where the policy names user groups, and for
 * people who may be named, the recorded roles are kept. Sums of earlier changes are unknown, too: a cap is exceeded by what
 * exceeds it alone, and where one was exceeded if the policy has caps.
 *
 * @returns `skipped`: how many refusals of people without a role that the policy grants them are left out. Their account may
 * have been deactivated, or that of the person they acted for, or they acted for somebody who may not do it.
 */
export function replayDecisions(
  policy: Policy,
  decisions: readonly (RecordedDecision & { readonly atMs: number })[],
): { readonly differences: readonly Difference[]; readonly skipped: number } {
  // For an action that was decided several times, the last decision counts.
  const last = new Map(decisions.map((then) => [`${then.actionId} ${then.verb}`, then]));
  let skipped = 0;
  const differences = [...last.values()].flatMap((then): Difference[] => {
    if (!isVerb(then.verb) || then.kind === 'late') return [];
    const { permission } = entryOf(then.verb);
    const { approval } = sectionOf(policy, then.group);
    const facts = factsOf(policy, permission, then);
    const decision = decide(permission, facts, boundsFor(then.verb, approval));
    const [was, would] = [shortWords(then), shortWords({ others: 0, ...decision })];
    if (was === would) return [];
    if (then.kind === 'refused' && facts.roles.some((role) => !then.roles.includes(role))) {
      skipped += 1;
      return [];
    }
    const { actionId, userId, verb, acctId } = then;
    return [{ at: new Date(then.atMs).toISOString(), actionId, userId, verb, acctId, was, would }];
  });
  return { differences, skipped };
}

/** Orders have their own amounts and no duration. */
function boundsFor(verb: string, approval: ApprovalPolicy): Pick<ApprovalPolicy, 'bands'> & Partial<ApprovalPolicy> {
  return verb === 'order-virtual' ? { bands: approval.orderBands } : approval;
}

function factsOf(policy: Policy, permission: Permission, then: RecordedDecision & { readonly atMs: number }): Facts {
  const { userId, group, lastsMs, isOwnCard, isHolder, isOwnAction, ageMs } = then;
  const { approval } = sectionOf(policy, group);
  const raiseCents = then.raiseCents === 'no amount' ? Number.POSITIVE_INFINITY : (then.raiseCents ?? undefined);
  const ids = [userId, ...standsInFor(policy, userId, new Date(then.atMs))];
  const roles = (['approver', 'operator', 'holder'] as const).filter((role) => {
    if (role === 'holder') return then.roles.includes(role);
    // For decisions made before the card was known.
    const permitted = permittedTo(policy, role, then.acctId === null ? groupAsked(permission) : group);
    const isUnknown = policy.ownDelegates.includes(userId) || permitted.some((id) => id.startsWith('S'));
    return (isUnknown && then.roles.includes(role)) || permitted.some((id) => ids.includes(id));
  });
  return {
    roles,
    isOverCap: exceededAlone(approval, then.ownCents) !== null || (then.isOverCap && hasCaps(approval)),
    ...(isOwnCard !== null && { isOwnCard }),
    ...(isHolder !== null && { isHolder }),
    ...(isOwnAction !== null && { isOwnAction }),
    ...(ageMs !== null && { ageMs }),
    ...(raiseCents !== undefined && { raiseCents }),
    ...(lastsMs !== null && { lastsMs: lastsMs === 'stays' ? Number.POSITIVE_INFINITY : lastsMs }),
  };
}

function shortWords({ kind, others }: { readonly kind: Decision['kind']; readonly others: number }): string {
  return kind === 'request' ? `needs ${others} more` : kind;
}
