/** A step of Cardbell, recognized by the data it writes to a socket. */
export interface Step {
  readonly name: string;
  readonly process: 'web' | 'worker';
  /** Case insensitive. */
  readonly pattern: string;
  /** Under load most alerts share messages, so this is rare and a run may pass without it. */
  readonly isRare?: true;
}

const redisKey = (name: string): string => `\\{cardbell:${name}`;

/** Steps just before or after which a process is killed. */
export const steps: readonly Step[] = [
  { name: 'a webhook is stored', process: 'web', pattern: '\\{cardbell[^}]*:in\\}:webhooks' },
  { name: 'a click is stored', process: 'web', pattern: `${redisKey('in\\}:actions')}` },
  { name: 'the service is answered', process: 'web', pattern: 'HTTP/1\\.1 200 OK[^]*"status":"(taken|seen)' },
  { name: 'an event becomes a job', process: 'worker', pattern: 'deliver-(alert|burst)' },
  { name: 'an action becomes a job', process: 'worker', pattern: 'perform-action' },
  { name: 'the inbox is cleared', process: 'worker', pattern: '\\bxdel\\b' },
  { name: 'the alert is saved', process: 'worker', pattern: 'alerts-kept:[^]*:alert:evt_' },
  { name: 'the alert goes into an outbox', process: 'worker', pattern: ':sent:evt_[^]*\\r\\n(?:decline|fraud)\\r\\n' },
  { name: 'an outbox is woken', process: 'worker', pattern: 'flush-outbox' },
  { name: 'a message is claimed', process: 'worker', pattern: ':sending\\r\\n[^]*\\r\\nm_' },
  { name: 'Slack is asked to post', process: 'worker', pattern: 'POST /api/chat\\.postMessage' },
  { name: 'Slack is asked what it has', process: 'worker', pattern: 'POST /api/conversations\\.(history|replies)' },
  { name: 'the reference to a message is stored', process: 'worker', pattern: 'messages-at:[^]*ref:C' },
  { name: 'a message is resolved', process: 'worker', pattern: '\\r\\n(sent|unsent)\\r\\n' },
  { name: 'a job is finished', process: 'worker', pattern: ':completed' },
  { name: 'the record is written', process: 'worker', pattern: `${redisKey('audit\\}:chain')}` },
  {
    name: 'the progress of an action is written',
    process: 'worker',
    pattern: `${redisKey('state\\}:progress:')}[^]*"state":"`,
  },
  { name: 'the card API is asked to write', process: 'worker', pattern: '(PUT|POST) /v4/' },
  { name: 'a person is answered', process: 'worker', pattern: 'POST /(commands|actions)/' },
  { name: 'a message is edited', process: 'worker', pattern: 'POST /api/chat\\.update', isRare: true },
];
