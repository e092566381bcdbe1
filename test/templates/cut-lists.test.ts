import { expect, it } from 'vitest';
import { limitWindows } from '../../src/card-api/rule.ts';
import { mentions } from '../../src/slack/mrkdwn.ts';
import { cardTrack } from '../../templates/alerts/card-track.ts';
import { explainDecline } from '../../templates/alerts/explain-decline.ts';
import { virtualCard } from '../../templates/alerts/virtual-card.ts';
import { renderHolderAlert } from '../../templates/holders/holder-alert.ts';
import { limitLine, limitLines } from '../../templates/limits/limit-words.ts';
import { batchRow } from '../../templates/outbox/batch-row.ts';
import { notPermitted } from '../../templates/policy/not-permitted.ts';
import { limitRaise, remedyOf } from '../support/limit-goals.ts';
import { card, change, declined, statusAlert, virtualAlert } from './fixtures.ts';
import { shown } from './shown.ts';

/** Lists without pages say how many more entries there are. */
const people = Array.from({ length: 23 }, (_, index) => `U${index + 100}`);
const view = { place: 'private', channel: 'C1' } as const;

it('people: the first twenty, and how many more', () => {
  expect(mentions(people)).toMatch(/<@U119> and 3 more$/);
  expect(mentions(people.slice(0, 20))).not.toContain('more');
  const asked = notPermitted({
    doing: 'block cards',
    role: 'operator',
    isExternal: false,
    isForSomeCards: false,
    instead: null,
    whoMay: people,
    askValue: null,
  });
  expect(shown(asked.blocks)).toContain('and 3 more.');
  const alert = declined('decline.rule.location', 'No');
  const whoMay = { approver: people, operator: [] };
  const { blocks } = explainDecline([{ alert, eventLog: null, whoMay }], { place: 'private', more: 0 });
  expect(JSON.stringify(blocks)).toContain('and 3 more.');
});

it('the cards of a tracked account and of a status change', () => {
  const cards = Array.from({ length: 13 }, (_, index) => ({
    cardId: index,
    last4: String(1000 + index),
    status: 'CLOSED',
  }));
  const track = cardTrack({ card, isVirtual: false, named: null, cards, shipments: [], isForHolder: false, at: '' });
  expect(shown(track.blocks)).toContain('… and 3 earlier cards.');

  const changes = cards.map(({ last4 }, index) => change({ cardId: index + 1, last4 }));
  for (const isLong of [true, false]) {
    const message = renderHolderAlert(statusAlert(changes), { place: 'direct', isLong });
    expect(shown(message?.blocks ?? [])).toContain('… and 3 more.');
    expect(shown(message?.blocks ?? []).match(/and 3 more/g)).toHaveLength(1);
  }
  expect(batchRow(statusAlert(changes), view).why).toMatch(/ and 8 more$/);
});

it('the limits that were too small', () => {
  const [first, ...others] = [...limitWindows, ...limitWindows].map((period, index) =>
    limitRaise(period, 1000, 9000, { remainingCents: 10, category: { id: index, name: `Kind ${index}` } }),
  );
  if (first === undefined) throw new Error('no limits');
  const alert = declined('decline.rule.velocity.mcc', 'over', { remedy: remedyOf(first, ...others) });

  expect(limitLine(alert, {})).toMatch(/Also too small: .* and \d more\./);
  expect(limitLines(alert, {})).toMatch(/Also too small: .* and \d more\./);
});

it('the missing parts of a virtual card', () => {
  const failed = Array.from({ length: 8 }, (_, index) => `Step ${index}`);

  expect(virtualCard(virtualAlert({ outcome: 'partial', failed }), view).text).toContain('“Step 7”');
});
