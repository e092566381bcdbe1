import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { channelUnusableIssue, personUnreachable, postsRefused } from '../../../src/ops/refused-messages.ts';

const refused = (code: string): SlackError => new SlackError('chat.postMessage', 'channel_unusable', code);

/** Slack's codes for a channel that cannot be posted to. */
const [, listed = ''] =
  /const unusableCodes = new Set\(\[([^\]]*)\]/.exec(readFileSync('src/slack/failure.ts', 'utf8')) ?? [];
const codes = [...listed.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);

it.each(codes)('has advice of its own for %s', (code) => {
  const { todo, about } = channelUnusableIssue('C1', refused(code));

  expect(todo).not.toBe('');
  expect(todo).not.toContain(code);
  expect(about).toBe('C1');
});

it.each([
  ['not_in_channel', /\/invite @Cardbell/],
  ['is_archived', /^Unarchive/],
  ['is_inactive', /^Unarchive/],
  ['restricted_action', /posting permissions/],
  ['cannot_reply_to_message', /replies in threads/],
  ['restricted_action_thread_only_channel', /Allow new messages/],
  ['some_new_code', /some_new_code/],
])('advises on a channel with %s what fits', (code, advice) => {
  const { todo } = channelUnusableIssue('C1', refused(code));

  expect(todo).toMatch(advice);
  if (code !== 'not_in_channel') expect(todo).not.toContain('invite');
});

it.each([
  ['user_disabled', 'U1', /^Unlink/],
  ['user_not_visible', 'U1', /\/card link/],
  ['cannot_dm_bot', 'U1', /to a person/],
  ['is_archived', null, /^If they have left/],
])('advises on a person with %s what fits', (code, userId, advice) => {
  const issue = personUnreachable(userId, refused(code));

  expect(issue.todo).toMatch(advice);
  expect(issue.about ?? null).toBe(userId);
});

it('says where the messages of an unusable channel are', () => {
  expect(channelUnusableIssue('C1', refused('is_archived')).means).toContain('go to ALERTS_CHANNEL');
  expect(channelUnusableIssue('C1', refused('is_archived'), 'wait').means).toContain('wait until this is fixed');
});

it.each([
  ['missing_scope', /chat:write/],
  ['http_403', /proxy/],
  ['code_of_tomorrow', /Look up code_of_tomorrow/],
])('advises on posts refused with %s what fits', (code, advice) => {
  expect(postsRefused('C1', refused(code)).todo).toMatch(advice);
});

it.each(['missing_scope', 'http_403', 'org_login_required'])(
  'posts refused to the whole app (%s) are one issue, and name no channel',
  (code) => {
    const issue = postsRefused('C1', refused(code));

    expect(postsRefused('U2', refused(code))).toEqual(issue);
    expect(issue.about).toBeUndefined();
  },
);

it.each(['access_denied', 'no_permission', 'code_of_tomorrow'])(
  'posts refused with %s, which may concern one channel, are an issue of each',
  (code) => {
    const issue = postsRefused('C1', refused(code));

    expect(issue.about).toBe('C1');
    expect(postsRefused('C2', refused(code)).cause).not.toBe(issue.cause);
    expect(postsRefused(null, refused(code)).about).toBeUndefined();
  },
);
