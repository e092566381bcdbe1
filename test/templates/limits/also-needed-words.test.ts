import { describe, expect, it } from 'vitest';
import { type AlsoNeeds, alsoNeededKinds, type Remedy } from '../../../src/limits/remedy-change.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { explainDecline } from '../../../templates/alerts/explain-decline.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { alsoNeeded, alsoNeededIn, stillNeeded } from '../../../templates/limits/also-needed-words.ts';
import { declined, outcome } from '../fixtures.ts';
import { buttonIds, shown } from '../shown.ts';

const tooSmall = 'A limit is too small, too.';
const abroadToo = 'Purchases abroad are not allowed either.';

it('is one sentence for each, which an outcome is recognized by', () => {
  expect(alsoNeeded([])).toBeNull();
  expect(alsoNeeded(['raise_limit', 'allow_international'])).toBe(`${tooSmall} ${abroadToo}`);
  for (const kind of alsoNeededKinds) expect(alsoNeededIn({ text: `Done. ${alsoNeeded([kind])}` })).toEqual([kind]);
  expect(alsoNeededIn({ text: 'Purchases abroad not allowed → allowed' })).toEqual([]);
});

it('is over with the next change, and while others are asked for it', () => {
  const allowed = outcome({ verb: 'allow', text: `Done. ${tooSmall}` });
  const limit = (state: 'done' | 'waiting' | 'failed') => outcome({ verb: 'limit', state, text: '' });

  expect(stillNeeded([])).toEqual([]);
  expect(stillNeeded([allowed])).toEqual(['raise_limit']);
  expect(stillNeeded([allowed, limit('done')])).toEqual([]);
  expect(stillNeeded([allowed, limit('waiting')])).toEqual([]);
  expect(stillNeeded([allowed, limit('failed')])).toEqual(['raise_limit']);
  expect(stillNeeded([allowed, outcome({ verb: 'restore' })])).toEqual([]);
});

describe.each([true, false])('a decline that one change does not let pass (long: %s)', (isLong) => {
  const remedy: Remedy = { kind: 'allow_international' };
  const text = 'Purchases abroad not allowed → allowed.';
  const allowed = (also: string) =>
    declined('decline.rule.location', 'no', { remedy, outcomes: [outcome({ verb: 'allow', text: text + also })] });
  const team = (alert: ReturnType<typeof declined>) => renderAlert(alert, { place: 'private', isLong })?.blocks ?? [];
  const holder = (alert: ReturnType<typeof declined>) =>
    renderHolderAlert(alert, { place: 'direct', isLong })?.blocks ?? [];

  it('says what else it needs, as far as its alert knows, until a rule is changed', () => {
    const alsoNeeds: AlsoNeeds = ['allow_card_not_present'];
    const alert = declined('decline.rule.location', 'no', { remedy: { ...remedy, alsoNeeds } });
    const done = { ...alert, outcomes: allowed('').outcomes };

    for (const read of [team, holder]) {
      expect(shown(read(alert))).toContain('Online purchases are not allowed either.');
      expect(shown(read(done))).not.toContain('Online purchases');
    }
  });

  it('tells its holder to ask for the rest, not to try again', () => {
    expect(shown(holder(allowed(` ${tooSmall}`)))).toContain(`${tooSmall} Ask for that as well.`);
    expect(shown(holder(allowed(` ${tooSmall}`)))).not.toMatch(/try again/i);
    expect(buttonIds(holder(allowed(` ${tooSmall}`)))).toContain('request_increase');
    expect(shown(holder(allowed('')))).toContain('You can try again now.');
    expect(buttonIds(holder(allowed('')))).not.toContain('request_increase');
  });

  it('keeps the button that opens the form, named after the rest', () => {
    const needed = JSON.stringify(team(allowed(` ${tooSmall}`)));

    expect(needed).toContain('Raise a limit…');
    expect(needed).toContain(tooSmall);
    expect(needed).not.toMatch(/Have the purchase tried again/);
    expect(JSON.stringify(team(allowed('')))).not.toMatch(/Raise a limit|Allow purchases/);
    expect(JSON.stringify(team(allowed(' Online purchases are not allowed either.')))).toContain(
      'Allow online purchases…',
    );
  });

  it('names in its explanation who can do the rest', () => {
    const whoMay = { approver: ['U0ZOE'], operator: [] };
    const explained = [{ alert: allowed(` ${tooSmall}`), eventLog: null, whoMay }];
    const read = JSON.stringify(explainDecline(explained, { place: 'private', more: 0 }));

    expect(read).toContain('Approvers can change the limit: <@U0ZOE>.');
    expect(read).toContain('Admin: Change what still stops it, then have the purchase tried again.');
  });

  it('asks for no money yet if the balance does not cover it either', () => {
    const alert = { ...allowed(` ${tooSmall}`), remedy: { ...remedy, lacksBalance: true as const } };

    expect(shown(holder(alert))).toContain(`${tooSmall} Ask for that as well.`);
    expect(shown(holder(alert))).not.toContain('Ask for money');
  });
});
