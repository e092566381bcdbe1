import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, type RunningCardbell, startCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

/** Receives OpenTelemetry exports like a collector. */
const spans: Span[] = [];
let received = '';
const collector = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  request.on('end', () => {
    received += text;
    for (const resource of JSON.parse(text).resourceSpans)
      for (const scope of resource.scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});

let cardbell: RunningCardbell;
beforeAll(async () => {
  const port = await listen(collector);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '100' };
  cardbell = await startCardbell({ pace: atOnce, env });
});
afterAll(async () => {
  await cardbell.stop();
  collector.closeAllConnections();
  collector.close();
});

/** The span names from the root of the trace down to this span. */
function pathTo(span: Span): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathTo(parent)), span.name];
}

const pathsTo = (name: string): string[] =>
  spans.filter((span) => span.name === name).map((span) => pathTo(span).join(' > '));

it('one trace spans a webhook, the queue, the outbox and the Slack call', async () => {
  const { AcctId } = cardbell.take('ACTIVE');
  await cardbell.deliver(sampleWebhook('decline.rule.mcc', { AcctId, MerchantName: 'Secret Corner' }));
  await cardbell.waitFor(channels.declines, /Secret Corner/);

  await until(
    () => pathsTo('slack chat.postMessage').some((path) => path.startsWith('webhook > ')),
    'the trace is sent',
  );
  const path = pathsTo('slack chat.postMessage').find((each) => each.startsWith('webhook > ')) ?? '';
  expect(path).toMatch(/^webhook > hand on > .*alerts.* > outbox post > slack chat\.postMessage$/);
});

it('one trace spans a click and the card API call', async () => {
  const { AcctId } = cardbell.take('ACTIVE');
  await cardbell.command(people.olga, `block ${AcctId}`);
  await cardbell.waitTold(people.olga, /^Blocked/);

  // Spans are sent when they end, so enclosing spans arrive after the call.
  const isWhole = (path: string): boolean =>
    /^slack request > hand on > .*actions.* > card-api setCardStatus$/.test(path);
  await until(() => pathsTo('card-api setCardStatus').some(isWhole), 'the trace is sent');
});

it('traces contain no secrets or personal data: no names, user ids, merchants or amounts', async () => {
  await quiet(cardbell);
  const names = cardbell.sandbox.accounts().flatMap(({ LastName }) => LastName);
  const allowed = ['cardbell.entries', 'bullmq.queue.name', 'bullmq.job.name', 'bullmq.job.attempts.made'];

  for (const word of ['Secret Corner', ...Object.values(people), 'xoxb-', ...names])
    expect(received).not.toContain(word);
  const keys = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
  expect([...keys].filter((key) => !allowed.includes(key))).toEqual([]);
});
