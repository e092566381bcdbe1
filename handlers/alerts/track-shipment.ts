import type { ButtonArgs } from '../dispatch/button-args.ts';

/** A link button: the browser has it, Slack only wants to hear that the click arrived. */
export function trackShipment() {
  return async ({ ack }: ButtonArgs): Promise<void> => {
    await ack();
  };
}
