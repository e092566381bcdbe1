import { describe, expect, it } from 'vitest';
import { readSlashText } from '../../../src/dispatch/slash-text.ts';

describe('the text of a command that Slack escaped', () => {
  it.each([
    ['link 4242 <@U0JANE|jane>', 'link 4242 <@U0JANE>'],
    ['block 4242 lost by <@U0JANE|jane> at A&amp;B', 'block 4242 lost by @jane at A&B'],
    ['block 4242 see <#C0OPS|ops> <https://example.com/x|example.com/x>', 'block 4242 see #ops example.com/x'],
    ['block 4242 see <https://example.com/x>', 'block 4242 see https://example.com/x'],
    ['block 4242 said <!subteam^S1|@team> 1 &lt; 2', 'block 4242 said @team 1 < 2'],
    ['show 4242', 'show 4242'],
    // Typed with its angle brackets, so no person that Slack found.
    ['block 4242 &lt;@U0JANE&gt;', 'block 4242 <@U0JANE>'],
  ])('%j', (escaped, typed) => {
    expect(readSlashText(escaped)).toBe(typed);
  });
});
