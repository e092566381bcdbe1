import type { Place } from '../src/alert/place.ts';

/** Who will read the message. */
export interface View {
  readonly place: Place;
}
