/** Slack waits three seconds. What is not stored by then is acknowledged all the same; its answer comes later. */
const ACK_AT_LATEST_MS = 1500;

interface Acknowledging {
  ack: (...answer: never[]) => Promise<unknown>;
}

/**
 * Makes a listener's `ack()` wait until the listener is done, which is when the request is stored.
 *
 * Acknowledged first and stored afterwards, a click would be gone without a trace when the process dies in between, and
 * the person would believe that it was heard. An `ack` that carries an answer (errors of a form) goes out at once.
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
      if (isWanted) void send();
    }, ACK_AT_LATEST_MS);
    const ack = async (...answer: never[]): Promise<void> => {
      isWanted = true;
      if (isLate || answer.length > 0) await send(...answer);
    };
    try {
      await listener({ ...args, ack });
    } finally {
      clearTimeout(late);
      if (isWanted) await send();
    }
  };
}
