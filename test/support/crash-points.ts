/** Facts about an action that are known before it is performed. */
export interface CrashTarget {
  readonly actionId: string;
  readonly acctId?: number;
  /** Reference of the request's message. */
  readonly ts?: string;
  /** Where the requester is answered. */
  readonly replyTo?: string;
  /** Last name on the ordered card. */
  readonly holder?: string;
}
/** The steps at which a worker is killed, as patterns of the data it writes to a socket. Case insensitive. */
export type Steps = Readonly<Record<string, (target: CrashTarget) => string>>;

const goesOnRecord =
  (event: string) =>
  ({ actionId }: CrashTarget) =>
    `:chain\\r\\n[^]*"actionId":"${actionId}","event":"${event}"`;
const inProgress =
  (state: string) =>
  ({ actionId }: CrashTarget) =>
    `:progress:${actionId}\\r\\n[^]{0,99}"state":"${state}"`;
const isAnswered = ({ replyTo }: CrashTarget): string => `POST ${new URL(replyTo ?? '').pathname}`;
const isWritten = ({ acctId }: CrashTarget): string => `PUT /v4/Card/SpendRules/${acctId}/[^]*DailySpendLimit`;
const isEdited = ({ ts }: CrashTarget): string => `chat\\.update[^]*${ts}`;

export const askSteps: Steps = {
  'its record is written': goesOnRecord('waiting'),
  'its progress is written': inProgress('asked'),
  'its message goes into the outbox': ({ actionId }) => `:sent:request-req_${actionId.slice(4)}[^]*"kind":"tracked"`,
  'the holder is answered': isAnswered,
};
export const approvalSteps: Steps = {
  'its progress is written': inProgress('sending'),
  'the card API is asked to write': isWritten,
  'its end is put on record': goesOnRecord('done'),
  'the message is edited': isEdited,
};
export const overrideSteps: Steps = {
  'it is put on record': goesOnRecord('approved'),
  'what became of it is written': inProgress('sent'),
  'the card API is asked to write': isWritten,
  'the message is edited': isEdited,
};
export const orderSteps: Steps = {
  'its progress is written': inProgress('sending'),
  'the card API is asked to order': ({ holder }) => `POST /v4/VirtualCard/Order[^]*"LastName":"${holder}"`,
  'its end is put on record': goesOnRecord('done'),
  'the person is answered': isAnswered,
};

/** For events that were read together, the last of which becomes a separate job. */
export const burstSteps: Steps = {
  'they become one job': () => 'deliver-burst',
  'the inbox is cleared': () => '\\bxdel\\b',
  'an alert is saved': () => 'alerts-kept:[^]*:alert:evt_',
  'an alert goes into the outbox': () => ':sent:evt_[^]*\\r\\ndecline\\r\\n',
  'one becomes a job of its own': () => 'deliver-alert',
  'their job is finished': () => ':bursts:completed',
};

export type When = 'before' | 'after';
/** One row per crash: just before and just after each step. */
export const table = (steps: Steps): [When, string][] =>
  Object.keys(steps).flatMap((step): [When, string][] => [
    ['before', step],
    ['after', step],
  ]);
export const name = (when: When, step: string): string => `${when} ${step}`;

/** Runs each crash of these steps in sequence. */
export async function each(
  steps: Steps,
  die: (pattern: (target: CrashTarget) => string, when: When, what: string, row: number) => Promise<void>,
): Promise<void> {
  for (const [row, [when, step]] of table(steps).entries()) {
    await die(steps[step] as Steps[string], when, name(when, step), row);
  }
}
