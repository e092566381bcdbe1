/**
 * A simple external model of what people may loosen. Compares the card service and Cardbell's scheduled changes before and
 * after each job. Shares no code with `src/policy`.
 */

/** Limits in cents. Rules without an amount are 0 or Infinity. */
export interface Account {
  readonly status: string;
  /** The value of a rule now, and after all temporary changes have ended. */
  readonly rules: Record<string, { readonly now: number; readonly lasting: number }>;
  readonly holder: string | null;
}

export interface Facts {
  readonly accounts: Readonly<Record<number, Account>>;
  readonly temporary: readonly {
    readonly acctId: number;
    readonly sets: Readonly<Record<string, number>>;
    readonly endsAt: number;
  }[];
  readonly mutes: readonly {
    readonly id: string;
    readonly acctId: number;
    readonly kind: string;
    readonly endsAt: number;
  }[];
  /** Funded on new virtual cards so far. */
  readonly orderedCents: number;
}

/** A person's approval: the values they want, and the values they saw. */
export interface GivenApproval {
  readonly by: string;
  readonly acctId: number;
  readonly wants: Readonly<Record<string, number>>;
  readonly lastsMs: number;
  /** The lower of each rule's value then and the value to be restored. */
  readonly saw: Readonly<Record<string, number>>;
}

/** A job of a worker: a person's action, or the end of a temporary change. */
export interface Job {
  readonly id: string;
  /** `end` for an automatic end, `outside` for the admin portal. */
  readonly verb: string;
  readonly by: string | null;
  readonly askedAt: number;
  /** For a decision, the origin of its request. */
  readonly request?: { readonly by: string; readonly askedAt: number };
  /** The approvals for this job. */
  readonly approvalsGiven: readonly GivenApproval[];
  /** The purchase with which the change ends, if any. */
  readonly purchaseCents: number | null;
}

interface Cap {
  readonly dayCents: number | null;
  readonly monthCents: number | null;
}

interface Policy {
  readonly bands: readonly { readonly upToCents: number | null; readonly approvals: number }[];
  readonly caps: Readonly<Record<'person' | 'card' | 'program', Cap>>;
  readonly durations: { readonly longestMs: number | null; readonly mayStay: boolean };
}

/** Current facts about people and the policy. */
export interface Standing {
  readonly now: number;
  readonly policy: Policy;
  isApprover(userId: string): boolean;
  isOperator(userId: string): boolean;
  /** Whether the email address matches. Links are in the facts. */
  hasAddressOf(userId: string, acctId: number): boolean;
}

interface Loosening {
  readonly job: string;
  /** The only approver, or null for several. */
  readonly by: string | null;
  readonly acctId: number | null;
  readonly rule: string;
  /** The immediate raise, and the raise of the value to be restored. */
  readonly now: number;
  readonly lasting: number;
  readonly at: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const done: Loosening[] = [];
  const ended: { readonly userId: string; readonly acctId: number; readonly at: number }[] = [];
  const overrides: { readonly acctId: number; readonly at: number; readonly job: string }[] = [];
  const blockedBy = new Map<number, { readonly by: string | null; readonly at: number }>();
  /** How often each kind of loosening happened. A run without any proves nothing. */
  const seen: Record<string, number> = {};
  const count = (kind: string): void => {
    seen[kind] = (seen[kind] ?? 0) + 1;
  };

  return { judge, seen };

  /** One sentence about what a job did wrong, or null. */
  function judge(job: Job, before: Facts, after: Facts, standing: Standing): string | null {
    const faults: (string | null)[] = [];
    for (const [id, account] of Object.entries(after.accounts)) {
      const acctId = Number(id);
      const was = before.accounts[acctId];
      if (was === undefined) continue;
      faults.push(judgeStatus(job, acctId, was, account, before, standing));
      faults.push(judgeRules(job, acctId, { before, after }, standing));
      faults.push(judgeLink(job, acctId, was, account, standing));
    }
    faults.push(judgeOrder(job, after.orderedCents - before.orderedCents, standing));
    faults.push(judgeMutes(job, before, after, standing));
    return faults.find((fault) => fault !== null) ?? null;
  }

  function isOwn(userId: string, acctId: number, facts: Facts, { now, hasAddressOf }: Standing): boolean {
    if (facts.accounts[acctId]?.holder === userId || hasAddressOf(userId, acctId)) return true;
    return ended.some((link) => link.userId === userId && link.acctId === acctId && link.at > now - DAY);
  }

  function judgeRules(
    job: Job,
    acctId: number,
    { before, after }: { readonly before: Facts; readonly after: Facts },
    standing: Standing,
  ): string | null {
    if (job.verb === 'outside') return null;
    const raised: Loosening[] = [];
    let supporters: string[] | null = null;
    for (const [rule, is] of Object.entries(after.accounts[acctId]?.rules ?? {})) {
      const was = before.accounts[acctId]?.rules[rule] ?? is;
      const isDecision = job.verb === 'decide' || job.verb === 'emergency-override';
      if (isDecision && is.now < was.now) return `approving lowered ${rule} of ${acctId}`;
      const [now, lasting] = [up(was.now, is.now), up(was.lasting, is.lasting)];
      if (now === 0 && lasting === 0) continue;
      const words = `${rule} of ${acctId} rose from ${was.now} to ${is.now}, for good from ${was.lasting} to ${is.lasting}`;
      // After the end of a temporary change, a longer one still applies, or else the earlier value.
      const running = before.temporary.filter((one) => one.acctId === acctId && one.endsAt > standing.now);
      const wasAllowed = Math.max(was.lasting, ...running.map(({ sets }) => sets[rule] ?? 0));
      if (job.by === null) {
        if (lasting > 0 || is.now > wasAllowed) return `${words}, though nobody asked for it`;
        count('restored by itself');
        continue;
      }
      if (standing.now - job.askedAt > 10 * MINUTE) return `${words}, by a click of more than 10 minutes ago`;
      const mayDecide = standing.isApprover(job.by) && !isOwn(job.by, acctId, before, standing);
      const isEnd = job.verb === 'revert' || job.verb === 'complete-temporary-change';
      if (isEnd && lasting === 0 && is.now <= wasAllowed) {
        if (!mayDecide) return `${words}, taken back by somebody who may not`;
        count('taken back');
        continue;
      }
      const wanting = job.approvalsGiven.filter(
        (yes) => yes.acctId === acctId && (yes.wants[rule] ?? 0) >= is.now && (yes.saw[rule] ?? 0) <= least(was),
      );
      const lasts = job.approvalsGiven.at(-1)?.lastsMs ?? Number.POSITIVE_INFINITY;
      const who = isEnd ? [job.by] : wanting.filter(({ lastsMs }) => lastsMs >= lasts).map(({ by }) => by);
      const counted = [...new Set(who)].filter(
        (userId) => standing.isApprover(userId) && !isOwn(userId, acctId, before, standing),
      );
      supporters = supporters === null ? counted : supporters.filter((userId) => counted.includes(userId));
      const why = whyNotFor(job, { after, acctId, rule, lasting }, standing);
      if (why !== null) return `${words}, ${why}`;
      raised.push({ job: job.id, by: null, acctId, rule, now, lasting, at: standing.now });
    }
    if (raised.length === 0) return null;
    return judgeRaise(job, acctId, raised, supporters ?? [], { before, after }, standing);
  }

  /** Checks the duration of a loosening. @returns why it is not allowed, or null. */
  function whyNotFor(
    job: Job,
    { after, acctId, rule, lasting }: { after: Facts; acctId: number; rule: string; lasting: number },
    { now, policy }: Standing,
  ): string | null {
    const { longestMs, mayStay } = policy.durations;
    if (lasting > 0) return mayStay ? null : 'for good, which the policy does not allow';
    const value = after.accounts[acctId]?.rules[rule]?.now;
    const ends = after.temporary.filter((one) => one.acctId === acctId && one.sets[rule] === value);
    const endsAt = Math.min(...ends.map((one) => one.endsAt));
    if (longestMs !== null && endsAt > now + longestMs) return 'for longer than the policy allows';
    if (job.verb === 'emergency-override' && endsAt > now + 60 * MINUTE) return 'by an override for more than an hour';
    return null;
  }

  function judgeRaise(
    job: Job,
    acctId: number,
    raised: readonly Loosening[],
    supporters: readonly string[],
    { before }: { readonly before: Facts; readonly after: Facts },
    standing: Standing,
  ): string | null {
    const by = job.verb === 'emergency-override' ? (job.by ?? '') : (supporters[0] ?? '');
    const words = raised
      .map(({ rule, now, lasting }) => `${rule} of ${acctId} by ${now} (for good ${lasting})`)
      .join(', ');
    const amountOf = (cents: number, lasting: number): number =>
      Number.isFinite(cents) || job.purchaseCents === null || lasting > 0 ? cents : job.purchaseCents;
    const amounts = raised.map((one) => ({ ...one, now: amountOf(one.now, one.lasting) }));
    const most = Math.max(...amounts.map(({ now, lasting }) => Math.max(now, lasting)));
    const isOverride = job.verb === 'emergency-override';
    if (isOverride) {
      const fault = judgeOverride(job, acctId, before, standing);
      if (fault !== null) return `${fault}: ${words}`;
    } else if (supporters.length === 0) return `nobody who may wanted to raise ${words}`;
    const needed = approvals(most, standing.policy);
    const isAlone = isOverride || supporters.length === 1;
    if (!isAlone) {
      if (supporters.length < needed) return `${supporters.length} of ${needed} approvers raised ${words}`;
      count('by several');
      done.push(...amounts.map((one) => ({ ...one, by: null })));
      return null;
    }
    for (const { rule, now, lasting } of amounts) {
      const earlier = done.filter(
        (one) =>
          one.by === by &&
          one.acctId === acctId &&
          one.rule === rule &&
          one.job !== job.id &&
          one.at >= standing.now - DAY,
      );
      for (const [cents, sum] of [
        [now, earlier.reduce((total, one) => total + one.now, now)],
        [lasting, earlier.reduce((total, one) => total + one.lasting, lasting)],
      ] as const)
        if (cents > 0 && approvals(sum, standing.policy) > 1)
          return `${by} alone raised ${words}, with what they added within 24 hours ${sum}`;
    }
    const cap = exceeded(job, by, acctId, most, standing);
    if (cap !== null) return `${by} alone raised ${words}, ${cap}`;
    count(
      isOverride
        ? 'by breaking the glass'
        : raised.some(({ lasting }) => lasting > 0)
          ? 'alone, for good'
          : 'alone, for a time',
    );
    done.push(...amounts.map((one) => ({ ...one, by })));
    if (isOverride) overrides.push({ acctId, at: standing.now, job: job.id });
    return null;
  }

  function judgeOverride(job: Job, acctId: number, before: Facts, standing: Standing): string | null {
    const by = job.by ?? '';
    if (!standing.isOperator(by) && !standing.isApprover(by)) return `${by} broke the glass without being an operator`;
    if (isOwn(by, acctId, before, standing)) return `${by} broke the glass for their own card`;
    if (job.request?.by === by) return `${by} broke the glass for their own request`;
    if (job.askedAt - (job.request?.askedAt ?? 0) < 15 * MINUTE) return `${by} broke the glass within 15 minutes`;
    const again = overrides.some((one) => one.acctId === acctId && one.job !== job.id && one.at > standing.now - DAY);
    return again ? `${by} broke the glass of one card twice in a day` : null;
  }

  function exceeded(
    job: Job,
    by: string,
    acctId: number | null,
    cents: number,
    { now, policy }: Standing,
  ): string | null {
    if (!Number.isFinite(cents)) return null;
    const scopes = {
      person: (one: Loosening) => one.by === by,
      card: (one: Loosening) => acctId !== null && one.acctId === acctId,
      program: () => true,
    };
    for (const [scope, isIn] of Object.entries(scopes) as [keyof typeof scopes, (one: Loosening) => boolean][])
      for (const [days, cap] of [
        [1, policy.caps[scope].dayCents],
        [30, policy.caps[scope].monthCents],
      ] as const) {
        if (scope === 'card' && acctId === null) continue;
        const most = new Map<string, number>();
        for (const one of done.filter((raise) => isIn(raise) && raise.job !== job.id && raise.at >= now - days * DAY)) {
          const amount = Math.max(...[one.now, one.lasting].map((some) => (Number.isFinite(some) ? some : 0)));
          most.set(one.job, Math.max(most.get(one.job) ?? 0, amount));
        }
        const sum = [...most.values()].reduce((total, one) => total + one, cents);
        if (cap !== null && sum > cap) return `which makes ${sum} within ${days} days: over the cap of the ${scope}`;
      }
    return null;
  }

  function judgeOrder(job: Job, cents: number, standing: Standing): string | null {
    if (cents <= 0) return null;
    const by = job.by ?? '';
    if (!standing.isApprover(by)) return `${by}, who is no approver, ordered a card with ${cents}`;
    if (standing.now - job.askedAt > 10 * MINUTE) return `${by} ordered a card by a click of more than 10 minutes ago`;
    const wanting = new Set(job.approvalsGiven.map((yes) => yes.by).filter((userId) => standing.isApprover(userId)));
    if (job.verb === 'decide' && wanting.size > 1) {
      count('ordered by several');
      done.push({ job: job.id, by: null, acctId: null, rule: 'order', now: cents, lasting: 0, at: standing.now });
      return wanting.size < approvals(cents, standing.policy)
        ? `${wanting.size} approvers ordered a card with ${cents}`
        : null;
    }
    const earlier = done.filter((one) => one.by === by && one.rule === 'order' && one.at >= standing.now - DAY);
    const sum = earlier.reduce((total, one) => total + one.now, cents);
    if (approvals(sum, standing.policy) > 1) return `${by} alone put ${sum} on new cards`;
    const cap = exceeded(job, by, null, cents, standing);
    if (cap !== null) return `${by} alone put ${cents} on a new card, ${cap}`;
    count('ordered');
    done.push({ job: job.id, by, acctId: null, rule: 'order', now: cents, lasting: 0, at: standing.now });
    return null;
  }

  function judgeStatus(
    job: Job,
    acctId: number,
    was: Account,
    is: Account,
    before: Facts,
    standing: Standing,
  ): string | null {
    const { by, verb, askedAt } = job;
    if (verb === 'outside') {
      if (was.status !== is.status) blockedBy.set(acctId, { by: null, at: standing.now });
      return null;
    }
    if (verb === 'block' && by !== null && job.approvalsGiven.some((yes) => yes.acctId === acctId)) {
      const may = standing.isOperator(by) || standing.isApprover(by) || was.holder === by;
      if (may && is.status !== 'BLOCKED') return `${by} blocked ${acctId}, and it is ${is.status}`;
    }
    if (was.status === is.status) return null;
    if (is.status === 'BLOCKED') {
      blockedBy.set(acctId, { by, at: standing.now });
      return null;
    }
    const words = `${acctId} went from ${was.status} to ${is.status}`;
    if (by === null) return `${words}, though nobody asked for it`;
    if (standing.now - askedAt > 10 * MINUTE) return `${words} by a click of more than 10 minutes ago`;
    count(verb);
    if (verb === 'undo-block') {
      const block = blockedBy.get(acctId);
      if (block?.by !== by) return `${words}: ${by} undid the block of somebody else`;
      if (askedAt - block.at > MINUTE) return `${words}: ${by} undid a block after more than a minute`;
      return standing.isOperator(by) || standing.isApprover(by) ? null : `${words}: ${by} is no operator`;
    }
    if (verb !== 'unblock') return `${words} by ${verb}`;
    if (isOwn(by, acctId, before, standing)) return `${words}: ${by} unblocked their own card`;
    return standing.isApprover(by) ? null : `${words}: ${by} is no approver`;
  }

  function judgeLink(job: Job, acctId: number, was: Account, is: Account, standing: Standing): string | null {
    if (was.holder === is.holder) return null;
    if (was.holder !== null) ended.push({ userId: was.holder, acctId, at: standing.now });
    const by = job.by ?? '';
    count(is.holder === null ? 'unlinked' : 'linked');
    if (is.holder === null) return null;
    const isProved = standing.hasAddressOf(is.holder, acctId) && by === is.holder;
    if (isProved || (standing.isApprover(by) && by !== is.holder)) return null;
    return `${by} linked ${acctId} to ${is.holder}`;
  }

  function judgeMutes(job: Job, before: Facts, after: Facts, standing: Standing): string | null {
    for (const mute of after.mutes.filter(({ id }) => !before.mutes.some((one) => one.id === id))) {
      const by = job.by ?? '';
      const words = `${by} silenced ${mute.acctId} (${mute.kind})`;
      count('muted');
      if (!standing.isOperator(by) && !standing.isApprover(by)) return `${words} without being an operator`;
      if (isOwn(by, mute.acctId, before, standing)) return `${words}, their own card`;
      if (mute.kind === 'mute' && mute.endsAt > job.askedAt + DAY && !standing.isApprover(by))
        return `${words} for more than a day`;
      const longer = before.mutes.some(
        (one) => one.acctId === mute.acctId && one.kind === mute.kind && one.endsAt > mute.endsAt,
      );
      if (longer) return `${words} for less time than it was`;
    }
    return null;
  }
}

/** The lower of a rule's current value and the value to be restored. */
export function least({ now, lasting }: { readonly now: number; readonly lasting: number }): number {
  return Math.min(now, lasting);
}

function up(from: number, to: number): number {
  return to > from ? to - from : 0;
}

function approvals(cents: number, { bands }: Policy): number {
  const band = bands.find(({ upToCents }) => cents <= (upToCents ?? Number.POSITIVE_INFINITY));
  return Math.max(band?.approvals ?? 2, Number.isFinite(cents) ? 1 : 2);
}
