import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { actionId, callbackId } from '../../../src/slack/action-id.ts';
import recordedEvents from '../../fixtures/slack/events.json' with { type: 'json' };
import recordedInteractions from '../../fixtures/slack/interactions.json' with { type: 'json' };
import { examples } from '../../support/examples.ts';
import { filled, form, people, type SlackSide, startSlackSide } from '../../support/slack-side.ts';

let slack: SlackSide;

beforeAll(async () => {
  slack = await startSlackSide();
});
afterAll(() => slack.stop());

type Fields = Readonly<Record<string, unknown>>;

const interactions: readonly Fields[] = Object.values(recordedInteractions.interactions);

/** Recorded deliveries, as if people used controls that have a listener and controls that have none. */
const interaction = fc
  .tuple(
    fc.constantFrom(...interactions.filter((body) => !('event' in body))),
    fc.constantFrom('gone', ...Object.values(actionId)),
    fc.constantFrom('gone', ...Object.values(callbackId)),
    fc.constantFrom('/gone', '/card', '/card-block'),
  )
  .map(([body, action_id, callback_id, command]) =>
    filled(body, slack.responseUrl, { action_id, callback_id, command }),
  );
const event = fc
  .constantFrom(...Object.entries(recordedEvents.events))
  .map(([, its]) => ({ ...recordedEvents.envelope, event: filled(its, slack.responseUrl) }));

/** The places in a delivery, outermost first: `['actions', '0', 'value']`. */
function places(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...places(inner).map((rest) => [name, ...rest])]);
}

/** @param by undefined: the field is missing. */
function changedAt(value: Fields, [name, ...rest]: readonly string[], by: unknown): Fields {
  if (name === undefined) return value;
  const inner = rest.length === 0 ? by : changedAt(value[name] as Fields, rest, by);
  if (Array.isArray(value)) return value.with(Number(name), inner) as unknown as Fields;
  return { ...value, [name]: inner };
}

/** A part is missing, or is not what Slack sends. */
const damage = fc.record({
  at: fc.nat(),
  by: fc.constantFrom<unknown>(undefined, null, 'x', '', 7, true, [], {}, [null], { id: 7 }),
});

const broken = fc
  .tuple(fc.oneof<fc.Arbitrary<Fields>[]>(interaction, event), fc.array(damage, { maxLength: 3 }))
  .map(([body, all]) =>
    all.reduce((value, { at, by }) => {
      const every = places(value);
      return changedAt(value, every[at % every.length] ?? [], by);
    }, body),
  );

let delivered = 0;

/** @returns null when there is no answer within a moment: Slack tells the person that the app does not respond. */
async function statusOf(body: Fields): Promise<number | null> {
  delivered += 1;
  const text = JSON.stringify(body).replaceAll('U00000000', people[delivered % people.length] ?? '');
  const its = JSON.parse(text) as Record<string, string>;
  const [raw, type] =
    'event' in its
      ? [text, 'application/json']
      : 'command' in its
        ? [new URLSearchParams(its).toString(), form]
        : [new URLSearchParams({ payload: text }).toString(), form];
  return await slack.deliver(raw, type, 500).then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof DOMException && error.name === 'TimeoutError') return null;
      throw error;
    },
  );
}

it('never fails on a delivery with missing parts or unexpected values', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(broken, async (body) => {
      const status = await statusOf(body);
      expect([200, null]).toContain(status);
      if (status !== null) answered += 1;
    }),
    { numRuns: examples(300) },
  );

  expect(answered).toBeGreaterThan(100);

  expect(await slack.deliverEvent({ type: 'url_verification', challenge: 'c1' })).toMatchObject({ status: 200 });
});
