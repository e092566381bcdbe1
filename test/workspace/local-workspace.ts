import { WebClient } from '@slack/web-api';
import { startWorkspace, type Workspace, type WorkspaceOptions } from '../../workspace/server.ts';

export const TOKEN = 'xoxb-test';
export const SECRET = 'signing-secret';

/** A stopped clock that tests advance. */
export interface Clock {
  now: () => number;
  advance: (ms: number) => void;
}

export function createClock(): Clock {
  let at = Date.UTC(2026, 2, 4, 15, 0, 0);
  return {
    now: () => at,
    advance: (ms) => {
      at += ms;
    },
  };
}

/** A small workspace. Tests override the parts they test. */
export async function openWorkspace(overrides: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  return await startWorkspace({
    botToken: TOKEN,
    signingSecret: SECRET,
    enforceRateLimits: false,
    users: [
      {
        id: 'U1',
        name: 'ana',
        realName: 'Ana Ferreira',
        email: 'ana@northwind.example',
        tz: 'America/New_York',
        roleHint: 'approver',
      },
      { id: 'U2', name: 'ben', realName: 'Ben Okafor', tz: 'Europe/Berlin' },
      { id: 'U9', name: 'eve', realName: 'Eve Stranger', isStranger: true },
    ],
    channels: [
      { id: 'C1', name: 'cards' },
      { id: 'C2', name: 'elsewhere', botIsMember: false },
      { id: 'C3', name: 'old', isArchived: true },
      { id: 'C4', name: 'announcements', isReadOnly: true },
      { id: 'G1', name: 'secret', isPrivate: true, botIsMember: false },
      { id: 'C5', name: 'partner', isExtShared: true },
    ],
    userGroups: [{ id: 'S1', handle: 'approvers', name: 'Approvers', users: ['U1'] }],
    commands: ['/card'],
    ...overrides,
  });
}

/** Slack's own client without retries, because tests need the first response. */
export function clientFor(workspace: Workspace, token = TOKEN, timeout = 0): WebClient {
  return new WebClient(token, {
    slackApiUrl: workspace.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout,
    logger: {
      debug() {},
      info() {},
      warn() {},
      error() {},
      setLevel() {},
      getLevel: () => 'error' as never,
      setName() {},
    },
  });
}

/** One raw Web API call, for requests that a client would not send. */
export async function call(
  workspace: Workspace,
  method: string,
  args: Record<string, unknown> = {},
  token: string | null = TOKEN,
) {
  const response = await fetch(`${workspace.apiUrl}${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(args),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

/** The parts of a response that tests read. */
export interface Answer {
  ok: boolean;
  error?: string;
  ts: string;
  channel: string;
  needed?: string;
  message?: Record<string, unknown>;
  messages: Record<string, unknown>[];
  response_metadata?: { messages?: string[]; next_cursor?: string };
  view: { id: string; hash: string };
  [field: string]: unknown;
}

export const plain = (text: string) => ({ type: 'plain_text' as const, text });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, text });

/** A button with the required fields. */
export function button(fields: Record<string, unknown> = {}) {
  return { type: 'button', text: plain('Press'), action_id: 'press_me', ...fields };
}

/** A modal with one required input. */
export function modal(fields: Record<string, unknown> = {}) {
  return {
    type: 'modal',
    callback_id: 'raise',
    title: plain('Raise'),
    submit: plain('Send'),
    blocks: [
      {
        type: 'input',
        block_id: 'amount',
        label: plain('Amount'),
        element: { type: 'plain_text_input', action_id: 'value' },
      },
    ],
    ...fields,
  };
}
