import { quietEnded, quietSet } from '../../templates/routing/quiet-hours.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { MayGetAlerts } from './channel-of-action.ts';
import { printFilter } from './filter.ts';
import { parseFilter } from './parse-filter.ts';
import { type ParsedQuiet, parseQuiet, printQuiet, quietUntil } from './quiet-hours.ts';
import type { QuietHoursStore } from './quiet-hours-store.ts';
import type { ChannelAction } from './verbs.ts';

const usage = '/card quiet 22:00-07:00 [Europe/Berlin] [weekdays] [except KIND …], or /card quiet off';

interface Deps {
  readonly quietHours: QuietHoursStore;
  /** What a channel holds waits for the quiet hours that it has now. @returns how many alerts need not wait any more. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
  readonly mayGetAlerts: MayGetAlerts;
  readonly reply: Pick<ActionTools, 'answer' | 'record' | 'hasBegun' | 'refuseUnclear'>;
  /** IANA name of the zone that is meant where none is named. */
  readonly zone: string;
  readonly now: () => Date;
}

/** `/card quiet …`: alerts that come in these hours are held, and posted together when they end. */
export function createSetQuiet({ quietHours, holdAsQuiet, mayGetAlerts, reply, zone, now }: Deps) {
  return async function setQuiet(action: ChannelAction): Promise<void> {
    const { text } = action.target;
    const parsed = parseQuiet(text, zone);
    if ('why' in parsed) return await reply.refuseUnclear(action, { why: parsed.why, usage });
    if ('off' in parsed) return await end(action);
    await set(action, parsed);
  };

  async function wordsBefore(channel: string): Promise<string | null> {
    const hours = (await quietHours.all()).find((each) => each.channel === channel);
    return hours === undefined ? null : printQuiet(hours.window);
  }

  async function end(action: Action): Promise<void> {
    const { channel } = action.origin;
    const before = await wordsBefore(channel);
    const isRecorded = await reply.hasBegun(action);
    // On record first: after a crash they are gone already, and only the record knows who ended them.
    const line = { did: `ended the quiet hours of channel ${channel}` };
    if (before !== null) await reply.record(action, { event: 'done', isFirst: true, before, line });
    else if (!isRecorded) await reply.record(action, { event: 'unchanged' });
    await quietHours.remove(channel);
    const released = await holdAsQuiet(channel);
    await reply.answer(action, quietEnded({ wasSet: before !== null || isRecorded, released }));
  }

  async function set(action: Action, { window, except: typed }: Extract<ParsedQuiet, { window: unknown }>) {
    const { channel } = action.origin;
    const before = await wordsBefore(channel);
    let except: string | null = null;
    if (typed !== null) {
      const filter = parseFilter(typed);
      if ('error' in filter) return await reply.refuseUnclear(action, { why: filter.error.why, usage });
      except = printFilter(filter.filter);
    }
    if (!(await mayGetAlerts(action))) return;
    const after = `${printQuiet(window)}${except === null ? '' : `, except ${except}`}`;
    // On record first: after a crash these hours would be there already, and what was before would be lost.
    const line = { did: `set the quiet hours of channel ${channel}` };
    await reply.record(action, { event: 'done', isFirst: true, before, after, line });
    await quietHours.set({ channel, window, except, by: action.actor.userId, at: action.askedAt });
    const until = quietUntil(window, now().getTime());
    const released = await holdAsQuiet(channel);
    const untilText = until === null ? null : new Date(until).toISOString();
    await reply.answer(action, quietSet({ words: printQuiet(window), except, until: untilText, released }));
  }
}
