/**
 * Slack waits three seconds. After this time the request is acknowledged even if it is not stored yet; the answer
 * follows later.
 */
const ACK_AT_LATEST_MS = 1500;

interface Acknowledging {
  ack: (...answer: never[]) => Promise<unknown>;
  logger: { warn: (...said: unknown[]) => void };
}

/**
 * Makes a listener's `ack()` wait until the listener is done and the request is stored.
 *
 * If the click were acknowledged first and the process died before storing it, the click would be lost without a trace
 * and the person would believe it had worked. An `ack` that carries an answer (form errors) is sent at once.
 *
 * The listener has not failed if only its acknowledgment could not be sent: the person would read that nothing was done.
 */
export function ackWhenDone<Args extends Acknowledging>(listener: (args: Args) => Promise<void>) {
  return async (args: Args): Promise<void> => {
    let sent: Promise<unknown> | undefined;
    let isWanted = false;
    let isLate = false;
    const send = (...answer: never[]): Promise<unknown> => {
      sent ??= args.ack(...answer);
      return sent;
    };
    const late = setTimeout(() => {
      isLate = true;
      // Logged below.
      if (isWanted) send().catch(() => {});
    }, ACK_AT_LATEST_MS);
    const ack = async (...answer: never[]): Promise<void> => {
      isWanted = true;
      if (isLate || answer.length > 0) await send(...answer);
    };
    try {
      await listener({ ...args, ack });
    } finally {
      clearTimeout(late);
      if (isWanted) await send().catch((error: unknown) => args.logger.warn('could not acknowledge a request', error));
    }
  };
}
