import { requestTarget, requestValue } from '../../../src/approvals/request.ts';
import type { LimitPeriod, Rule } from '../../../src/card-api/rule.ts';
import { ruleKey } from '../../../src/card-api/rule.ts';
import type { RuleChange, RuleGoal, Term } from '../../../src/card-api/rule-change.ts';
import { limitFields } from '../../../src/card-api/spend-rules.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { WithLock } from '../../../src/core/lock.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { claimTarget, claimValue } from '../../../src/holders/claim-store.ts';
import { isUndecided, undecided } from '../../../src/limits/temporary-change.ts';
import { crashAtStep, Killed } from '../crash-at.ts';
import { limitGoal } from '../limit-goals.ts';
import { ask, verbsOf, virtualOrder } from '../perform-world.ts';
import { isOrdered } from './card-service.ts';
import { createModel, type Facts, type GivenApproval, type Job, least, type Model } from './model.ts';
import { type Performed, whatIsWrong } from './on-record.ts';
import type { Amount, Ask, Card, Happening, LostAnswer, Meanwhile, Name, Sequence, Step } from './steps.ts';
import { accountOf, asNumber, category, createSequenceWorld, dayOf, type SequenceWorld, userOf } from './world.ts';

/** A loosening that the policy does not allow, with the steps that led to it. */
export class Loosened extends Error {}

interface Asked {
  readonly action: VerbAction;
  readonly job: Job;
  readonly diesAt: number | null;
  readonly lost: LostAnswer | null;
  readonly meanwhile?: Meanwhile | undefined;
}

/** How often a job is tried. */
const TRIES = 3;

/** Runs a sequence, and checks each job against the model. @throws Loosened with the steps in words. */
export async function runSequence({ cast, card, policy, steps }: Sequence): Promise<Model['seen']> {
  const world = await createSequenceWorld(policy);
  const run = createRun(world, card, await world.facts());
  const words = [`Cast: ${cast.join(', ')}. Card: of ${card}. Policy ${policy}.`];
  try {
    for (const [index, step] of steps.entries()) {
      words.push(`${index + 1}. ${wordsOf(step, cast)}`);
      await run.step(step, index, cast);
      // No two actions happen at the same moment.
      world.advance(1000);
    }
    words.push('At last the worker starts, and everything ends.');
    await run.end(steps.length, cast);
  } catch (error) {
    if (error instanceof Loosened) throw new Loosened(`${error.message}\n${words.join('\n')}`);
    throw error;
  }
  return run.seen;
}

function wordsOf(step: Step, cast: Sequence['cast']): string {
  if (!('asks' in step))
    return Object.values(step)
      .map((part) => JSON.stringify(part))
      .join(' ');
  const { does, ...rest } = step.asks;
  const dies = step.diesAt === null ? '' : `; the worker dies at step ${step.diesAt} of it`;
  const lost = step.lost == null ? '' : `; its answer is lost: ${JSON.stringify(step.lost)}`;
  const also = step.also === undefined ? '' : `; at once ${step.also.who}: ${JSON.stringify(step.also)}`;
  const again = step.again == null ? '' : `; it runs again ${step.again} steps later`;
  const meanwhile = step.meanwhile === undefined ? '' : `; meanwhile ${JSON.stringify(step.meanwhile)}`;
  return `${nameOf(cast, step.who)}: ${does} ${JSON.stringify(rest)}${dies}${lost}${again}${also}${meanwhile}`;
}

function nameOf(cast: Sequence['cast'], who: number | Name): Name {
  return typeof who === 'string' ? who : (cast[who % cast.length] ?? 'eve');
}

function createRun(world: SequenceWorld, main: Card, atFirst: Facts) {
  let facts = atFirst;
  const { deps, service, roles } = world;
  const verbs = verbsOf(deps);
  const model = createModel(atFirst);
  const waiting: Asked[] = [];
  /** Jobs that run again. */
  let later: { readonly atStep: number; readonly run: () => Promise<void> }[] = [];
  let atStep = 0;
  const performed: Performed[] = [];
  const requests = new Map<
    string,
    { by: string; askedAt: number; isHolders: boolean; approvalsGiven: GivenApproval[]; isWithdrawn: boolean }
  >();
  let isStopped = false;
  /** Somebody has taken a change back, which was not made then and needed no call, and it was made after all. */
  let isMadeAfterItsEnd = false;
  let lastBlock = 'act_none';
  const acctOf = (card: Card | 'main'): number => accountOf[card === 'main' ? main : card];

  return {
    seen: model.seen,
    async step(step: Step, index: number, cast: Sequence['cast']): Promise<void> {
      atStep = index;
      if (!isStopped) await runLater();
      if (!('asks' in step)) return await happen(step, index, cast);
      const holder = await holderAsking(step.asks);
      const by = holder?.userId ?? userOf(nameOf(cast, step.who));
      const given = await askFor(step.asks, by, `act_step${index}`, step.diesAt);
      if (given === null) return;
      const asked = { ...given, lost: step.lost ?? null, meanwhile: step.meanwhile };
      const other =
        step.also === undefined ? null : await askFor(step.also.asks, userOf(step.also.who), `act_also${index}`, null);
      if (other !== null && !isStopped) return await performBoth(given, other, step.also?.turns ?? 0);
      if (isStopped) waiting.push(asked);
      else await perform(asked);
      if (step.again != null) later.push({ atStep: index + step.again, run: () => perform(given, 2) });
    },
    /** Lets everything come to its end, and checks what is on record and shown. */
    async end(index: number, cast: Sequence['cast']): Promise<void> {
      await happen({ does: 'the worker starts' }, index, cast);
      for (let round = 0; round < TRIES || later.length > 0; round += 1) {
        atStep = Number.POSITIVE_INFINITY;
        await runLater();
      }
      const isQuiet = () => world.unverified.size === 0 && service.lateWrites() === 0;
      for (let minute = 0; minute < 12 && !isQuiet(); minute += 1) await wait(MINUTE);
      const seen = { performed, requests: [...requests.keys()], audit: world.audit, writes: service.writes };
      const fault = await whatIsWrong(seen, deps);
      if (fault !== null) throw new Loosened(fault);
      await wait(310 * DAY);
      const asking = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'asking');
      const empty = asking.find((one) => undecided(one).length === 0);
      if (empty !== undefined) throw new Loosened(`people have nothing to decide about ${empty.id}`);
      const undecidedRules = new Set(
        asking.flatMap((one) => undecided(one).map(({ rule }) => `${one.acctId} ${ruleKey(rule)}`)),
      );
      // What a late write has lowered stays so, and people are told.
      const isTold = (acctId: number) => [...world.told].some((id) => id.startsWith(`overwritten-${acctId}-`));
      const left = model.leftBehind(facts, undecidedRules, isTold);
      if (left !== null && !isMadeAfterItsEnd) throw new Loosened(left);
    },
  };

  /** The holder of the card, for what only holders do. */
  async function holderAsking(asks: Ask) {
    if (asks.does === 'ask for more') return await deps.links.ofAccount(acctOf(asks.card));
    return asks.does === 'report fraud' ? await deps.links.ofAccount(accountOf.hugo) : null;
  }

  /** Runs jobs again that are due, and what has become due meanwhile. */
  async function runLater(upTo = atStep): Promise<void> {
    await catchUp();
    const due = later.filter((one) => one.atStep <= upTo);
    later = later.filter((one) => one.atStep > upTo);
    for (const { run } of due) await run();
  }

  async function judged(job: Job, work: () => Promise<void>, meanwhile?: Meanwhile): Promise<void> {
    let then = await world.standing();
    let before = facts;
    const sent = service.lateWrites();
    // What is written afterwards has to be permitted by what is true from then on.
    if (meanwhile !== undefined)
      service.atRead(meanwhile.atRead, async () => {
        await happenMeanwhile(meanwhile);
        then = await world.standing();
        const { holder } = (await world.facts()).accounts[accountOf[main]]!;
        const accounts = { ...before.accounts, [accountOf[main]]: { ...before.accounts[accountOf[main]]!, holder } };
        before = { ...before, accounts };
        model.count(`meanwhile ${meanwhile.does}`);
      });
    await work();
    facts = await world.facts();
    // A write that is made later was permitted, or not, when it was sent.
    const after = service.lateWrites() > sent ? await service.ahead(sent, () => world.facts()) : facts;
    const fault = model.judge(job, before, after, then);
    if (fault !== null) throw new Loosened(fault);
  }

  async function happenMeanwhile({ does, whom }: Meanwhile): Promise<void> {
    const userId = userOf(whom);
    if (does === 'loses the role') return void roles.get(userId)?.delete('approver');
    const at = deps.now().toISOString();
    await deps.links.link({ acctId: accountOf[main], userId, provedBy: 'approver', by: userOf('cem'), at });
  }

  /** Two jobs at once. What each does to a card is judged while it has the card’s lock. */
  async function performBoth(first: Asked, second: Asked, turns: number): Promise<void> {
    const [one, other] = [wholeJob(first), wholeJob(second)];
    const atFirst = facts;
    let last = facts;
    const then = await world.standing();
    const run = async ({ action, job }: Asked, whole: Job): Promise<void> => {
      const withLock: WithLock = async (name, work, outer) => {
        const acctId = /^account:(\d+)$/.exec(name)?.[1];
        return await deps.withLock(
          name,
          async (lease) => {
            const done = await work(lease);
            if (acctId === undefined) return done;
            const { accounts, temporary } = await world.facts();
            const now = { ...last, accounts: { ...last.accounts, [acctId]: accounts[Number(acctId)]! }, temporary };
            const fault = model.judge(whole, last, now, then);
            if (fault !== null) throw new Loosened(`at once with another job, ${fault}`);
            last = now;
            return done;
          },
          outer,
        );
      };
      const own = verbsOf({ ...deps, withLock, card: service.clientFor(() => job.id) });
      await own.performAction(action, { isLast: false }).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    };
    const later = async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await run(second, other);
    };
    await Promise.all([run(first, one), later()]);
    model.count('two at once');
    facts = await world.facts();
    for (const { action, job } of [first, second]) await noteAfter(action, job, atFirst);
  }

  /** The job with the approvals of its request. */
  function wholeJob({ action, job }: Asked): Job {
    const isFirst = !performed.some(({ id }) => id === action.id);
    if (isFirst) performed.push(action);
    const requestId = 'requestId' in action.target ? action.target.requestId : null;
    const request = requestId === null ? undefined : requests.get(requestId);
    if (isFirst && request !== undefined && action.verb === 'decide' && action.approve)
      request.approvalsGiven.push(...job.approvalsGiven);
    if (request === undefined) return job;
    return {
      ...job,
      request,
      approvalsGiven: request.isWithdrawn ? [] : [...request.approvalsGiven, ...job.approvalsGiven],
    };
  }

  async function perform(asked: Asked, tries = 1): Promise<void> {
    const { action, job, diesAt, lost } = asked;
    const whole = wholeJob(asked);
    const isDisturbed = lost !== null || tries > 1;
    const work = async (): Promise<void> => {
      if (lost !== null) service.loseNext(lost);
      if (diesAt !== null) await dieAt(diesAt, action);
      await attempt(asked, tries);
      const isLost = service.loseNothing();
      if (lost !== null && isLost) model.count(`answer lost, ${lost.how}`);
    };
    await judged({ ...whole, isDisturbed }, work, asked.meanwhile);
    await noteAfter(action, job);
  }

  /** @param at the facts when the job began, if another ran at once. The card may have been blocked only then. */
  async function noteAfter(action: VerbAction, job: Job, at = facts): Promise<void> {
    const requestId = 'requestId' in action.target ? action.target.requestId : null;
    const request = requestId === null ? undefined : requests.get(requestId);
    const isRefused = world.audit.some(({ actionId, event }) => actionId === action.id && event === 'refused');
    // Whoever was refused has approved nothing.
    if (request !== undefined && isRefused)
      request.approvalsGiven = request.approvalsGiven.filter((yes) => !job.approvalsGiven.includes(yes));
    if (request !== undefined && requestId !== null && action.verb === 'withdraw' && job.by === request.by)
      request.isWithdrawn = (await deps.requests.get(requestId))?.state === 'withdrawn';
    await noteRequest(action, at);
  }

  /** As a job: an error that may pass is tried again later. */
  async function attempt(asked: Asked, tries: number): Promise<void> {
    const { action, lost } = asked;
    try {
      const isLast = tries === TRIES;
      await service.writtenBy(action.id, () => verbs.performAction(action, { isLast }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (tries === TRIES) return;
      const retry = { ...asked, diesAt: null, lost: null, meanwhile: undefined };
      later.push({ atStep: atStep + (lost?.retryIn ?? 0), run: () => perform(retry, tries + 1) });
    }
  }

  async function dieAt(point: number, action: VerbAction): Promise<void> {
    try {
      const dying = verbsOf(crashAtStep(deps, point).deps);
      await service.writtenBy(action.id, () => dying.performAction(action, { isLast: false }));
    } catch (error) {
      if (!(error instanceof Killed || error instanceof AppError)) throw error;
    }
  }

  /** Asking for a change that becomes a request counts as approving it, except by its holder. */
  async function noteRequest(action: VerbAction, at: Facts): Promise<void> {
    const id = `req_${action.id.slice(4)}`;
    const opened = requests.has(id) ? null : await deps.requests.get(id);
    if (opened === null) return;
    const wants = Object.fromEntries(opened.changes.map(({ rule, to }) => [ruleKey(rule), asNumber(to)]));
    if (opened.term.kind === 'permanent') model.setForGood(opened.acctId, Object.values(wants));
    const yes = {
      by: action.actor.userId,
      acctId: opened.acctId,
      wants,
      lastsMs: lastsMs(opened.term),
      saw: withShown(sawOf(facts, opened.acctId), opened.changes),
      sawBlocked: [at, facts].some(({ accounts }) => accounts[opened.acctId]?.status === 'BLOCKED'),
    };
    requests.set(id, {
      by: action.actor.userId,
      askedAt: deps.now().getTime(),
      isHolders: action.verb === 'ask',
      approvalsGiven: action.verb === 'ask' ? [] : [yes],
      isWithdrawn: false,
    });
  }

  async function happen(given: Happening, index: number, cast: Sequence['cast']): Promise<void> {
    switch (given.does) {
      case 'wait':
        return await wait(given.ms);
      case 'the worker stops':
        isStopped = true;
        return;
      case 'the worker starts':
        isStopped = false;
        for (const asked of waiting.splice(0)) await perform(asked);
        return await catchUp();
      case 'the policy becomes':
        world.policy = given.number;
        return;
      case 'the policy names a delegate': {
        const days = { from: dayOf(deps.now().getTime()), until: dayOf(deps.now().getTime() + given.days * DAY) };
        world.delegations = [...world.delegations, { for: userOf(given.for), to: userOf(given.to), ...days }];
        return;
      }
      case 'the policy names no delegates':
        world.delegations = [];
        return;
      case 'the board gets rules of its own':
      case 'the board follows the rest':
        world.hasBoard = given.does === 'the board gets rules of its own';
        return;
      case 'loses':
        roles.get(userOf(nameOf(cast, given.whom)))?.delete(given.role);
        return;
      case 'gets':
        // Only restores former roles: nobody becomes an approver at random.
        if (!['hugo', 'eve', 'olga'].includes(nameOf(cast, given.whom)))
          roles.get(userOf(nameOf(cast, given.whom)))?.add(given.role);
        return;
      case 'the portal sets':
        return await judged({ ...outside, id: `portal${index}` }, async () => {
          const account = accountAt(given.card);
          // An amount that no person types, so that every change is visible.
          const dollars = dollarsOf(given.amount, given.card, given.period) ?? 9000;
          const to = Math.floor(dollars) + (index + 1) / 100;
          const raw = { ...account.raw, [limitFields[given.period]]: to };
          if (!isOrdered(raw)) return;
          account.raw = raw;
          model.setForGood(acctOf(given.card), [Math.round(to * 100)]);
        });
      case 'the portal replaces the card':
        return await judged({ ...outside, id: `portal${index}` }, async () => {
          service.replace(acctOf(given.card), given.closes);
        });
      case 'the portal makes it':
        return await judged({ ...outside, id: `portal${index}` }, async () => {
          service.setStatus(acctOf(given.card), given.status);
        });
    }
  }

  /** Lets time pass. Temporary changes end when due, unless the worker is stopped. */
  async function wait(ms: number): Promise<void> {
    const until = deps.now().getTime() + ms;
    // Retries come within minutes.
    if (ms > 5 * MINUTE && !isStopped) await runLater(Number.POSITIVE_INFINITY);
    let lastDueAt: number | null = null;
    while (!isStopped) {
      const [next] = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
      const endsAt = next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next.endsAt);
      const dueAt = Math.min(endsAt, service.nextLateMs());
      const at = deps.now().getTime();
      // What could not end when it was due is tried again a minute later.
      const againAt = dueAt === lastDueAt ? at + MINUTE : dueAt;
      if (againAt > until) break;
      world.advance(Math.max(0, againAt - at));
      lastDueAt = dueAt;
      await catchUp();
    }
    world.advance(until - deps.now().getTime());
    await carryOutLate();
    if (!isStopped) await catchUp();
  }

  /** Runs everything that is due, soonest end first. */
  async function catchUp(): Promise<void> {
    const isDue = (endsAt: string) => Date.parse(endsAt) <= deps.now().getTime();
    const at = deps.now().getTime();
    await carryOutLate();
    for (const acctId of await deps.ruleWrites.accounts())
      await judged({ ...outside, verb: 'again', id: `again${at}` }, () =>
        service.writtenBy('again', () => verbs.restoreOverwritten(acctId)),
      );
    if (world.unverified.size > 0) await judged({ ...outside, verb: 'verify', id: `verify${at}` }, verify);
    const over = (await deps.temporaryChanges.all()).filter(
      ({ state, endsAt, certainty }) => state === 'open' && (certainty === 'unconfirmed' || isDue(endsAt)),
    );
    if (over.length > 0)
      await judged({ ...outside, verb: 'end', id: `end${at}` }, async () => {
        for (const { id } of over) await service.writtenBy(`end-${id}`, () => verbs.endTemporaryChange(id));
      });
    for (const { id } of await deps.requests.open()) await verbs.ageRequest(id);
    for (const { id, endsAt } of await deps.mutes.inForce()) if (isDue(endsAt)) await verbs.endMute(id);
  }

  /** The card service does not wait for workers. */
  async function carryOutLate(): Promise<void> {
    const at = deps.now().getTime();
    if (service.nextLateMs() <= at) await judged({ ...outside, verb: 'late', id: `late${at}` }, makeLate);
  }

  async function makeLate(): Promise<void> {
    for (const by of service.makeLate()) {
      const change = await deps.temporaryChanges.get(by);
      isMadeAfterItsEnd ||= change !== null && !isUndecided(change);
    }
  }

  /** Checks whether sent changes are visible. */
  async function verify(): Promise<void> {
    for (const id of world.unverified) if ((await verbs.verifyAction(id)) === null) world.unverified.delete(id);
  }

  function accountAt(card: Card | 'main') {
    const account = service.accounts.get(acctOf(card));
    if (account === undefined) throw new Error('no such card');
    return account;
  }

  function dollarsOf(amount: Amount, card: Card | 'main', period: LimitPeriod): number | null {
    if ('to' in amount) return amount.to;
    return Math.floor(Number(accountAt(card).raw[limitFields[period]] ?? 5000)) + amount.more;
  }

  async function askFor(given: Ask, by: string, id: string, diesAt: number | null): Promise<Asked | null> {
    const askedAt = deps.now().getTime();
    const over = {
      id,
      actor: { userId: by, teamId: 'T1' },
      roles: (await deps.rolesOf(by)).roles,
      askedAt: deps.now().toISOString(),
    };
    // Mostly about the card that people see in use; they activate the newest.
    const onCard = (card: Card | 'main', isNewest = false) => {
      const acctId = acctOf(card);
      const cardId = isNewest ? service.newestOf(acctId) : service.inUseOf(acctId);
      return { target: { kind: 'card', acctId, cardId, alertId: null } as const };
    };
    const asked = (
      action: VerbAction,
      approvalsGiven: readonly GivenApproval[] = [],
      purchaseCents: number | null = null,
    ): Asked => ({
      action,
      job: { id, verb: action.verb, by, askedAt, approvalsGiven, purchaseCents },
      diesAt,
      lost: null,
    });
    const yesTo = (acctId: number, goals: readonly RuleGoal[], term: Term): GivenApproval => {
      const wants = Object.fromEntries(goals.map(({ rule, to }) => [ruleKey(rule), asNumber(to)]));
      if (term.kind === 'permanent') model.setForGood(acctId, Object.values(wants));
      const sawBlocked = facts.accounts[acctId]?.status === 'BLOCKED';
      return { by, acctId, wants, lastsMs: lastsMs(term), saw: sawOf(facts, acctId), sawBlocked };
    };
    /** A person's own change is judged by the values at execution, not at the click. */
    const anyway = (yes: GivenApproval): GivenApproval => ({ ...yes, saw: {}, sawBlocked: true });
    const newest = <T>(all: readonly T[], which: number): T | undefined =>
      all.at(-1 - (which % Math.max(1, all.length)));

    switch (given.does) {
      case 'limit': {
        const dollars = dollarsOf(given.amount, given.card, given.period);
        const goals = [limitGoal(given.period, dollars === null ? null : dollars * 100)];
        const action = ask('limit', { ...over, ...onCard(given.card), changeRequest: { goals, term: given.term } });
        return asked(action, [anyway(yesTo(acctOf(given.card), goals, given.term))]);
      }
      case 'allow': {
        const rule: Rule =
          given.what === 'category'
            ? { kind: 'category', category }
            : given.what === 'abroad'
              ? { kind: 'international' }
              : { kind: 'card_not_present' };
        const goals = [{ rule, to: true }];
        const isFromAlert = given.isFromAlert && acctOf(given.card) === accountOf.hugo;
        const at = isFromAlert
          ? { target: { kind: 'alert', alertId: 'evt_0123456789abcdef' } as const }
          : onCard(given.card);
        const action = ask('allow', { ...over, ...at, changeRequest: { goals, term: given.term } });
        const isOnce = isFromAlert && given.term.kind === 'purchase';
        return asked(action, [anyway(yesTo(acctOf(given.card), goals, given.term))], isOnce ? 8410 : null);
      }
      case 'ask for more': {
        const amountCents = (dollarsOf(given.amount, given.card, 'daily') ?? 100) * 100;
        return asked(ask('ask', { ...over, ...onCard(given.card), ask: { amountCents, term: given.term } }));
      }
      case 'approve':
      case 'change and approve':
      case 'deny':
      case 'withdraw':
      case 'break the glass': {
        const request = newest(await deps.requests.open(), given.which);
        if (request === undefined) return null;
        const on = { target: requestTarget(requestValue(request)) };
        // The request keeps the declined purchase as its subject.
        const purchaseCents = request.action.target.kind === 'alert' ? 8410 : null;
        if (given.does === 'break the glass')
          return asked(ask('emergency-override', { ...over, ...on, reason: 'urgent' }), [], purchaseCents);
        if (given.does === 'withdraw') return asked(ask('withdraw', { ...over, ...on }));
        if (given.does === 'deny') return asked(ask('decide', { ...over, ...on, approve: false }));
        const isChanged = given.does === 'change and approve' && request.changes.length > 0;
        const own = isChanged ? changed(given, request.changes, request.acctId) : null;
        const term = own?.term ?? request.term;
        const wanted = yesTo(request.acctId, own?.goals ?? request.changes, term);
        const yes = { ...wanted, saw: withShown(wanted.saw, request.changes) };
        const isOnce = term.kind === 'purchase';
        const action = ask('decide', { ...over, ...on, approve: true, changeRequest: own });
        return asked(action, [yes], isOnce ? purchaseCents : null);
      }
      case 'take back':
      case 'put back':
      case 'leave it': {
        const change = newest(await deps.temporaryChanges.all(), given.which);
        if (change === undefined) return null;
        const on = { target: { kind: 'temporary-change', temporaryChangeId: change.id } as const };
        if (given.does === 'take back') return asked(ask('revert', { ...over, ...on }));
        return asked(ask('complete-temporary-change', { ...over, ...on, restore: given.does === 'put back' }));
      }
      case 'block':
      case 'unblock': {
        if (given.does === 'block') lastBlock = id;
        const acctId = acctOf(given.card);
        const made = asked(ask(given.does, { ...over, ...onCard(given.card) }), [
          yesTo(acctId, [], { kind: 'permanent' }),
        ]);
        return given.does === 'unblock' ? made : { ...made, job: { ...made.job, blocks: service.inUseOf(acctId) } };
      }
      case 'report fraud':
        lastBlock = id;
        return asked(ask('block', { ...over, isFraud: true }));
      case 'close the fraud case': {
        const alertId = await deps.fraudCases.openOf(accountOf.hugo);
        return alertId === null
          ? null
          : asked(ask('close-fraud-case', { ...over, target: { kind: 'alert', alertId } }));
      }
      case 'activate': {
        const { cards } = accountAt(given.card);
        const closes = [...cards.keys()];
        const closesActive = closes.filter((cardId) => cards.get(cardId) === 'ACTIVE');
        const made = asked(ask('activate', { ...over, ...onCard(given.card, true), closes, closesActive }));
        return { ...made, job: { ...made.job, closesActive } };
      }
      case 'undo a block':
        return asked(ask('undo-block', { ...over, target: { kind: 'action', actionId: lastBlock } }));
      case 'order': {
        const order = { ...(JSON.parse(virtualOrder.sealed) as object), fundCents: given.dollars * 100 };
        return asked(ask('order-virtual', { ...over, target: { kind: 'order', sealed: JSON.stringify(order) } }));
      }
      case 'link':
        return asked(ask('link', { ...over, ...onCard(given.card), subject: userOf(given.subject) }));
      case 'claim':
        return asked(ask('claim', { ...over, ...onCard(given.card), confirmed: true }));
      case 'unlink':
        return asked(ask('unlink', { ...over, ...onCard(given.card) }));
      case 'unmute':
        return asked(ask('unmute', { ...over, ...onCard(given.card) }));
      case 'confirm a claim': {
        const claim = newest(await deps.claims.open(), given.which);
        if (claim === undefined) return null;
        const heldBy = (await deps.links.ofAccount(claim.card.acctId))?.userId ?? null;
        return asked(ask('decide-claim', { ...over, target: claimTarget(claimValue(claim.id, heldBy), true) }));
      }
      case 'name a delegate': {
        const days = { from: dayOf(askedAt), until: dayOf(askedAt + given.days * DAY) };
        const target = { kind: 'channel', text: '' } as const;
        if (given.to === null) return asked(ask('end-delegation', { ...over, target, delegate: null }));
        return asked(ask('delegate', { ...over, target, delegate: { to: userOf(given.to), ...days } }));
      }
      case 'mute':
        return asked(ask('mute', { ...over, ...onCard(given.card), details: `${given.hours} hours` }));
      case 'travel-mute':
        return asked(ask('travel', { ...over, ...onCard(given.card), details: `ES ${given.hours} hours` }));
    }
  }

  function changed(
    { amount, term }: Extract<Ask, { does: 'change and approve' }>,
    changes: readonly RuleGoal[],
    acctId: number,
  ): { goals: RuleGoal[]; term: Term } {
    const card = acctId === accountOf.ana ? 'ana' : acctId === accountOf.bob ? 'bob' : 'hugo';
    const goals = changes.map((change): RuleGoal => {
      if (change.rule.kind !== 'limit' || change.rule.period === 'transaction')
        return { rule: change.rule, to: change.to };
      const dollars = dollarsOf(amount, card, change.rule.period);
      return { rule: change.rule, to: dollars === null ? null : dollars * 100 };
    });
    return { goals, term };
  }
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const outside: Job = { id: 'portal', verb: 'outside', by: null, askedAt: 0, approvalsGiven: [], purchaseCents: null };

function sawOf({ accounts }: Facts, acctId: number): Record<string, number> {
  const rules = Object.entries(accounts[acctId]?.rules ?? {});
  // What it goes back to in between is shown, too.
  const seen = (value: (typeof rules)[number][1]) => Math.min(least(value), ...value.ahead.map((one) => one.value));
  return Object.fromEntries(rules.map(([rule, value]) => [rule, seen(value)]));
}

/**
 * The lower of the value that a request shows and the current one: a restored value is no surprise. The card may still have
 * another one than a change whose answer was lost is taken to have set.
 */
function withShown(saw: Record<string, number>, changes: readonly RuleChange[]): Record<string, number> {
  const shown = changes.map(({ rule, from }): [string, number] => {
    const value = asNumber(from);
    return [ruleKey(rule), Math.min(value, saw[ruleKey(rule)] ?? value)];
  });
  return Object.fromEntries(shown);
}

function lastsMs(term: Term): number {
  if (term.kind === 'duration') return term.ms;
  return term.kind === 'permanent' ? Number.POSITIVE_INFINITY : 15 * 60_000;
}
