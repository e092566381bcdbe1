/**
 * A simple external model of what people may loosen. Compares the card service and Cardbell's scheduled changes before and
 * after each job. Shares no code with `src/policy`.
 */

import { type Bands, type BarredFrom, countApprovals, namesOf, type Standing } from './people.ts';

/** Limits in cents. Rules without an amount are 0 or Infinity. */
export interface Account {
  /** The status of each card. */
  readonly cards: Readonly<Record<number, string>>;
  /** The status of the card in use. */
  readonly status: string;
  readonly rules: Record<string, RuleValues>;
  readonly holder: string | null;
  /** Its holder reported a purchase as fraud, and nobody has closed the case. */
  readonly hasFraudCase: boolean;
}

interface RuleValues {
  readonly now: number;
  /** After all temporary changes have ended. */
  readonly lasting: number;
  /** From then on, if nobody changes it. The first one holds now. */
  readonly ahead: readonly { readonly fromMs: number; readonly value: number }[];
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
  /** The card was blocked then, so a block is no surprise. */
  readonly sawBlocked: boolean;
}

/** A job of a worker: a person's action, or the end of a temporary change. */
export interface Job {
  readonly id: string;
  /**
   * `end` for an automatic end, `outside` for the admin portal, `late` for a write that was judged when it was sent,
   * `again` for setting again what that has overwritten.
   */
  readonly verb: string;
  readonly by: string | null;
  readonly askedAt: number;
  /** The card that the person saw when blocking it. */
  readonly blocks?: number;
  /** The active cards that the person saw when activating another one of their account. */
  readonly closesActive?: readonly number[];
  /** For a decision, the origin of its request. */
  readonly request?: { readonly by: string; readonly askedAt: number; readonly isHolders: boolean };
  /** The approvals for this job. */
  readonly approvalsGiven: readonly GivenApproval[];
  /** The purchase with which the change ends, if any. */
  readonly purchaseCents: number | null;
  /** The card service’s answer was lost, or the job was tried before. */
  readonly isDisturbed?: boolean;
}

/** The facts before and after a job. */
interface Change {
  readonly before: Facts;
  readonly after: Facts;
}

interface Loosening {
  readonly job: string;
  /** For a decision. */
  readonly request?: Job['request'] | undefined;
  /** Those whose allowance it uses: the only approver, and whom they stand in for. Empty if several approved. */
  readonly by: readonly string[];
  /** Those with whose next raises it counts, too: who asked for it, and each of several who approved it. */
  readonly askers?: readonly string[];
  readonly acctId: number | null;
  readonly rule: string;
  /** The immediate raise, and the raise of the value to be restored. */
  readonly now: number;
  readonly lasting: number;
  /** The largest raise at any moment from then on. */
  readonly soon?: number;
  readonly at: number;
}

/** A rule before and after a job. */
interface Moved {
  readonly acctId: number;
  readonly rule: string;
  readonly was: RuleValues;
  readonly is: RuleValues;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export type Model = ReturnType<typeof createModel>;

export function createModel(atFirst: Facts) {
  const done: Loosening[] = [];
  const ended: { readonly userId: string; readonly acctId: number; readonly at: number }[] = [];
  const overrides: { readonly acctId: number; readonly at: number; readonly job: string }[] = [];
  /** Since when a rule has been loosened for a time: by account and rule. */
  const loosenedSince = new Map<string, number>();
  /** What a rule would have been if a person had not lowered it: by person, account and rule. They may end that alone. */
  const lowered = new Map<string, (atMs: number) => number>();
  /** By card. */
  const blockedBy = new Map<
    number,
    { readonly by: string | null; readonly at: number; readonly isAsHolder: boolean }
  >();
  /** Who else was told that the card is blocked already, by card. */
  const wantedBy = new Map<number, readonly string[]>();
  /** How often each kind of loosening happened. A run without any proves nothing. */
  const seen: Record<string, number> = {};
  const count = (kind: string): void => {
    seen[kind] = (seen[kind] ?? 0) + 1;
  };

  /** The values that somebody has set for good, by account. */
  const forGood = new Map<number, Set<number>>();
  for (const [acctId, { rules }] of Object.entries(atFirst.accounts))
    setForGood(
      Number(acctId),
      Object.values(rules).map(({ now }) => now),
    );

  return { judge, seen, count, setForGood, leftBehind };

  function setForGood(acctId: number, values: readonly number[]): void {
    const known = forGood.get(acctId) ?? new Set();
    for (const value of values) known.add(value);
    forGood.set(acctId, known);
  }

  /**
   * Once every temporary change is over, each rule has a value that somebody set for good. A limit may have been lifted to
   * another one of its card, below which the service takes none. One sentence, or null.
   *
   * @param undecided account and rule about which approvers were asked, and have not decided.
   * @param isTold people were told that what they had set for an account is not in effect.
   */
  function leftBehind(
    { accounts, temporary }: Facts,
    undecided: ReadonlySet<string>,
    isTold: (acctId: number) => boolean,
  ): string | null {
    if (temporary.length > 0) return `${temporary.length} temporary changes have not ended`;
    for (const [acctId, { rules }] of Object.entries(accounts))
      for (const [rule, { now }] of Object.entries(rules))
        if (
          !undecided.has(`${acctId} ${rule}`) &&
          !isTold(Number(acctId)) &&
          forGood.get(Number(acctId))?.has(now) !== true
        )
          return `${rule} of ${acctId} stays at ${now}, which nobody set for good`;
    return null;
  }

  /** One sentence about what a job did wrong, or null. */
  function judge(job: Job, before: Facts, after: Facts, standing: Standing): string | null {
    const faults: (string | null)[] = [];
    for (const id of Object.keys(after.accounts)) {
      const acctId = Number(id);
      const was = before.accounts[acctId];
      if (was === undefined) continue;
      faults.push(judgeStatus(job, acctId, { before, after }, standing));
      // A write that is made later, and was noted when it was sent, has loosened nothing yet.
      noteLoosened(acctId, before, standing);
      if (after.accounts[acctId]?.hasFraudCase === true && !was.hasFraudCase) count('reported as fraud');
      noteLoosened(acctId, after, standing);
      faults.push(judgeRules(job, acctId, { before, after }, standing));
      faults.push(judgeLink(job, acctId, { before, after }, standing));
    }
    faults.push(judgeOrder(job, after.orderedCents - before.orderedCents, standing));
    faults.push(judgeMutes(job, before, after, standing));
    return faults.find((fault) => fault !== null) ?? null;
  }

  function isOwn(userId: string, acctId: number, facts: Facts, { now, hasAddressOf }: Standing): boolean {
    if (facts.accounts[acctId]?.holder === userId || hasAddressOf(userId, acctId)) return true;
    return ended.some((link) => link.userId === userId && link.acctId === acctId && link.at > now - DAY);
  }

  /** In whose name someone may approve for a card. Nobody may for their own, nor in the place of its holder. */
  function approvesAs(
    userId: string,
    acctId: number,
    facts: Facts,
    standing: Standing,
    isBarred: BarredFrom = () => false,
  ): readonly string[] {
    if (isOwn(userId, acctId, facts, standing)) return [];
    return namesOf(
      'approver',
      userId,
      acctId,
      standing,
      (whom) => isBarred(whom) || isOwn(whom, acctId, facts, standing),
    );
  }

  function judgeRules(job: Job, acctId: number, { before, after }: Change, standing: Standing): string | null {
    if (job.verb === 'outside' || job.verb === 'late') return null;
    const isBlocked = before.accounts[acctId]?.status === 'BLOCKED';
    const asker = job.request?.by;
    const raised: Loosening[] = [];
    let supporters: string[] | null = null;
    for (const [rule, is] of Object.entries(after.accounts[acctId]?.rules ?? {})) {
      const was = before.accounts[acctId]?.rules[rule] ?? is;
      const isDecision = job.verb === 'decide' || job.verb === 'emergency-override';
      if (isDecision && is.now < was.now) return `approving lowered ${rule} of ${acctId}`;
      const [now, lasting] = [up(was.now, is.now), up(was.lasting, is.lasting)];
      const moments = [standing.now, ...[...was.ahead, ...is.ahead].map(({ fromMs }) => fromMs)].filter(
        (at) => at >= standing.now,
      );
      noteLowered(job, { acctId, rule, was, is }, moments);
      const soon = Math.max(...moments.map((at) => up(valueAt(was, at), valueAt(is, at))));
      const risen = moments.filter((at) => up(valueAt(was, at), valueAt(is, at)) > 0).map((at) => valueAt(is, at));
      if (now === 0 && lasting === 0 && soon === 0) continue;
      // It was lowered for longer than it is by now.
      const isSooner = now === 0 && lasting === 0;
      const rose = isSooner ? `soon by ${soon}` : `from ${was.now} to ${is.now}`;
      const words = `${rule} of ${acctId} rose ${rose}, for good from ${was.lasting} to ${is.lasting}`;
      // After the end of a temporary change, a longer one still applies, or else the earlier value.
      const running = before.temporary.filter((one) => one.acctId === acctId && one.endsAt > standing.now);
      const wasAllowed = Math.max(was.lasting, ...running.map(({ sets }) => sets[rule] ?? 0));
      if (job.verb === 'again') {
        const isForGood = forGood.get(acctId)?.has(is.lasting) === true;
        if (now > 0 || (lasting > 0 && !isForGood)) return `${words}, to undo what a late write did`;
        count('set again after a late write');
        continue;
      }
      if (job.by === null) {
        if (lasting > 0 || is.now > wasAllowed) return `${words}, though nobody asked for it`;
        count('restored by itself');
        continue;
      }
      if (standing.now - job.askedAt > 10 * MINUTE) return `${words}, by a click of more than 10 minutes ago`;
      const mayDecide = approvesAs(job.by, acctId, before, standing).length > 0;
      const isEnd = job.verb === 'revert' || job.verb === 'complete-temporary-change';
      if ((isEnd || isSooner) && lasting === 0 && isOwnToEnd(job.by, { acctId, rule, was, is }, moments)) {
        if (!mayDecide) return `${words}, taken back by somebody who may not`;
        count('taken back');
        continue;
      }
      const wanting = job.approvalsGiven.filter(
        (yes) =>
          yes.acctId === acctId &&
          (yes.wants[rule] ?? 0) >= Math.max(is.now, ...(isDecision && isSooner ? risen : [])) &&
          (yes.saw[rule] ?? 0) <= least(was) &&
          (yes.sawBlocked || !isBlocked),
      );
      const lasts = job.approvalsGiven.at(-1)?.lastsMs ?? Number.POSITIVE_INFINITY;
      const who = isEnd ? [job.by] : wanting.filter(({ lastsMs }) => lastsMs >= lasts).map(({ by }) => by);
      const counted = [...new Set(who)].filter(
        (userId) => approvesAs(userId, acctId, before, standing, (whom) => whom === asker).length > 0,
      );
      supporters = supporters === null ? counted : supporters.filter((userId) => counted.includes(userId));
      // What is loosened already is only loosened for longer.
      const isBack = lasting === 0 && (isEnd || (isSooner && is.now <= is.lasting));
      const why = isBack ? null : whyNotFor(job, { after, acctId, rule, lasting }, standing);
      if (why !== null) return `${words}, ${why}`;
      raised.push({ job: job.id, by: [], acctId, rule, now, lasting, soon, at: standing.now });
      // What may be raised that far may also be what a lowered rule goes back to.
      const most = Math.max(...moments.map((at) => valueAt(is, at)));
      raiseAllLowered({ acctId, rule }, () => most);
    }
    if (raised.length === 0) return null;
    return judgeRaise(job, acctId, raised, supporters ?? [], { before, after }, standing);
  }

  /** A rule that is loosened again before it goes back is loosened since the first time. */
  function noteLoosened(acctId: number, after: Facts, { now }: Standing): void {
    for (const [rule, value] of Object.entries(after.accounts[acctId]?.rules ?? {})) {
      const key = `${acctId} ${rule}`;
      if (value.now <= value.lasting) loosenedSince.delete(key);
      else if (!loosenedSince.has(key)) loosenedSince.set(key, now);
    }
  }

  /** A person who lowers a rule may have that ended: then it is what it would have been. */
  function noteLowered({ by }: Job, { acctId, rule, was, is }: Moved, moments: readonly number[]): void {
    if (by === null || moments.every((at) => valueAt(is, at) >= valueAt(was, at))) return;
    raiseLowered(`${by} ${acctId} ${rule}`, (at) => valueAt(was, at));
  }

  function raiseLowered(key: string, to: (atMs: number) => number): void {
    const before = lowered.get(key);
    lowered.set(key, (at) => Math.max(before?.(at) ?? 0, to(at)));
  }

  function isOwnToEnd(by: string, { acctId, rule, was, is }: Moved, moments: readonly number[]): boolean {
    const own = lowered.get(`${by} ${acctId} ${rule}`);
    if (own === undefined || moments.some((at) => valueAt(is, at) > Math.max(valueAt(was, at), own(at)))) return false;
    raiseAllLowered({ acctId, rule }, own);
    return true;
  }

  function raiseAllLowered({ acctId, rule }: Pick<Moved, 'acctId' | 'rule'>, to: (atMs: number) => number): void {
    for (const key of lowered.keys()) if (key.endsWith(` ${acctId} ${rule}`)) raiseLowered(key, to);
  }

  /** Checks the duration of a loosening. @returns why it is not allowed, or null. */
  function whyNotFor(
    job: Job,
    { after, acctId, rule, lasting }: { after: Facts; acctId: number; rule: string; lasting: number },
    { now, rulesOf }: Standing,
  ): string | null {
    const { longestMs, mayStay } = rulesOf(acctId).durations;
    if (lasting > 0) return mayStay ? null : 'for good, which the policy does not allow';
    const value = after.accounts[acctId]?.rules[rule]?.now;
    const ends = after.temporary.filter((one) => one.acctId === acctId && one.sets[rule] === value);
    const endsAt = Math.min(...ends.map((one) => one.endsAt));
    const since = loosenedSince.get(`${acctId} ${rule}`) ?? now;
    if (longestMs !== null && endsAt > since + longestMs) return 'for longer than the policy allows';
    if (job.verb === 'emergency-override' && endsAt > now + 60 * MINUTE) return 'by an override for more than an hour';
    return null;
  }

  function judgeRaise(
    job: Job,
    acctId: number,
    raised: readonly Loosening[],
    supporters: readonly string[],
    { before }: Change,
    standing: Standing,
  ): string | null {
    const isOverride = job.verb === 'emergency-override';
    const { bands } = standing.rulesOf(acctId);
    const words = raised
      .map(({ rule, now, lasting }) => `${rule} of ${acctId} by ${now} (for good ${lasting})`)
      .join(', ');
    const amountOf = (cents: number, lasting: number): number =>
      Number.isFinite(cents) || job.purchaseCents === null || lasting > 0 ? cents : job.purchaseCents;
    const amounts = raised.map((one) => ({
      ...one,
      now: amountOf(one.now, one.lasting),
      soon: amountOf(one.soon ?? 0, one.lasting),
    }));
    const most = Math.max(...amounts.map(({ now, lasting, soon }) => Math.max(now, lasting, soon)));
    if (isOverride) {
      const fault = judgeOverride(job, acctId, before, standing);
      if (fault !== null) return `${fault}: ${words}`;
    } else if (supporters.length === 0) return `nobody who may wanted to raise ${words}`;
    const isAsker = (whom: string) => whom === job.request?.by;
    const names = supporters.map((userId) => approvesAs(userId, acctId, before, standing, isAsker));
    const given = isOverride ? 1 : countApprovals(names);
    if (given > 1) {
      if (given < approvals(most, bands)) return `${given} of ${approvals(most, bands)} approvers raised ${words}`;
      const lastTwo = allowanceOf([job.request?.by, job.by].filter(isPerson), acctId, standing);
      const fault = judgeSums(job, acctId, amounts, lastTwo, given, standing);
      if (fault !== null) return `${given} approvers raised ${words}, ${fault}`;
      count('by several');
      if (names.some((own, index) => !own.includes(supporters[index] ?? ''))) count('by a delegate');
      const askers = allowanceOf([job.request?.by, ...supporters].filter(isPerson), acctId, standing);
      done.push(...amounts.map((one) => ({ ...one, request: job.request, askers })));
      return null;
    }
    const by = allowanceOf(isOverride ? [job.by ?? ''] : supporters, acctId, standing);
    const askers = isOverride ? [job.request?.by].filter(isPerson) : [];
    const people = [...new Set([...by, ...allowanceOf(askers, acctId, standing)])];
    const fault = judgeAlone(job, acctId, amounts, people, standing);
    if (fault !== null) return `${by.join(' for ')} alone raised ${words}, ${fault}`;
    count(
      isOverride
        ? 'by breaking the glass'
        : raised.some(({ lasting }) => lasting > 0)
          ? 'alone, for good'
          : 'alone, for a time',
    );
    if (by.length > 1) count('by a delegate');
    done.push(...amounts.map((one) => ({ ...one, request: job.request, by, askers })));
    if (isOverride) overrides.push({ acctId, at: standing.now, job: job.id });
    return null;
  }

  function judgeAlone(
    job: Job,
    acctId: number,
    amounts: readonly Loosening[],
    by: readonly string[],
    standing: Standing,
  ): string | null {
    const fault = judgeSums(job, acctId, amounts, by, 1, standing);
    if (fault !== null) return fault;
    const most = Math.max(...amounts.map(({ now, lasting }) => Math.max(now, lasting)));
    return exceeded(job, by, acctId, most, standing);
  }

  /**
   * What these people allow counts with what they and their delegates added to the same limit within 24 hours.
   *
   * @param given how many people approved it.
   */
  function judgeSums(
    job: Job,
    acctId: number,
    amounts: readonly Loosening[],
    by: readonly string[],
    given: number,
    standing: Standing,
  ): string | null {
    const { bands } = standing.rulesOf(acctId);
    for (const { rule, now, lasting, soon = 0 } of amounts)
      for (const whom of by) {
        if (approvals(soon, bands) > given) return `soon by ${soon}`;
        const earlier = done.filter(
          (one) =>
            isAddedBy(one, whom) &&
            one.acctId === acctId &&
            one.rule === rule &&
            one.job !== job.id &&
            // Approved again because its answer was lost: it sets the limit again.
            (job.request === undefined || one.request !== job.request) &&
            one.at >= standing.now - DAY,
        );
        for (const [cents, sum] of [
          [now, now + sumOf(earlier, 'now')],
          [lasting, lasting + sumOf(earlier, 'lasting')],
        ] as const)
          if (cents > 0 && approvals(sum, bands) > given) return `with what ${whom} added within 24 hours ${sum}`;
      }
    return null;
  }

  function judgeOverride(job: Job, acctId: number, before: Facts, standing: Standing): string | null {
    const by = job.by ?? '';
    const isBarred = (whom: string) => whom === job.request?.by || isOwn(whom, acctId, before, standing);
    if (!mayOperate(by, acctId, standing, isBarred)) return `${by} broke the glass without being an operator`;
    if (isOwn(by, acctId, before, standing)) return `${by} broke the glass for their own card`;
    if (job.request?.by === by) return `${by} broke the glass for their own request`;
    if (job.askedAt - (job.request?.askedAt ?? 0) < 15 * MINUTE) return `${by} broke the glass within 15 minutes`;
    const again = overrides.some((one) => one.acctId === acctId && one.job !== job.id && one.at > standing.now - DAY);
    return again ? `${by} broke the glass of one card twice in a day` : null;
  }

  function exceeded(
    job: Job,
    by: readonly string[],
    acctId: number | null,
    cents: number,
    { now, rulesOf }: Standing,
  ): string | null {
    if (!Number.isFinite(cents)) return null;
    const { caps } = rulesOf(acctId);
    const scopes = [
      ...by.map((whom) => ['person', (one: Loosening) => one.by.includes(whom)] as const),
      ['card', (one: Loosening) => acctId !== null && one.acctId === acctId] as const,
      ['program', () => true] as const,
    ];
    for (const [scope, isIn] of scopes)
      for (const [days, cap] of [
        [1, caps[scope].dayCents],
        [30, caps[scope].monthCents],
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
    if (cents <= 0 || job.verb === 'late') return null;
    const by = job.by ?? '';
    const { orderBands } = standing.rulesOf(null);
    if (namesOf('approver', by, null, standing).length === 0)
      return `${by}, who is no approver, ordered a card with ${cents}`;
    if (standing.now - job.askedAt > 10 * MINUTE) return `${by} ordered a card by a click of more than 10 minutes ago`;
    const supporters = [...new Set(job.approvalsGiven.map((yes) => yes.by))];
    const names = supporters.map((userId) => namesOf('approver', userId, null, standing));
    const given = countApprovals(names);
    const ordered = { job: job.id, acctId: null, rule: 'order', now: cents, lasting: 0, at: standing.now };
    if (job.verb === 'decide' && given > 1) {
      count('ordered by several');
      const people = allowanceOf([job.request?.by, by].filter(isPerson), null, standing);
      const askers = allowanceOf([job.request?.by, ...supporters].filter(isPerson), null, standing);
      const needed = Math.max(...people.map((whom) => approvals(orderedWith(job, cents, whom, standing), orderBands)));
      done.push({ ...ordered, by: [], askers });
      return given < needed ? `${given} approvers ordered a card with ${cents}, which needs ${needed}` : null;
    }
    const allowance = allowanceOf([by], null, standing);
    for (const whom of allowance) {
      const sum = orderedWith(job, cents, whom, standing);
      if (approvals(sum, orderBands) > 1) return `${by} alone put ${sum} on new cards, with what ${whom} did`;
    }
    const cap = exceeded(job, allowance, null, cents, standing);
    if (cap !== null) return `${by} alone put ${cents} on a new card, ${cap}`;
    count('ordered');
    done.push({ ...ordered, by: allowance });
    return null;
  }

  /** The money of an order, with that of a person's other orders within 24 hours. */
  function orderedWith(job: Job, cents: number, whom: string, { now }: Standing): number {
    const earlier = done.filter(
      (one) => isAddedBy(one, whom) && one.rule === 'order' && one.job !== job.id && one.at >= now - DAY,
    );
    return earlier.reduce((total, one) => total + one.now, cents);
  }

  function judgeStatus(job: Job, acctId: number, { before, after }: Change, standing: Standing): string | null {
    const { by, verb } = job;
    const [was, is] = [before.accounts[acctId], after.accounts[acctId]];
    if (was === undefined || is === undefined) return null;
    if (verb === 'late') return null;
    const blocked = is.cards[job.blocks ?? 0];
    if (by !== null && job.isDisturbed !== true && blocked !== undefined) {
      const may = mayOperate(by, acctId, standing) || was.holder === by;
      if (may && blocked !== 'BLOCKED' && blocked !== 'CLOSED')
        return `${by} blocked ${job.blocks}, and it is ${blocked}`;
      const cardId = job.blocks ?? 0;
      if (may && blocked === 'BLOCKED' && was.cards[cardId] === 'BLOCKED')
        wantedBy.set(cardId, [...(wantedBy.get(cardId) ?? []), by]);
    }
    for (const [card, status] of Object.entries(is.cards)) {
      const cardId = Number(card);
      if (status === was.cards[cardId]) continue;
      if (status === 'BLOCKED') {
        const isAsHolder = by !== null && !mayOperate(by, acctId, standing);
        blockedBy.set(cardId, { by, at: standing.now, isAsHolder });
      }
      if (status === 'BLOCKED' && verb === 'block' && job.isDisturbed !== true && cardId !== (job.blocks ?? cardId))
        return `${by} blocked ${cardId} instead of ${job.blocks}`;
      const why = verb === 'outside' ? null : whyNotStatus(job, { acctId, cardId }, { before, after }, standing);
      wantedBy.delete(cardId);
      if (why !== null) return `${cardId} went from ${was.cards[cardId] ?? 'none'} to ${status}: ${why}`;
    }
    return null;
  }

  /** Why a job may not have changed a card's status, or null. */
  function whyNotStatus(
    { by, verb, askedAt, closesActive = [] }: Job,
    { acctId, cardId }: { readonly acctId: number; readonly cardId: number },
    { before, after }: Change,
    standing: Standing,
  ): string | null {
    if (by === null) return 'nobody asked for it';
    const from = before.accounts[acctId]?.cards[cardId];
    const to = after.accounts[acctId]?.cards[cardId];
    const isOperator = mayOperate(by, acctId, standing);
    if (to === 'BLOCKED')
      return isOperator || before.accounts[acctId]?.holder === by
        ? null
        : `${by} is neither an operator nor the holder`;
    if (standing.now - askedAt > 10 * MINUTE) return 'by a click of more than 10 minutes ago';
    count(verb);
    // Activating a card closes the others of its account.
    if (verb === 'activate' && (to === 'CLOSED' || from === 'INACTIVE')) {
      if (from === 'BLOCKED' && isOwn(by, acctId, before, standing)) return `${by} ended the block of their own card`;
      if (from === 'ACTIVE' && !closesActive.includes(cardId)) return `${by} did not see that it was active`;
      return isOperator ? null : `${by} is no operator`;
    }
    if (to === 'ACTIVE' && before.accounts[acctId]?.hasFraudCase === true) return 'it has an open fraud case';
    if (verb === 'undo-block') {
      const block = blockedBy.get(cardId);
      if (block?.by !== by) return `${by} undid the block of somebody else`;
      const other = wantedBy.get(cardId)?.find((whom) => whom !== by);
      if (other !== undefined) return `${by} undid a block that ${other} wanted as well`;
      if (block.isAsHolder) return `${by} undid a block of their own card, made as its holder`;
      if (askedAt - block.at > MINUTE) return `${by} undid a block after more than a minute`;
      return isOperator ? null : `${by} is no operator`;
    }
    if (verb !== 'unblock' || to !== 'ACTIVE') return `by ${verb}`;
    if (isOwn(by, acctId, before, standing)) return `${by} unblocked their own card`;
    return approvesAs(by, acctId, before, standing).length > 0 ? null : `${by} is no approver`;
  }

  function judgeLink(job: Job, acctId: number, { before, after }: Change, standing: Standing): string | null {
    const was = before.accounts[acctId]?.holder ?? null;
    const is = after.accounts[acctId]?.holder ?? null;
    if (was === is) return null;
    const by = job.by ?? '';
    // Who asked for it does not decide it, nor in their place.
    const mayDecide = by !== is && approvesAs(by, acctId, before, standing, (whom) => whom === is).length > 0;
    if (was !== null) ended.push({ userId: was, acctId, at: standing.now });
    count(is === null ? 'unlinked' : 'linked');
    const isProved = is !== null && was === null && standing.hasAddressOf(is, acctId) && by === is;
    return isProved || mayDecide ? null : `${by} changed the holder of ${acctId} from ${was} to ${is}`;
  }

  function judgeMutes(job: Job, before: Facts, after: Facts, standing: Standing): string | null {
    for (const mute of after.mutes.filter(({ id }) => !before.mutes.some((one) => one.id === id))) {
      const { acctId } = mute;
      const by = job.by ?? '';
      const words = `${by} silenced ${acctId} (${mute.kind})`;
      count('muted');
      if (!mayOperate(by, acctId, standing, (whom) => isOwn(whom, acctId, before, standing)))
        return `${words} without being an operator`;
      if (isOwn(by, acctId, before, standing)) return `${words}, their own card`;
      const isLong = mute.kind === 'mute' && mute.endsAt > job.askedAt + DAY;
      if (isLong && approvesAs(by, acctId, before, standing).length === 0) return `${words} for more than a day`;
      const isReplaced = before.mutes.some(
        (one) => one.acctId === acctId && one.kind === mute.kind && one.endsAt > standing.now,
      );
      if (isReplaced) return `${words} in place of another mute`;
    }
    return null;
  }
}

/** Approvers may do everything that operators may. */
function mayOperate(userId: string, acctId: number, standing: Standing, isBarred?: BarredFrom): boolean {
  return (['operator', 'approver'] as const).some(
    (role) => namesOf(role, userId, acctId, standing, isBarred).length > 0,
  );
}

/** Whose allowance people use for what they allow alone: their own, and that of everyone they stand in for. */
function allowanceOf(people: readonly string[], acctId: number | null, standing: Standing): readonly string[] {
  const all = people.flatMap((userId) => {
    const asApprover = namesOf('approver', userId, acctId, standing);
    return [userId, ...(asApprover.length > 0 ? asApprover : namesOf('operator', userId, acctId, standing))];
  });
  return [...new Set(all)];
}

function isPerson(userId: string | null | undefined): userId is string {
  return userId != null;
}

function isAddedBy({ by, askers = [] }: Loosening, whom: string): boolean {
  return by.includes(whom) || askers.includes(whom);
}

function valueAt({ now, ahead }: RuleValues, atMs: number): number {
  return ahead.findLast(({ fromMs }) => fromMs <= atMs)?.value ?? now;
}

/** A job whose answer was lost may write the same value twice, which is one raise. */
function sumOf(raises: readonly Loosening[], part: 'now' | 'lasting'): number {
  const ofJob = new Map<string, number>();
  for (const raise of raises) ofJob.set(raise.job, Math.max(ofJob.get(raise.job) ?? 0, raise[part]));
  return [...ofJob.values()].reduce((total, cents) => total + cents, 0);
}

/** The lower of a rule's current value and the value to be restored. */
export function least({ now, lasting }: { readonly now: number; readonly lasting: number }): number {
  return Math.min(now, lasting);
}

function up(from: number, to: number): number {
  return to > from ? to - from : 0;
}

function approvals(cents: number, bands: Bands): number {
  const band = bands.find(({ upToCents }) => cents <= (upToCents ?? Number.POSITIVE_INFINITY));
  return Math.max(band?.approvals ?? 2, Number.isFinite(cents) ? 1 : 2);
}
