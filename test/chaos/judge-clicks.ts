import type { AuditRecord } from '../../src/audit/audit-record.ts';
import { unavailable } from '../../templates/policy/not-permitted.ts';
import type { Click, ClickKind, Recording } from './recording.ts';

/**
 * Slack gives up on a click after three seconds, so slow clicks (while Slack is slow to list user groups) and form
 * submissions are acknowledged before they are stored. A web process that dies in between loses the click.
 */
const LATE_MS = 1400;
const DIES_WITHIN_MS = 12_000;
/** Two minutes by the clocks of Cardbell, which may differ by seconds. */
const ANSWERED_IN_PLACE_MS = 110_000;
const ackedFirst: ReadonlySet<ClickKind> = new Set(['order']);

const ends: ReadonlySet<AuditRecord['event']> = new Set([
  'done',
  'failed',
  'unknown',
  'unchanged',
  'refused',
  'denied',
]);
/** Events of an action that waits for other people: for a decision, or for a second approval. */
const pauses: ReadonlySet<AuditRecord['event']> = new Set(['waiting', 'approved']);

/** Whether an entry sums up several refusals of one person under one action id. That action has its own entry elsewhere. */
const isOfSeveral = ({ event, detail }: AuditRecord): boolean =>
  event === 'refused' && /^\d+ more refusals? within a minute: /.test(detail ?? '');

/** A block ends with what else to do. */
const saysNotTaken = (text: string): boolean => text.startsWith(unavailable().text);

/** The events of each click, by the id of its action. */
export function eventsOf(records: readonly AuditRecord[]): Map<string, AuditRecord['event'][]> {
  const events = new Map<string, AuditRecord['event'][]>();
  for (const record of records) {
    const { actionId, actor, event } = record;
    if (actor !== null && !isOfSeveral(record)) events.set(actionId, [...(events.get(actionId) ?? []), event]);
  }
  return events;
}

/**
 * Every acknowledged click is on record, or its person was notified that it was not accepted. Each action on record was
 * asked once, has one end, and was answered.
 *
 * @param needed kinds of clicks of which at least one must have had an effect.
 */
export function judgeClicks(recording: Recording, needed: readonly ClickKind[]): string[] {
  const { clicks, records, answers, chainFault } = recording;
  const events = eventsOf(records);
  const faults = chainFault === null ? [] : [chainFault];
  const notTaken = new Set(answers.filter(({ text }) => saysNotTaken(text)).map(({ path }) => path));
  // Refusals of one person within a minute are one entry, under the id of the first.
  const refused = new Set(
    answers
      .filter(({ text }) => /^Not done[.:] /.test(text) || text.endsWith(' Do you still want it?'))
      .map(({ path }) => path),
  );
  const answered = new Set(answers.map(({ path }) => path));
  // When the response URL is unreachable, each fallback message stands for one click.
  const toldElsewhere = answers.flatMap(({ text, userId }) => (saysNotTaken(text) ? (userId ?? []) : []));
  const isNotifiedElsewhere = ({ userId }: Click): boolean => {
    const at = toldElsewhere.indexOf(userId);
    return at !== -1 && toldElsewhere.splice(at, 1).length > 0;
  };
  const isToldSo = (click: Click): boolean =>
    notTaken.has(click.responsePath) || refused.has(click.responsePath) || isNotifiedElsewhere(click);
  for (const click of clicks.filter(({ ok, kind }) => ok && kind !== 'acknowledge')) {
    const name = `${click.id} (${click.words})`;
    const all = events.get(click.id);
    if (all === undefined) {
      if (!isToldSo(click) && !diedBeforeItWasStored(click, recording)) faults.push(`a click left no trace: ${name}`);
      continue;
    }
    if (
      click.responsePath !== '' &&
      click.kind !== 'order' &&
      !isShownInstead(click) &&
      !isAnsweredDirectly(click, recording) &&
      !answered.has(click.responsePath)
    )
      faults.push(`a click was never answered: ${name}: ${all.join(', ')}`);
  }
  // Opening a form is one entry. Its submission is a separate action.
  const looks = new Set(records.filter(({ verb }) => verb === 'look').map(({ actionId }) => actionId));
  for (const [id, all] of events) {
    if (looks.has(id) && all.join() === 'asked') continue;
    const asked = all.filter((event) => event === 'asked').length;
    const ended = all.filter((event) => ends.has(event)).length;
    const isPaused = ended === 0 && all.some((event) => pauses.has(event));
    if (asked <= 1 && (ended === 1 || isPaused)) continue;
    faults.push(`${id} (${clicks.find((click) => click.id === id)?.words ?? 'not clicked here'}): ${all.join(', ')}`);
  }
  for (const kind of needed) {
    const made = clicks.filter((click) => click.kind === kind);
    if (made.some(({ id }) => isEffective(kind, events.get(id) ?? []))) continue;
    faults.push(`of ${made.length} clicks to ${kind} none had an effect`);
  }
  return faults;
}

/** The outcome of a button is shown in its message. */
const isShownInstead = ({ kind }: Click): boolean => kind === 'press' || kind === 'decide';

/**
 * A late answer is a direct message, which does not say what it answers. What is found about a change that was answered in
 * time has the same id, but is no answer.
 */
function isAnsweredDirectly({ id, userId, atMs }: Click, { records, messages }: Recording): boolean {
  const isLate = (ms: number): boolean => ms - atMs > ANSWERED_IN_PLACE_MS;
  return (
    records.some(
      ({ actionId, event, at }) => actionId === id && (ends.has(event) || pauses.has(event)) && isLate(Date.parse(at)),
    ) && messages.some(({ channel, ts }) => channel === `D${userId.slice(1)}` && isLate(Number(ts) * 1000))
  );
}

/** Whether a click had its intended effect. */
export function isEffective(kind: ClickKind, events: readonly string[]): boolean {
  return events.includes('done') || (kind === 'ask' && events.includes('waiting'));
}

function diedBeforeItWasStored({ kind, ms, atMs }: Click, { webDeaths }: Recording): boolean {
  if (ms < LATE_MS && !ackedFirst.has(kind)) return false;
  return webDeaths.some((diedAt) => diedAt >= atMs && diedAt <= atMs + ms + DIES_WITHIN_MS);
}
