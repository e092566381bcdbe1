import { quietEnded, quietSet } from '../../templates/routing/quiet-hours.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuseUnclear } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { mayGetAlerts } from './channel-of-action.ts';
import { printFilter } from './filter.ts';
import { parseFilter } from './parse-filter.ts';
import { parseQuiet, printQuiet, quietUntil } from './quiet-hours.ts';
import { recordRouting } from './record-routing.ts';

const usage = '/card quiet 22:00-07:00 [Europe/Berlin] [weekdays] [except KIND …], or /card quiet off';

/** `/card quiet …`: alerts that come in these hours are held, and posted together when they end. */
export async function setQuiet(action: Action, text: string, deps: ActionDeps): Promise<void> {
  const { routing, answer } = deps;
  const { channel } = action.origin;
  const parsed = parseQuiet(text, routing.zone);
  if ('why' in parsed) return await refuseUnclear(action, { why: parsed.why, usage }, deps);
  const known = (await routing.quietHours.all()).find((one) => one.channel === channel);
  const before = known === undefined ? undefined : printQuiet(known.window);
  if ('off' in parsed) {
    // On record first: after a crash they are gone already, and only the record knows who ended them.
    const isRecorded = (await deps.progress.read(action.id)) !== null;
    if (before !== undefined) {
      await recordRouting(action, { did: `ended the quiet hours of channel ${channel}`, before }, deps);
    } else if (!isRecorded) await recordUnchanged(action, {}, deps);
    await routing.quietHours.remove(channel);
    const released = await routing.holdAsQuiet(channel);
    return await answer(action, quietEnded({ wasSet: before !== undefined || isRecorded, released }));
  }

  let except: string | null = null;
  if (parsed.except !== null) {
    const filter = parseFilter(parsed.except);
    if ('error' in filter) return await refuseUnclear(action, { why: filter.error.why, usage }, deps);
    except = printFilter(filter.filter);
  }
  if (!(await mayGetAlerts(action, deps))) return;
  const after = `${printQuiet(parsed.window)}${except === null ? '' : `, except ${except}`}`;
  const did = `set the quiet hours of channel ${channel}`;
  // On record first: after a crash these hours would be there already, and what was before would be lost.
  await recordRouting(action, { did, after, ...(before === undefined ? {} : { before }) }, deps);
  await routing.quietHours.set({ channel, window: parsed.window, except, by: action.actor.userId, at: action.askedAt });
  const until = quietUntil(parsed.window, deps.now().getTime());
  const released = await routing.holdAsQuiet(channel);
  const words = {
    words: printQuiet(parsed.window),
    except,
    until: until === null ? null : new Date(until).toISOString(),
    released,
  };
  await answer(action, quietSet(words));
}
