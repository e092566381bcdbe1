import type { AuditRecord } from '../../src/audit/audit-record.ts';
import { eventsOf } from './judge-clicks.ts';
import type { Click, Recording, Write } from './recording.ts';

const statuses = { block: 'Blocked', press: 'Blocked', unblock: 'Active' } as const;

/** Compares the requested and recorded changes with the writes to the card service. */
export function judgeWrites(recording: Recording): string[] {
  const done = recording.writes.filter(({ isDone }) => isDone);
  return [
    ...uniqueFaults(recording, done),
    ...statusFaults(recording, done),
    ...comebackFaults(done),
    ...endFaults(recording),
  ];
}

const uniqueOf = ({ path, body }: Write): string | null => {
  if (/\/SpendRules\//.test(path)) return String(body['DailySpendLimit']);
  const [card] = (body['VirtualCards'] as { LastName: string }[] | undefined) ?? [];
  return card?.LastName ?? null;
};
/** A limit typed as `250.10` is written as 250.1. */
const nameOf = (unique: string): string => (Number.isNaN(Number(unique)) ? unique : String(Number(unique)));
const isOf = ({ path }: Write, acctId: number | null): boolean => acctId === null || path.includes(`/${acctId}`);

/** Each limit and name belongs to one click: written once if the click was done, never if it was refused. */
function uniqueFaults({ clicks, records }: Recording, done: readonly Write[]): string[] {
  const events = eventsOf(records);
  return clicks.flatMap((click) => {
    const { id, kind, words, acctId, unique } = click;
    if (unique === null) return [];
    const times = done.filter((write) => uniqueOf(write) === nameOf(unique) && isOf(write, acctId)).length;
    const ended = kind === 'ask' ? approvalOf(click, records) : (events.get(id) ?? []);
    const name = `${id} (${words}): ${ended.join(', ')}`;
    if (times > 1) return [`written ${times} times: ${name}`];
    if (times === 0 && ended.includes('done')) return [`never written: ${name}`];
    const isNothing = ['failed', 'refused', 'denied'].some((end) => (ended as readonly string[]).includes(end));
    return times === 1 && isNothing ? [`written anyway: ${name}`] : [];
  });
}

/** The outcome of a holder's request. */
function approvalOf({ acctId, unique }: Click, records: Recording['records']): string[] {
  const words = Number(unique).toFixed(2);
  return records
    .filter((one) => one.acctId === acctId && one.event === 'done' && one.after?.replaceAll(',', '').includes(words))
    .map(({ event }) => event);
}

/**
 * A status is written as often as it is on record as done, and never to a card that already has it. The exception is a
 * block when the card could not be read within four seconds: it does not wait, and its record has no previous status.
 */
function statusFaults({ clicks, records }: Recording, done: readonly Write[]): string[] {
  const faults: string[] = [];
  const events = eventsOf(records);
  const writes = done.filter(({ path }) => /\/Card\/Status\//.test(path));
  for (const acctId of new Set(clicks.filter(({ kind }) => kind in statuses).map((click) => click.acctId))) {
    const own = writes.filter((write) => isOf(write, acctId)).map(({ body }) => String(body['Status']));
    const unread = records.filter(
      ({ event, before, after, acctId: of }) =>
        event === 'sent' && of === acctId && before === null && after === statuses.block.toLowerCase(),
    ).length;
    const again = own.filter((status, index) => own[index - 1] === status);
    const blocks = again.filter((status) => status === statuses.block);
    for (const status of blocks.length > unread ? again : again.filter((one) => one !== statuses.block))
      faults.push(`written twice: ${status} to the card of ${acctId}`);
    for (const status of new Set(Object.values(statuses))) {
      const ended = records.filter(
        ({ event, after, acctId: of }) => event === 'done' && of === acctId && after === status.toLowerCase(),
      );
      // Without a response the card is read back, and someone else may have set the requested status.
      const certain = ended.filter(({ confirmedBy }) => confirmedBy !== 'read-back').length;
      const mine = clicks.filter((one) => one.acctId === acctId && wantsStatus(one) === status);
      const unsure = mine.filter(({ id }) => (events.get(id) ?? []).includes('unknown')).length;
      const times = own.filter((one) => one === status).length;
      if (times < certain || times > ended.length + unsure)
        faults.push(
          `the card of ${acctId} was written ${status} ${times} times: ${ended.length} are on record as done, ${unsure} as unknown`,
        );
    }
  }
  return faults;
}

const wantsStatus = ({ kind }: Click): string | undefined => (statuses as Readonly<Record<string, string>>)[kind];

/** Finds limits that were written twice in a row. */
function comebackFaults(done: readonly Write[]): string[] {
  const writes = new Map<string, string[]>();
  for (const write of done.filter(({ path }) => /\/SpendRules\//.test(path))) {
    const before = writes.get(write.path) ?? [];
    writes.set(write.path, [...before, JSON.stringify(write.body)]);
  }
  return [...writes].flatMap(([path, limits]) => {
    const doubled = limits.find((limit, index) => limit === limits[index - 1]);
    return doubled === undefined ? [] : [`written twice in a row: ${path} ${doubled}`];
  });
}

/** A change without an answer is on record as unknown, and as confirmed once the card shows it. */
const isMadeBy = (event: AuditRecord['event']): boolean => event === 'done' || event === 'confirmed';

/** The last records of a card, for the message of a fault. */
const historyOf = (acctId: number, records: Recording['records']): string =>
  records
    .filter((one) => one.acctId === acctId)
    .slice(-12)
    .map(({ at, event, actionId, before, after, confirmedBy }) =>
      [at, event, actionId, before, '→', after, confirmedBy].filter((part) => part != null).join(' '),
    )
    .join('\n    ');

/** In the end each card matches its latest recorded outcome, and changes made elsewhere are kept. */
function endFaults({ cards, records, portal, bases }: Recording): string[] {
  const faults: string[] = [];
  for (const card of cards) {
    // A write before a newer change may be recorded after it, as superseded.
    const superseded = new Set(records.flatMap(({ event, actionId }) => (event === 'superseded' ? [actionId] : [])));
    // In the order of the writes: a worker that is killed before it records an outcome records it when it is back, and by
    // then a later change of the card may be on record.
    const sentAs = ({ actionId }: AuditRecord): number =>
      records.findLastIndex((one) => one.event === 'sent' && one.actionId === actionId);
    const own = records
      .filter(
        ({ acctId, event, after, actionId }) =>
          acctId === card.acctId && isMadeBy(event) && after !== null && !superseded.has(actionId),
      )
      .sort((one, other) => sentAs(one) - sentAs(other));
    const status = own.findLast(({ after }) => after === 'blocked' || after === 'active');
    if (status !== undefined && status.after !== card.status)
      faults.push(
        `the card of ${card.acctId} is ${card.status}, the record says ${status.after}: ${historyOf(card.acctId, records)}`,
      );
    const limit = own.findLast(({ after }) => after?.includes('$'));
    const base = bases.find(({ acctId }) => acctId === card.acctId);
    const dollars = base?.dailyLimit ?? (limit?.after == null ? null : Number(limit.after.replaceAll(/[^\d.]/g, '')));
    if (dollars !== null && dollars !== card.dailyLimit)
      faults.push(`the limit of ${card.acctId} is ${card.dailyLimit}, and should be ${dollars}`);
    const set = portal.find(({ acctId }) => acctId === card.acctId);
    if (set !== undefined && set.weeklyLimit !== card.weeklyLimit)
      faults.push(`the portal set the weekly limit of ${card.acctId} to ${set.weeklyLimit}, it is ${card.weeklyLimit}`);
  }
  return faults;
}
