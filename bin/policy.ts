import './unexpected-error.ts';
import { EX_CONFIG, policyConfig } from '../src/app/config.ts';
import { wordsOf } from '../src/app/programs.ts';
import { redisNow } from '../src/core/clock.ts';
import { ConfigError } from '../src/core/errors.ts';
import { useInstallation } from '../src/core/installation.ts';
import { parseAmount } from '../src/core/money.ts';
import { CAPPED_MS } from '../src/policy/decide-action.ts';
import { createDecisionStore } from '../src/policy/decision-store.ts';
import type { Policy } from '../src/policy/policy.ts';
import { readPolicy, readPolicyFile, UNREADABLE_FILE } from '../src/policy/policy-source.ts';
import { countOf } from '../templates/core/blocks.ts';
import { endMisused, readVerb, requireNoMore } from './arguments.ts';
import { checkWords } from './policy/check-policy.ts';
import { explainPolicy, hasCaps, replayDecisions } from './policy/try-policy.ts';
import { reachRedis, sayProgram, warnIfEmpty } from './reach-redis.ts';

const usage = `The policy: check it, explain what it would do, and replay past decisions.

  npm run policy -- check                                   each fault with its line and the reason
  npm run policy -- explain "U01ANA limit 1234 daily 900"   what would happen, and who else could approve
  npm run policy -- replay [--since 30d]                    which decisions of the last 30 days would be different

  --file PATH       another file than POLICY_FILE
  explain: --now 500 (the limit as it is), --fund 1500 (the money on a virtual card to be ordered), --group "Crew North"
  (the card's group), --own (the person holds the card), --member S01FINANCE (the person is in that user group; may be
  repeated)

explain asks neither Slack nor the card service, and does not know earlier changes. Reads POLICY_FILE, OPERATORS,
APPROVERS, TWO_PERSON_ABOVE, and REDIS_URL for replay. Exit code: 0 when it is done, 1 when replay found differences or
check found no policy, 64 for a wrong command line, 65 when the file is not a policy, 69 when Redis does not answer, 78
when a variable is missing or bad.
`;

const nothingToCheck = `There is nothing to check: POLICY_FILE, OPERATORS and APPROVERS are not set here, so nobody may act on a card.
Run it with the variables of the worker (docs/runbooks/README.md), or name the file with --file.`;

const EX_DATAERR = 65;
const DAY_MS = 86_400_000;
const KEPT_DAYS = CAPPED_MS / DAY_MS;

function end(code: number, problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(code);
}

const command = { name: 'policy', usage };
const { verb, words, values } = readVerb(
  command,
  {
    file: { type: 'string' },
    since: { type: 'string' },
    now: { type: 'string' },
    fund: { type: 'string' },
    group: { type: 'string' },
    own: { type: 'boolean' },
    member: { type: 'string', multiple: true },
  },
  { check: ['file'], explain: ['file', 'now', 'fund', 'group', 'own', 'member'], replay: ['file', 'since'] },
);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (verb !== 'explain') requireNoMore(command, verb, words);
else if (words.length === 0) endMisused(command, 'explain: expected a person and what they type after the command');
const days = /^(\d+)d$/.exec(values.since ?? '30d')?.[1];
if (days === undefined) endMisused(command, `--since: expected days such as 30d, not ${values.since}`);
if (Number(days) > KEPT_DAYS)
  endMisused(
    command,
    `--since: expected at most ${KEPT_DAYS}d, because decisions are kept for ${KEPT_DAYS} days, not ${values.since}`,
  );
const nowCents = centsOf('now', values.now);
const fundCents = centsOf('fund', values.fund);
const noGroup = values.member?.find((id) => !/^S[A-Z0-9]+$/.test(id));
if (noGroup !== undefined) endMisused(command, `--member: “${noGroup}” is not a user group id such as S01FINANCE`);

const config = orEnd(EX_CONFIG, () => policyConfig());
useInstallation(config);
// For replay, `reachRedis` says it.
if (verb !== 'replay') sayProgram(config);
const policy = orEnd(
  EX_DATAERR,
  () => (values.file === undefined ? readPolicy(config) : readPolicyFile(values.file, config)),
  (problem) => wordsOf(config.program, problem),
);

if (verb === 'check') check(policy);
else if (verb === 'explain') explain(policy);
else process.exit(await replay(policy));

function centsOf(flag: string, amount: string | undefined): number | null {
  if (amount === undefined) return null;
  return parseAmount(amount) ?? endMisused(command, `--${flag}: expected dollars such as 500, not ${amount}`);
}

function orEnd<T>(code: number, read: () => T, inWords = (problem: string): string => problem): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) => (problem === UNREADABLE_FILE ? `--file: ${problem}` : problem));
    return end(code, inWords(problems.join('\n')));
  }
}

function check(read: Policy): void {
  const { policyFile, operators, approvers } = config;
  if (values.file === undefined && policyFile === null && operators.length + approvers.length === 0)
    end(1, wordsOf(config.program, nothingToCheck));
  say(`${read.source} is a valid policy, SHA-256 ${read.hash}.`);
  for (const line of checkWords(read)) say(line);
}

function explain(read: Policy): void {
  const assumed = {
    group: values.group ?? null,
    nowCents,
    fundCents,
    isOwnCard: values.own === true,
    memberOf: values.member ?? [],
    at: new Date(),
  };
  const explained = explainPolicy(read, words.join(' '), assumed);
  if (explained.kind === 'unclear') endMisused(command, explained.why);
  for (const line of explained.lines) say(line);
}

async function replay(read: Policy): Promise<0 | 1> {
  const redis = await reachRedis('policy', config);
  await warnIfEmpty(redis);
  const decisions = await createDecisionStore(redis).since((await redisNow(redis)) - Number(days) * DAY_MS);
  redis.disconnect();
  const { differences, skipped } = replayDecisions(read, decisions);
  for (const { at, actionId, userId, verb: asked, acctId, was, would } of differences)
    say(
      `${at}  ${actionId}  ${userId}  ${asked}  ${acctId === null ? '-' : `account ${acctId}`}  was: ${was}  would be: ${would}`,
    );
  say(`${differences.length} of ${countOf(decisions.length, 'decision')} would be different.`);
  if ([read.standard, ...read.groups].some(({ approval }) => hasCaps(approval)))
    say('Caps are compared with each change alone: earlier changes are not added.');
  if (skipped > 0)
    say(
      `${countOf(skipped, 'refusal')} not compared: these people have the role in this policy, but did not have it then. It may be new, their account may have been deactivated, or they were delegates of somebody who may not do it.`,
    );
  return differences.length === 0 ? 0 : 1;
}
