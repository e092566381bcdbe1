import type { Simulation } from '../simulation.ts';
import type { World } from '../state/world.ts';

/** One thing that happens in the story. */
export interface StoryStep {
  /** Wall time in the story, `hh:mm`. */
  readonly time: string;
  /** What happens, in a sentence. */
  readonly text: string;
}

export interface StoryOptions {
  /** How many times faster than life: 1 takes the whole day. */
  readonly speed: number;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: StoryStep) => void;
}

/** Tells a day in the life of the program. Ends early, without an error, when the signal aborts. */
export async function tellStory(_on: { world: World; simulation: Simulation }, _options: StoryOptions): Promise<void> {}
