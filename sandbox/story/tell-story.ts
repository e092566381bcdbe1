import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../service-error.ts';
import type { Simulation } from '../simulation.ts';
import type { World } from '../state/world.ts';
import { castOf } from './cast.ts';
import { DAY } from './day.ts';

/** One thing that happens in the story. */
interface StoryStep {
  /** Wall time in the story, `hh:mm`. */
  readonly time: string;
  /** What happens, in a sentence. */
  readonly text: string;
}

export interface StoryOptions {
  /** Speed-up factor: 1 takes ten hours, 600 one minute. */
  readonly speed: number;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: StoryStep) => void;
}

/**
 * Plays a day of the program: purchases, a decline of every code, an order from creation through shipping to
 * activation, virtual cards, a rush, an outage, a storm. Ends early, without an error, when the signal aborts.
 *
 * People may take part: a scene whose card they have blocked or activated is reported as refused, and the day
 * continues.
 */
export async function tellStory(
  { world, simulation }: { world: World; simulation: Simulation },
  options: StoryOptions,
): Promise<void> {
  const { speed, signal, onStep = () => {} } = options;
  const stage = { simulation, cast: castOf(world), memory: new Map<string, number>() };
  let minute = minuteOf(DAY[0]?.time ?? '00:00');
  for (const { time, play } of DAY) {
    const waitMs = ((minuteOf(time) - minute) * 60_000) / speed;
    minute = minuteOf(time);
    const goesOn = await wait(waitMs, true, signal === undefined ? {} : { signal }).catch(() => false);
    if (!goesOn) break;
    const text = played(() => play(stage));
    if (text !== undefined) onStep({ time, text });
  }
  // Release the webhooks even if the story is stopped during its outage.
  simulation.outage(false);
}

function played(play: () => string | undefined): string | undefined {
  try {
    return play();
  } catch (error) {
    if (error instanceof ServiceError) return `Refused: ${error.message}.`;
    throw error;
  }
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
