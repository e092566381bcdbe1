import { describe, expect, it } from 'vitest';
import { refusal } from '../../../templates/policy/refusal.ts';

const no = { what: 'Unblocking the card', why: 'Nobody unblocks the own card.', whoCan: 'Ask another approver.' };
const shownIn = (message: ReturnType<typeof refusal>): string[] => [message.text, JSON.stringify(message.blocks)];

describe('a refusal', () => {
  it('says what was asked, why not, who can, and that nothing changed, also in the fallback text', () => {
    for (const shown of shownIn(refusal(no))) {
      expect(shown).toContain('Not done: Unblocking the card.');
      expect(shown).toContain(no.why);
      expect(shown).toContain(no.whoCan);
      expect(shown).toContain('Nothing changed.');
    }
  });

  it('does not repeat what the person has just asked for', () => {
    const { text, blocks } = refusal({ why: no.why, whoCan: no.whoCan });
    expect(text).toMatch(/^Not done\. Nobody unblocks/);
    expect(JSON.stringify(blocks)).toContain('*Not done.* Nobody unblocks');
  });

  it('names at most twenty people who can, and says how many more there are', () => {
    const userIds = Array.from({ length: 21 }, (_, index) => `U0${index}X`);

    for (const shown of shownIn(refusal({ ...no, whoCan: { text: 'Ask another approver:', userIds } }))) {
      expect(shown).toContain('Ask another approver: <@U00X>, <@U01X>,');
      expect(shown).toContain('<@U019X> and 1 more.');
      expect(shown).not.toContain('<@U020X>');
    }
  });

  it('names nobody if nobody can', () => {
    for (const shown of shownIn(refusal({ ...no, whoCan: { text: 'Ask another approver.', userIds: [] } })))
      expect(shown).not.toContain('<@');
  });

  it('names the channel where it can be done', () => {
    for (const shown of shownIn(
      refusal({ ...no, whoCan: { text: 'Do it in', userIds: ['U0ANA'], channels: ['C0OPS'] } }),
    )) {
      expect(shown).toContain('Do it in <#C0OPS>.');
      expect(shown).not.toContain('U0ANA');
    }
  });

  it('says what an earlier attempt may have changed', () => {
    for (const shown of shownIn(refusal({ ...no, changed: 'The limit may be $450.00.' }))) {
      expect(shown).toContain('The limit may be $450.00.');
      expect(shown).not.toContain('Nothing changed.');
    }
  });
});
