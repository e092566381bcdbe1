/** The code that decides about money, time, identity, limits, policy and redaction, and the engine of the sandbox. */
export const DECIDING: readonly string[] = [
  'sandbox/engine',
  'src/policy',
  'src/limits',
  'src/webhooks',
  ...[
    'card-number',
    'content-id',
    'duration',
    'end-time',
    'exact-json',
    'gap',
    'money',
    'seal',
    'service-time',
    'since',
  ].map((name) => `src/core/${name}.ts`),
  ...['endpoints', 'rule', 'rule-change', 'spend-rules'].map((name) => `src/card-api/${name}.ts`),
  ...[
    'candidates',
    'card-query',
    'may-be-somebody-else',
    'newest-status',
    'resolve-card',
    'status-before',
    'unknown-card',
  ].map((name) => `src/directory/${name}.ts`),
  ...['purchase-timeline', 'purchase-state', 'decline-reason'].map((name) => `src/alerts/${name}.ts`),
  ...['request', 'request-expiry', 'decide-request', 'amend-request', 'emergency-override'].map(
    (name) => `src/approvals/${name}.ts`,
  ),
  ...['claim-card', 'decide-claim'].map((name) => `src/holders/${name}.ts`),
  ...['recover-gap', 'recover-statuses'].map((name) => `src/recovery/${name}.ts`),
];

/** Composition and HTTP code, which decides none of these things. */
export const NOT_DECIDING: readonly string[] = ['src/webhooks/http-server.ts'];

/** The targets with `--everything`. */
export const EVERYTHING: readonly string[] = [
  'src',
  'templates',
  ...['audit', 'backup', 'policy', 'shards'].map((name) => `bin/${name}`),
];
