import type { SectionBlock } from '@slack/types';
import type { Confirmation, Outcome } from '../../src/actions/action-state.ts';
import type { Rule } from '../../src/card-api/rule.ts';
import { formatRoughly } from '../../src/core/duration.ts';
import { capital, lowerFirst } from '../../src/core/first-letter.ts';
import { formatCents } from '../../src/core/money.ts';
import { SECTION_TEXT_MAX } from '../../src/slack/limits.ts';
import { dateToken, mention, timeToken } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, RULES_MAX, section, withTimes } from '../core/blocks.ts';
import { goesBack, sentences } from '../core/change-words.ts';

type Words = Readonly<Record<Outcome['state'], string>>;

/** `Blocked`, `Block failed`, `Block pending`, `May be blocked`. */
function change(done: string, noun: string): Words {
  return { done, failed: `${noun} failed`, waiting: `${noun} pending`, unknown: `May be ${lowerFirst(done)}` };
}

const paidWords = { done: 'Paid', failed: 'Payment reversed', waiting: 'Not paid yet', unknown: 'May be paid' };

/** A text alone: it is only shown once it is done. */
const words: Readonly<Record<Outcome['verb'], Words | string>> = {
  block: change('Blocked', 'Block'),
  unblock: change('Unblocked', 'Unblock'),
  activate: change('Activated', 'Activation'),
  limit: {
    done: 'Limit changed',
    failed: 'Limit change failed',
    waiting: 'Sent to approvers',
    unknown: 'Limit may have changed',
  },
  allow: {
    done: 'Spending rules changed',
    failed: 'Change of spending rules failed',
    waiting: 'Sent to approvers',
    unknown: 'Spending rules may have changed',
  },
  restore: { done: 'Put back', failed: 'Not put back', waiting: 'Not put back yet', unknown: 'May be put back' },
  keep: 'Left as it is',
  supersede: 'Replaced by a later change',
  rebase: 'Goes back to another value',
  recognize: 'Purchase confirmed',
  'report-fraud': 'Reported as fraud',
  'close-case': 'Case closed',
  paid: paidWords,
  'repeat-paid': paidWords,
  acknowledge: 'Seen',
};

const isOfPayment = (verb: Outcome['verb']): boolean => verb === 'paid' || verb === 'repeat-paid';

function person({ verb, by, asHolder, closed, isOverride }: Outcome, state: Outcome['state']): string {
  if (isOfPayment(verb) || ((verb === 'rebase' || verb === 'keep') && by === null)) return '';
  if (by === null) return state !== 'done' ? '' : verb === 'restore' ? ' automatically' : ' outside Slack';
  const who = asHolder === true ? `the holder ${mention(by)}` : mention(by);
  if (state === 'done') return ` by ${who}${isOverride === true ? ' (emergency override)' : ''}`;
  return ` (${state === 'waiting' || closed !== undefined ? 'asked' : 'requested'} by ${who})`;
}

/** A request that ended without a change did not fail. */
function wordsOf({ verb, closed }: Outcome, state: Outcome['state']): string {
  if (closed !== undefined && state === 'failed')
    return `Request ${closed.how === 'paid' ? 'no longer needed' : closed.how}`;
  const ofVerb = words[verb];
  return typeof ofVerb === 'string' ? ofVerb : ofVerb[state];
}

/** `Blocked`, `Blocked (not confirmed)`, `Paid $80.00 of $84.10`. */
function shortWords(outcome: Outcome): string {
  const { verb, state, confirmation, text } = outcome;
  const isUnconfirmed = state === 'done' && confirmation === 'unconfirmed';
  const amount = isOfPayment(verb) && text !== '' ? ` ${text}` : '';
  return `${wordsOf(outcome, state)}${amount}${isUnconfirmed ? ' (not confirmed)' : ''}`;
}

/** How certain it is. A superseded change needs no note. */
const sureWords: Readonly<Record<Confirmation, string>> = {
  sent: ' · sent, not confirmed yet',
  confirmed: ' · confirmed',
  unconfirmed: ' · *not confirmed* by the card service within 2 minutes. Check the card',
  superseded: '',
};

/** The rules of a change, and what they go back to. */
const TEXT_MAX = 2 * RULES_MAX;
const REASON_MAX = 300;

/** The temporary changes that are over: they go back to nothing any more. */
export function endedIn(outcomes: readonly Outcome[]): ReadonlySet<string | undefined> {
  return new Set(outcomes.map(({ ends }) => ends));
}

/**
 * `Blocked by @ana at 9:14 AM today · confirmed. Nothing else changed.`
 *
 * @param ended see {@link endedIn}.
 */
export function outcomeLine(outcome: Outcome, ended: ReadonlySet<string | undefined> = new Set()): string {
  const { verb, by, at, state, text, reason = '', confirmation, control, closed } = outcome;
  const isClosed = closed !== undefined && state === 'failed';
  const closedBy = isClosed && closed.how === 'denied' && closed.by !== null ? ` by ${mention(closed.by)}` : '';
  const isSeen = verb === 'acknowledge';
  const when = dateToken(at, '{time} {date_short_pretty}');
  if (verb === 'repeat-paid') return `*${wordsOf(outcome, state)}:* ${escapeUntrusted(text, TEXT_MAX)} at ${when}`;
  const isChecked = state === 'done' || (state === 'unknown' && confirmation === 'unconfirmed');
  const sure = confirmation === undefined || !isChecked ? '' : sureWords[confirmation];
  const head =
    verb === 'recognize' && by !== null && state === 'done'
      ? `*${mention(by)} confirmed making this purchase* at ${when}`
      : `*${wordsOf(outcome, state)}*${closedBy}${person(outcome, state)} at ${when}${sure}`;
  const said = [
    withTimes(sentences(text), TEXT_MAX),
    control == null || ended.has(control.id) ? '' : goesBack(control),
    reason === '' ? '' : escapeUntrusted(sentences(`Reason: ${reason}`), REASON_MAX),
  ].filter(Boolean);
  return isSeen || isClosed || said.length === 0 ? head : `${head}. ${said.join(' ')}`;
}

/** The maximum time for the card service's answer to a change. */
const ANSWERED_WITHIN_MS = 10_000;
const changeVerbs: ReadonlySet<Outcome['verb']> = new Set(['limit', 'allow', 'unblock', 'activate']);

/** How a retry succeeded, and the outcomes its text covers; null if no retry did. */
export interface Resolution {
  /** `Approved by @Ana, paid at 4:28 AM, limit back to $150.00. 7 minutes after the decline.` */
  readonly words: string;
  /** The outcomes that the text covers, with their amounts. */
  readonly covered: readonly (Outcome | undefined)[];
  /** How certain it is that the purchase was paid: another amount may be another purchase, or a part. */
  readonly title: 'Resolved' | 'Partly paid' | 'Probably resolved';
  /** The change that let the purchase through. */
  readonly approved: Outcome | undefined;
}

/** A payment that the holder reported as fraud resolves nothing. */
export function resolutionOf(outcomes: readonly Outcome[], declinedAt: string): Resolution | null {
  if (currentState(outcomes).isFraud) return null;
  const done = outcomes.filter(({ state }) => state === 'done');
  const index = done.findIndex(({ verb }) => verb === 'paid');
  const paid = done[index];
  if (paid === undefined) return null;
  const isChange = ({ verb }: Outcome): boolean => changeVerbs.has(verb);
  const sincePaid = ({ at }: Outcome): number => Date.parse(at) - Date.parse(paid.at);
  const isOver = (change: Outcome, at: number): boolean =>
    done.slice(at + 1).some((one) => isEndOf(change, one, done) && sincePaid(one) < -ANSWERED_WITHIN_MS);
  const before = done.slice(0, index).findLastIndex((one, at) => isChange(one) && !isOver(one, at));
  // Later changes are unrelated to this purchase, unless the retry was faster than the answer to the change.
  const isMeanwhile = (one: Outcome): boolean => isChange(one) && Math.abs(sincePaid(one)) <= ANSWERED_WITHIN_MS;
  const approvedAt = before === -1 ? done.findIndex(isMeanwhile) : before;
  const approved = done[approvedAt];
  const isOfAnother = (end: Outcome): boolean =>
    approved !== undefined && isRaise(approved) && !isEndOf(approved, end, done);
  const restored = done
    .slice(approvedAt + 1)
    .find((one) => one.verb === 'restore' && !isOfAnother(one) && sincePaid(one) >= -ANSWERED_WITHIN_MS);
  const approval =
    approved === undefined || approved.by === null ? '' : `${approvedWord(approved)} by ${mention(approved.by)}, `;
  const back = restored === undefined ? '' : `, ${backWords(restored)}`;
  const when = timeToken(paid.at, declinedAt);
  const ms = Date.parse(paid.at) - Date.parse(declinedAt);
  const took = ms < 60_000 ? 'Less than a minute' : formatRoughly(ms);
  const amount = paid.text === '' ? '' : `${escapeUntrusted(paid.text, 40)} `;
  const words = `${approval}paid ${amount}at ${when}${back}. ${took} after the decline.`;
  // A change that is still in effect, or that someone reverted, keeps its own line with the values. Several limits keep
  // all of them.
  const isAllSaid = restored?.by === null && limitBack(restored) !== null;
  return {
    words: capital(words),
    title: paid.text === '' ? 'Resolved' : paid.isPart === true ? 'Partly paid' : 'Probably resolved',
    covered: isAllSaid ? [approved, paid, restored] : isOnlyNamed(approved) ? [approved, paid] : [paid],
    approved,
  };
}

/** Its own line would say only who did what again: there are no values, and no reason. */
function isOnlyNamed(approved: Outcome | undefined): boolean {
  if (approved === undefined || approved.by === null) return false;
  const { verb, text, reason = '' } = approved;
  return (verb === 'unblock' || verb === 'activate') && text === '' && reason === '';
}

const isRaise = ({ verb }: Outcome): boolean => verb === 'limit' || verb === 'allow';

/** A card stays unblocked and activated when its temporary change ends. @param all where the change that ends may be. */
function isEndOf(change: Outcome, { verb: later, ends }: Outcome, all: readonly Outcome[]): boolean {
  if (!isRaise(change)) return false;
  const { control } = change;
  const isNamed = ends !== undefined && all.some((one) => one.control?.id === ends);
  if (isNamed) return (later === 'restore' || later === 'supersede') && control?.id === ends;
  // It may be any that has no id of its own.
  return later === 'restore' && (control == null || ends === undefined);
}

function approvedWord({ verb, isOverride }: Outcome): string {
  if (isOverride === true) return 'emergency override';
  return verb === 'unblock' ? 'unblocked' : verb === 'activate' ? 'activated' : 'approved';
}

/** `limit back to $150.00`. */
function backWords(restored: Outcome): string {
  const back = limitBack(restored);
  return back === null ? 'temporary change over' : `limit back to ${formatCents(back.toCents)}`;
}

/** A single limit that is back at an amount, in whole cents. Null: anything else went back. */
export function limitBack({ goals: [goal, ...others] = [] }: Outcome): { rule: Rule; toCents: number } | null {
  return typeof goal?.to === 'number' && others.length === 0 ? { rule: goal.rule, toCents: goal.to } : null;
}

/** The same as lines, above what else people did. Unconfirmed outcomes keep their own line. */
export function closedLines(outcomes: readonly Outcome[], declinedAt: string): SectionBlock[] {
  const resolution = resolutionOf(outcomes, declinedAt);
  if (resolution === null) return outcomeLines(outcomes);
  const others = outcomes.filter(
    (one) => one.verb !== 'acknowledge' && (!resolution.covered.includes(one) || one.confirmation === 'unconfirmed'),
  );
  const first = `*${resolution.title}.* ${resolution.words}`;
  return [section(first, ...latestLines(others, endedIn(outcomes), first.length))];
}

/** What people did about an alert: the last six, oldest first. */
export function outcomeLines(outcomes: readonly Outcome[]): SectionBlock[] {
  return outcomes.length === 0 ? [] : [section(...latestLines(outcomes, endedIn(outcomes)))];
}

/** The last six, or as many of them as one section has room for. @param used characters of it. */
function latestLines(outcomes: readonly Outcome[], ended: ReadonlySet<string | undefined>, used = 0): string[] {
  const lines = outcomes.slice(-6).map((outcome) => outcomeLine(outcome, ended));
  let room = SECTION_TEXT_MAX - used;
  const tooMany = lines.findLastIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return lines.slice(tooMany + 1);
}

/** The outcome for which there is room: the last one, unless the purchase was paid. A fraud report matters more than that. */
export function mainOutcome(outcomes: readonly Outcome[]): Outcome | undefined {
  if (currentState(outcomes).isFraud) return outcomes.findLast(({ verb }) => !isOfPayment(verb));
  return outcomes.findLast(({ verb, state }) => verb === 'paid' && state === 'done') ?? outcomes.at(-1);
}

/** The main outcome as a plain sentence, for the fallback text. */
export function outcomeSentence(outcomes: readonly Outcome[]): string {
  const last = mainOutcome(outcomes);
  if (last === undefined) return '';
  return ` ${escapeUntrusted(shortWords(last), 80)}${person(last, last.state)}.`;
}

/** A short form: the text without the person, and the person to name next to it (null: unknown). */
export function outcomeShort(outcome: Outcome): { readonly words: string; readonly by: string | null } {
  const { by } = outcome;
  return { words: shortWords(outcome), by: by !== null && /^[UW][A-Z0-9]{1,30}$/.test(by) ? by : null };
}

/** Determines which controls still make sense after what people did. */
export function currentState(outcomes: readonly Outcome[]) {
  const known = {
    /** Blocked, or about to be. */
    isBlocked: false,
    /** Unblocked, and not blocked again since. */
    isUnblocked: false,
    isActivated: false,
    isRaised: false,
    /** Someone acknowledged it or acted on it. */
    isSeen: false,
    /** The holder confirmed the purchase. `isFraud`: the holder denied it. */
    isRecognized: false,
    isFraud: false,
    /** A retry succeeded. */
    isPaid: false,
  };
  for (const { verb, state, by, confirmation } of outcomes) {
    // The card has paid for something else since, even if that went back later.
    if (verb === 'repeat-paid' && !known.isBlocked) known.isUnblocked = true;
    // An uncertain outcome does not change any control.
    if (state === 'failed' || state === 'unknown' || confirmation === 'unconfirmed') continue;
    if (verb === 'block') known.isBlocked = true;
    if (verb === 'unblock') known.isBlocked = known.isBlocked && state !== 'done';
    if (verb === 'block' || verb === 'unblock') known.isUnblocked = verb === 'unblock' && state === 'done';
    if (verb === 'activate') known.isActivated = true;
    if (verb === 'recognize') known.isRecognized = true;
    // The holder may still have made it after all.
    if (verb === 'report-fraud' || verb === 'recognize') known.isFraud = verb === 'report-fraud';
    if (verb === 'paid') known.isPaid = true;
    if (verb === 'limit' || verb === 'allow') known.isRaised = true;
    // A temporary change has ended, so it may be needed again.
    if (verb === 'restore') known.isRaised = known.isRaised && state !== 'done';
    if (verb === 'acknowledge' || verb === 'paid' || (state === 'done' && by !== null)) known.isSeen = true;
  }
  return known;
}
