import { setTimeout as sleep } from 'node:timers/promises';
import webApi from '@slack/web-api';
import type { SharedConfig } from '../../src/app/config.ts';
import { withoutEmpty, withSecretFiles } from '../../src/app/read-variables.ts';
import { SlackError } from '../../src/core/errors.ts';
import { lowerFirst } from '../../src/core/first-letter.ts';
import { channelUnusableIssue, postsRefused } from '../../src/ops/refused-messages.ts';
import { isSlackTokenDead } from '../../src/ops/watch-token.ts';
import { type Policy, permittedTo } from '../../src/policy/policy.ts';
import { callOptions, createSlack, noSdkLog, type Slack } from '../../src/slack/client.ts';
import { codeWithReason } from '../../src/slack/failure.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { appManifest, optionalScopes, scopes } from '../manifest/app-manifest.ts';
import type { Report } from './report.ts';
import { sampleMessages } from './sample-messages.ts';

type Channels = SharedConfig['channels'];

interface SlackCheck {
  readonly config: Pick<SharedConfig, 'slackBotToken' | 'slackApiUrl' | 'channels' | 'policyFile'>;
  readonly policy: Policy;
  /** For Socket Mode. Undefined: not set here. */
  readonly appToken: string | undefined;
  readonly timeoutMs: number;
}

/** Tokens, scopes, people, channels, templates and manifest. Posts one line in each channel and deletes it immediately. */
export async function checkSlack({ config, policy, appToken, timeoutMs }: SlackCheck, report: Report): Promise<void> {
  const slack = createSlack({ token: config.slackBotToken, apiUrl: config.slackApiUrl });
  // For methods that only the doctor calls.
  const client = new webApi.WebClient(config.slackBotToken, {
    ...callOptions(config.slackApiUrl),
    timeout: timeoutMs,
    logger: noSdkLog,
  });
  if (!(await checkToken(slack, report))) return;
  if (appToken !== undefined) await checkAppToken(client, appToken, report);
  for (const [variable, ids] of Object.entries(peopleIn(policy, config.policyFile))) {
    for (const id of new Set(ids)) await checkMember(slack, variable, id, report);
  }
  for (const [channel, purposes] of channelPurposes(config.channels, policy))
    await checkChannel({ slack, client }, channel, purposes, report);
  await checkTemplates(client, report);
  await checkManifest(client, report);
}

const tryAgain = 'try again; if it stays, check HTTPS_PROXY and SLACK_API_URL';

async function checkToken(slack: Slack, report: Report): Promise<boolean> {
  try {
    const { team, scopes: granted } = await slack.authTest();
    report.ok(`the bot token works, workspace ${team}`);
    const notGranted = Object.keys(scopes).filter((scope) => !granted.includes(scope));
    const missing = notGranted.filter((scope) => !(scope in optionalScopes));
    if (granted.length === 0) report.note('Slack did not say which scopes the token has');
    else if (notGranted.length === 0) report.ok('all scopes are granted');
    else if (missing.length === 0) report.ok('all required scopes are granted');
    else
      report.fix(
        `scopes are missing: ${missing.join(', ')}`,
        'add them under OAuth & Permissions and install the app again',
      );
    if (granted.length > 0)
      for (const scope of notGranted.filter((one) => one in optionalScopes))
        report.note(`the optional scope ${scope} is not granted: ${optionalScopes[scope]}`);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'no_answer')
      report.fix('Slack does not answer', 'check that this machine reaches Slack: network, HTTPS_PROXY, SLACK_API_URL');
    else if (isSlackTokenDead(error))
      report.fix(`the bot token does not work (${code})`, 'copy the bot token again from OAuth & Permissions');
    else report.fix(`Slack, or a proxy, answered ${code}`, tryAgain);
    return false;
  }
}

/** Asks for an address for Socket Mode, and does not use it. */
async function checkAppToken(client: webApi.WebClient, token: string, report: Report): Promise<void> {
  try {
    await client.apps.connections.open({ token });
    report.ok('the token for Socket Mode works');
  } catch (error) {
    const code = codeOf(error);
    if (!/auth|token|account|scope/.test(code)) report.fix(`Slack, or a proxy, answered ${code}`, tryAgain);
    else
      report.fix(
        `SLACK_APP_TOKEN does not work (${code})`,
        'turn on Socket Mode, and create an app-level token with the scope connections:write under Basic Information',
      );
  }
}

/** Whether a user or user group named for a role can act. */
async function checkMember(slack: Slack, variable: string, id: string, report: Report): Promise<void> {
  try {
    if (id.startsWith('S')) {
      const members = await patiently(() => slack.groupMembers(id));
      if (members.length === 0) report.fix(`${variable}: user group ${id} is empty`, 'add its members in Slack');
      else report.ok(`${variable}: user group ${id} has ${countOf(members.length, 'member')}`);
      return;
    }
    const person = await patiently(() => slack.person(id));
    const problem =
      person === null
        ? 'is not known to Slack'
        : person.isDeactivated
          ? 'is deactivated'
          : person.isBot
            ? 'is a bot'
            : person.isExternal
              ? 'belongs to another workspace'
              : null;
    if (problem !== null) report.fix(`${variable}: ${id} ${problem}`, `correct ${variable}`);
    else report.ok(`${variable}: ${id} is a member of the workspace`);
  } catch (error) {
    report.fix(
      `${variable}: ${id} cannot be looked up (${codeOf(error)})`,
      adviceFor(error, () => `correct ${variable}`),
    );
  }
}

/** Everyone who may do something, by the variable or file that names them. */
function peopleIn(policy: Policy, policyFile: string | null): Readonly<Record<string, readonly string[]>> {
  const [operators, approvers] = [permittedTo(policy, 'operator'), permittedTo(policy, 'approver')];
  if (policyFile === null) return { OPERATORS: operators, APPROVERS: approvers };
  const delegates = [...policy.delegations.map(({ to }) => to), ...policy.ownDelegates];
  return { POLICY_FILE: [...operators, ...approvers, ...delegates] };
}

/** Each channel once, with everything that is posted there. */
function channelPurposes(channels: Channels, { standard, groups }: Policy): Map<string, string[]> {
  const ofPolicy = [standard, ...groups].map(({ approvalsChannel }) => ['approvals', approvalsChannel] as const);
  const purposes = new Map<string, string[]>();
  for (const [purpose, channel] of [...Object.entries(channels), ...ofPolicy]) {
    const known = channel === null ? [] : (purposes.get(channel) ?? []);
    if (channel !== null && !known.includes(purpose)) purposes.set(channel, [...known, purpose]);
  }
  return purposes;
}

/** Channels that get people's names together with limits and purchases. */
const internal: readonly string[] = ['approvals', 'audit', 'ops'] satisfies (keyof Channels)[];

/** A channel takes one message a second, and alerts are posted there, too. */
const BUSY_WAIT_MAX_MS = 10_000;

/** Tries again once if Slack asks for a short pause. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const waitMs = isRateLimited(error) ? (error.retryAfterMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    if (waitMs > BUSY_WAIT_MAX_MS) throw error;
    await sleep(waitMs);
    return await work();
  }
}

function isRateLimited(error: unknown): error is SlackError {
  return error instanceof SlackError && error.code === 'rate_limited';
}

async function checkChannel(
  { slack, client }: { readonly slack: Slack; readonly client: webApi.WebClient },
  channel: string,
  purposes: readonly string[],
  report: Report,
): Promise<void> {
  try {
    const { name, isMember, isArchived, isExtShared, isPrivate } = await patiently(() => slack.channelInfo(channel));
    if (isArchived) return report.fix(`#${name} (${channel}) is archived`, 'unarchive it, or name another channel');
    if (!isMember) return report.fix(`Cardbell is not in #${name} (${channel})`, `type /invite @Cardbell in #${name}`);
    if (isExtShared) report.fix(`#${name} (${channel}) is shared with another company`, 'name a channel of your own');
    else if (!isPrivate && purposes.some((purpose) => internal.includes(purpose)))
      report.fix(
        `#${name} (${channel}) is public, and gets ${purposes.filter((purpose) => internal.includes(purpose)).join(', ')}`,
        'make it private, or name a private channel: everybody in the workspace can read limits, amounts and decisions',
      );
    const line = { text: 'Cardbell checks that it can post here. This message is deleted at once.', blocks: [] };
    const { ts } = await patiently(() => slack.post(channel, line, 'doctor'));
    report.ok(`can post in #${name}`);
    await client.chat.delete({ channel, ts }).catch((error: unknown) => {
      report.note(`the line that was posted in #${name} is still there (${codeOf(error)})`);
    });
  } catch (error) {
    if (isRateLimited(error) && error.method === 'chat.postMessage')
      return report.note(`channel ${channel} is busy (${error.slackError}): Slack took no message there`);
    const advice = adviceFor(error, (refused) => channelAdvice(channel, refused));
    report.fix(`channel ${channel} cannot be used (${codeOf(error)})`, advice);
  }
}

/** What to do about an error of one call. @param ofRefusal what to do if the reason is what was asked for. */
function adviceFor(error: unknown, ofRefusal: (error: SlackError) => string): string {
  if (isRateLimited(error)) return 'try again in a minute';
  if (!(error instanceof SlackError) || error.retryable) return tryAgain;
  if (error.slackError === 'missing_scope')
    return 'add the missing scopes under OAuth & Permissions and install the app again';
  return ofRefusal(error);
}

function channelAdvice(channel: string, error: SlackError): string {
  if (error.slackError === 'channel_not_found') return 'correct the id, or invite Cardbell if it is private';
  const { todo } = (error.code === 'channel_unusable' ? channelUnusableIssue : postsRefused)(channel, error);
  return lowerFirst(todo).replace(/\.$/, '');
}

/** Asks Slack to validate one message of each kind of alert. */
async function checkTemplates(client: webApi.WebClient, report: Report): Promise<void> {
  const refused: string[] = [];
  let reason = '';
  for (const { kind, message } of sampleMessages()) {
    try {
      await client.blocks.validate({ message: { blocks: [...message.blocks] } });
    } catch (error) {
      const code = codeOf(error);
      if (!/^invalid_(blocks|message|view)/.test(code)) {
        report.note(`Slack did not validate the templates (${code})`);
        return;
      }
      if (error instanceof webApi.WebAPIPlatformError)
        reason ||= codeWithReason(code, error.data.response_metadata?.messages);
      refused.push(kind);
    }
  }
  if (refused.length === 0) report.ok('Slack accepts the message of each kind of alert');
  else
    report.fix(
      `Slack refuses the messages of: ${refused.join(', ')}. It says: ${reason}`,
      'report it with the version of Cardbell',
    );
}

/** Needs an app configuration token, which expires after 12 hours. With any other, Slack answers that it has the wrong type. */
async function checkManifest(client: webApi.WebClient, report: Report): Promise<void> {
  const problems: string[] = [];
  const given = withSecretFiles(withoutEmpty(process.env), ['SLACK_CONFIG_TOKEN'], problems);
  for (const problem of problems) report.fix(problem, 'correct it, or unset it');
  const token = given['SLACK_CONFIG_TOKEN'];
  if (token === undefined) {
    report.note('the manifest was not validated: that needs SLACK_CONFIG_TOKEN, an app configuration token (xoxe…)');
    return;
  }
  try {
    await client.apiCall('apps.manifest.validate', { token, manifest: JSON.stringify(appManifest(null)) });
    report.ok('Slack accepts the manifest');
  } catch (error) {
    const code = codeOf(error);
    if (/token|auth/.test(code))
      report.fix(`SLACK_CONFIG_TOKEN does not work (${code})`, 'generate a new one at api.slack.com/apps, or unset it');
    else report.fix(`Slack refuses the manifest (${code})`, 'create the app from what cardbell manifest prints');
  }
}

/** Slack's own error code, never a stack trace. */
function codeOf(error: unknown): string {
  if (error instanceof SlackError) return error.slackError;
  if (error instanceof webApi.WebAPIPlatformError) return error.data.error ?? 'unknown';
  return 'no_answer';
}
