import { serviceClock, serviceZone } from '../../src/core/installation.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted } from '../core/blocks.ts';
import { type BatchRow, howMuchWhere } from './batch-row.ts';

/** Everything of a row on one short line. */
export function rowLine(row: BatchRow): string {
  const head = [howMuchWhere(row), row.place].filter(Boolean).join(', ');
  const card = row.last4 === '' ? '' : ` ${escapeUntrusted(row.last4, 10)}`;
  const what = escapeUntrusted(`${row.what}${head === '' ? '' : `: ${head}`}`, 100);
  const when = row.at === '' ? '' : `${serviceClock(row.at, true)} ${serviceZone().short}`;
  return [what, escapeUntrusted(row.why, 50), escapeUntrusted(row.who, 40) + card, when].filter(Boolean).join(' · ');
}

/** Whose, which card, when: `Sam Rivera`, `card 1234`, a time. */
export function rowCard({ who, last4, at }: BatchRow): string[] {
  const card = last4 === '' ? '' : `card ${escapeUntrusted(last4, 10)}`;
  return [escapeUntrusted(who, 50), card, at === '' ? '' : dateToken(at, '{time}')].filter(Boolean);
}
