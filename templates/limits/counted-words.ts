import { groupBy } from '../../src/core/group-by.ts';
import { serviceClock, serviceZone } from '../../src/core/installation.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import { ruleName } from '../../src/limits/rule-words.ts';
import {
  type CountedRaise,
  countedCents,
  type EarlierRaise,
  type ExceededCap,
} from '../../src/policy/approval-policy.ts';
import { dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { countOf, escapeUntrusted } from '../core/blocks.ts';

const capWords: Readonly<Record<ExceededCap['scope'], string>> = {
  person: 'one approver alone',
  card: 'one card',
  program: 'all cards together',
};

/** A cap asks for a second approver, never for more: these are for the amount. */
export const BY_CAP = 2;

/** `a second approver`, `3 approvers`. */
export function whoElse(needed: number): string {
  return needed === 2 ? 'a second approver' : countOf(needed, 'approver');
}

/** `A raise of more than $1,000.00 within 24 hours needs a second approver.` */
export function whyOthers({ rule, ownCents, aboveCents, cap }: CountedRaise, needed: number): string {
  const who = whoElse(needed);
  if (cap !== null && needed <= BY_CAP) return `This goes ${overCap(cap)}. It needs ${who}.`;
  if (ownCents === null && rule.kind === 'limit') return `Removing a limit needs ${who}.`;
  if (ownCents === null || aboveCents === null) return `A change without an amount needs ${who}.`;
  return `A raise of more than ${formatCents(aboveCents)} within 24 hours needs ${who}.`;
}

/** `over the cap for one card: $800.00 of $1,000.00 used within 24 hours`. */
export function overCap({ scope, days, earlierCents, capCents }: ExceededCap): string {
  const within = days === 1 ? '24 hours' : countOf(days, 'day');
  const used = `${formatCents(earlierCents)} of ${formatCents(capCents)}`;
  return `over the cap for ${capWords[scope]}: ${used} used within ${within}`;
}

/** How people, times and names are formatted. */
interface Written {
  readonly who: (userId: string) => string;
  readonly at: (instant: string) => string;
  readonly name: (text: string) => string;
}

const inSlack: Written = {
  who: mention,
  // All times are less than a day old when counted, so the time of day is unambiguous.
  at: (instant) => dateToken(instant, '{time}', `${serviceClock(instant)} ${serviceZone().short}`),
  name: (text) => escapeUntrusted(text),
};

/** Older raises beyond these are shown as one sum. */
const RAISES_MAX = 10;

/**
 * What a raise adds, and which earlier raises count with it: `This raises the daily limit by $400.00. @Ana raised it by
 * $700.00 at 9:12 AM and by $150.00 at 11:40 AM: $1,250.00 in 24 hours.`
 *
 * @returns mrkdwn.
 */
export function countedWords(counted: CountedRaise): string {
  return words(counted, inSlack);
}

/** The same as plain text with ids and UTC times, for the record. */
export function countedText(counted: CountedRaise): string {
  const asIs = (text: string): string => text;
  return words(counted, { who: asIs, at: asIs, name: asIs });
}

function words(counted: CountedRaise, written: Written): string {
  const { ownCents, earlier } = counted;
  const own = ownWords(counted, written);
  if (ownCents === null || earlier.length === 0) return `${own}.`;
  const cents = countedCents(counted);
  const most = earlier.some(({ isUnsure }) => isUnsure) ? 'up to ' : '';
  const all = Number.isFinite(cents) ? `: ${most}${formatCents(cents)} in 24 hours` : ' within 24 hours';
  return `${own}. ${earlierWords(counted, written)}${all}.`;
}

function ownWords({ rule, ownCents }: CountedRaise, { name }: Written): string {
  const what = name(ruleName(rule));
  if (rule.kind === 'limit')
    return ownCents === null ? `This removes the ${what}` : `This raises the ${what} by ${formatCents(ownCents)}`;
  return ownCents === null
    ? `This allows ${what}, without an amount`
    : `This allows ${what} for ${formatCents(ownCents)}`;
}

function earlierWords({ rule, earlier }: CountedRaise, { who, at }: Written): string {
  const isLimit = rule.kind === 'limit';
  const did = isLimit ? 'raised it' : 'allowed them';
  const didIn = ({ isUnsure = false }: EarlierRaise): string => (isUnsure ? `may have ${did}` : did);
  const amount = (cents: number | null): string => {
    if (cents === null) return isLimit ? 'to no limit' : 'without an amount';
    return `${isLimit ? 'by' : 'for'} ${formatCents(cents)}`;
  };
  const shown = earlier.slice(-RAISES_MAX);
  const before = earlier.slice(0, -RAISES_MAX);
  const groups = groupBy(shown, (raise) => `${who(raise.by)} ${didIn(raise)}`);
  const names = [...groups].map(([whoDid, raises]) => {
    const amounts = raises.map((raise) => `${amount(raise.cents)} at ${at(raise.at)}`);
    return `${whoDid} ${joinWithAnd(amounts)}`;
  });
  if (before.length === 0) return joinWithAnd(names);
  const cents = sum(before);
  const added = cents === null ? '' : ` added ${formatCents(cents)}`;
  return joinWithAnd([...names, `${countOf(before.length, 'raise')} before these${added}`]);
}

/** Null if one of them has no amount. */
function sum(raises: readonly EarlierRaise[]): number | null {
  return raises.reduce<number | null>((all, { cents }) => (all === null || cents === null ? null : all + cents), 0);
}

/** `another approver`, `2 other approvers`. */
export function otherApprovers(count: number): string {
  return count === 1 ? 'another approver' : countOf(count, 'other approver');
}
