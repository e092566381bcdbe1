import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { createSlackAnswers, PERSON_KNOWN_FOR_MS } from '../../../src/policy/slack-answers.ts';

const log = createLog({ level: 'silent', process: 'test' });

function world() {
  const slack = { says: 'Ana', calls: [] as string[], refuses: null as SlackError | null };
  const moment = { ms: 0, version: null as string | null };
  const { of } = createSlackAnswers({
    what: 'person',
    async ask(id) {
      slack.calls.push(id);
      if (slack.refuses !== null) throw slack.refuses;
      return slack.says;
    },
    version: async () => moment.version,
    log,
    now: () => moment.ms,
  });
  return { of, slack, moment };
}

const limited = new SlackError('users.info', 'rate_limited', 'ratelimited');

it('looks up a person who does three things a second only three times a minute', async () => {
  const { of, slack, moment } = world();

  for (; moment.ms < 60_000; moment.ms += 333) await of('U1', { knownForMs: PERSON_KNOWN_FOR_MS });

  expect(slack.calls).toHaveLength(3);
});

it('looks up again as soon as Slack reports a change', async () => {
  const { of, slack, moment } = world();
  await of('U1', { knownForMs: PERSON_KNOWN_FOR_MS });
  slack.says = 'Ana, deactivated';
  moment.version = 'another';

  expect(await of('U1', { knownForMs: PERSON_KNOWN_FOR_MS })).toBe('Ana, deactivated');
});

it('uses an answer from the last minute at a Slack rate limit, unless something changed since', async () => {
  const { of, slack, moment } = world();
  await of('U1');
  slack.refuses = limited;
  moment.ms = 60_000;

  expect(await of('U1')).toBe('Ana');
  moment.ms = 60_001;
  await expect(of('U1'), 'an answer that is too old').rejects.toBe(limited);
  moment.ms = 1;
  moment.version = 'another';
  await expect(of('U1'), 'an answer from before a change').rejects.toBe(limited);
});

it('looks up everyone less often for a minute after a rate limit', async () => {
  const { of, slack, moment } = world();
  await of('U1', { knownForMs: 5000 });
  slack.refuses = limited;
  await expect(of('U2')).rejects.toBe(limited);
  slack.refuses = null;
  slack.calls.length = 0;

  for (; moment.ms < 60_000; moment.ms += 1000) await of('U1', { knownForMs: 5000 });
  expect(slack.calls, 'once in 20 seconds').toHaveLength(2);
  for (; moment.ms < 120_000; moment.ms += 1000) await of('U1', { knownForMs: 5000 });
  expect(slack.calls, 'then as before').toHaveLength(2 + 12);
});

it('drops the oldest lookup when there are too many', async () => {
  const { of, slack } = world();
  for (let index = 0; index <= 1000; index += 1) await of(`U${index}`);
  slack.calls.length = 0;

  await of('U1000', { knownForMs: 1 });
  await of('U0', { knownForMs: 1 });

  expect(slack.calls).toEqual(['U0']);
});
