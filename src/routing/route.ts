import type { CardFacts } from '../alert/alert.ts';
import type { StoredEvent } from '../alert/event.ts';
import type { Channels } from '../config.ts';
import { defaultChannel } from './default-channel.ts';

/** One channel that gets an event. */
export interface Delivery {
  readonly channel: string;
  /** Not to be posted before this time (ms): the channel's quiet hours. Null: at once. */
  readonly holdUntil: number | null;
}

/** Decides which channels get an event, each once; none when it is posted nowhere. */
export type Route = (event: StoredEvent, card: CardFacts) => Promise<Delivery[]>;

export function createRoute({ channels }: { readonly channels: Channels }): Route {
  return async function route(event) {
    const channel = defaultChannel(event.kind, channels);
    return channel === null ? [] : [{ channel, holdUntil: null }];
  };
}
