import { markPattern } from './events.ts';
import { messageKey, type Recording, type SeenMessage, type SentEvent } from './recording.ts';
import { type Shown, shownIn, type Warnings } from './shown.ts';

export interface EventVerdict {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  /** Wrong counts, threads and warnings. */
  readonly faults: readonly string[];
  readonly posted: number;
  readonly batch: number;
}

const isDirect = ({ channel }: SeenMessage): boolean => channel.startsWith('D');

/** Compares the sent events with what people see. */
export function judgeEvents(recording: Recording): EventVerdict {
  const { sent, messages, quarantined, duringQuiet } = recording;
  const team = shownIn(messages.filter((message) => !isDirect(message)));
  const direct = shownIn(messages.filter(isDirect));
  const moved = marksOfArchived(recording);
  /** Allows one copy in another channel for alerts that could not be posted or edited in an archived channel. */
  const elsewhere = (mark: string): number =>
    moved.has(mark) ? Math.min(1, (team.channels.get(mark)?.size ?? 0) - 1) : 0;
  const lost: string[] = [];
  const twice: string[] = [];
  const faults: string[] = [];
  let posted = 0;
  for (const [mark, { kind, count }] of expectedOf(sent)) {
    const name = `${mark} (${kind})`;
    if (kind === 'repeat') {
      posted += judgeRepeats(name, { mark, count, elsewhere: elsewhere(mark) }, team, { lost, twice, faults });
      continue;
    }
    const shown = team.times.get(mark) ?? 0;
    posted += Math.min(shown, count);
    if (shown < count) lost.push(count === 1 ? name : `${name}: ${shown} of ${count} shown`);
    const most = count + elsewhere(mark);
    if (shown > most) twice.push(count === 1 ? name : `${name}: ${shown} shown of ${count}`);
    if (kind === 'testing') faults.push(...warningFaults(name, team.warnings.get(mark), count));
    if (kind !== 'direct') continue;
    const told = direct.times.get(mark) ?? 0;
    if (told === 0) lost.push(`${name}: not in a direct message`);
    if (told > 1) twice.push(`${name}: ${told} direct messages`);
  }
  twice.push(...postedTwice(messages));
  const misfits = sent.filter(({ mark }) => mark === null).length;
  if (misfits !== quarantined) faults.push(`${misfits} misfits sent, ${quarantined} quarantined`);
  for (const mark of duringQuiet) faults.push(`${mark} was posted during quiet hours`);
  // Slack may have refused the blocks of a few messages while it failed.
  if (team.bare > messages.length / 10) faults.push(`${team.bare} messages show no blocks`);
  return { lost, twice, faults: [...faults, ...threadFaults(sent, team)], posted, batch: team.batch };
}

function marksOfArchived({ messages, archived }: Recording): Set<string> {
  const moved = messages.filter(
    ({ channel, ts, threadTs }) =>
      archived.has(messageKey({ channel, ts })) || archived.has(messageKey({ channel, ts: threadTs ?? ts })),
  );
  return new Set(
    moved.flatMap(
      ({ text, blocks, files }) => `${text} ${JSON.stringify(blocks)} ${files.join()}`.match(markPattern) ?? [],
    ),
  );
}

/** Finds messages with the same reference. Every message must have a unique one. */
function postedTwice(messages: readonly SeenMessage[]): string[] {
  const known = new Set<string>();
  return messages.flatMap(({ channel, ref, text }) => {
    if (ref === null) return [];
    const key = `${channel} ${ref}`;
    if (known.has(key)) return [`the message ${text.slice(0, 80)}`];
    known.add(key);
    return [];
  });
}

function expectedOf(sent: readonly SentEvent[]): Map<string, { kind: string; count: number }> {
  const expected = new Map<string, { kind: string; count: number }>();
  for (const { mark, kind } of sent)
    if (mark !== null) expected.set(mark, { kind, count: (expected.get(mark)?.count ?? 0) + 1 });
  return expected;
}

/** Repeats of one decline share a message with their count. @returns how many of them are shown. */
function judgeRepeats(
  name: string,
  { mark, count, elsewhere }: { mark: string; count: number; elsewhere: number },
  team: Shown,
  into: { lost: string[]; twice: string[]; faults: string[] },
): number {
  const shown = team.times.get(mark) ?? 0;
  const said = team.said.get(mark) ?? 0;
  if (shown === 0) into.lost.push(`${name}: none of ${count} repeats`);
  else if (said < count) into.faults.push(`${name}: declined ${count} times, no message says more than ${said}`);
  else if (said > count) into.faults.push(`${name}: declined ${count} times, a message says ${said}`);
  // A summary cannot show a repeat of a decline it counted, so the repeat is posted once per summary.
  const most = 1 + (team.summarized.get(mark) ?? 0) + elsewhere;
  if (shown > most) into.twice.push(`${name}: in ${shown} messages`);
  return shown === 0 ? 0 : Math.min(said, count);
}

/** Number of cards declined at one merchant that raises a warning. */
const WARNED_CARDS = 3;

function warningFaults(name: string, warning: Warnings | undefined, cards: number): readonly string[] {
  const { count, cards: said, listed } = warning ?? { count: 0, cards: 0, listed: 0 };
  const expected = cards < WARNED_CARDS ? 0 : 1;
  // If the warning is a row of a list, another card is posted separately, because lists are not edited.
  if (count < expected || count > expected + listed) return [`${name}: ${count} warnings for ${cards} cards`];
  return expected === 1 && said !== cards ? [`${name}: the warning says ${said} of ${cards} cards`] : [];
}

/** Each step of a purchase replies to the first message, which shows the state of the purchase. */
function threadFaults(sent: readonly SentEvent[], { alone }: Shown): string[] {
  const faults: string[] = [];
  for (const { mark, opening } of sent) {
    if (mark === null || opening === null) continue;
    const [step] = alone.get(mark) ?? [];
    const [first] = alone.get(opening) ?? [];
    // Alerts in lists and summaries have no thread.
    if (step === undefined || first === undefined) continue;
    const [root, reply] = step.threadTs === first.ts ? [first, step] : [step, first];
    if (reply.threadTs !== root.ts) faults.push(`${mark} is not in the thread of ${opening}`);
    else if (root === first && !/settled|reversed/i.test(`${root.text} ${JSON.stringify(root.blocks)}`))
      faults.push(`the message of ${opening} does not say that ${mark} settled it`);
  }
  return faults;
}
