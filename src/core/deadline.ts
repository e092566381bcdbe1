const late = Symbol('late');

/**
 * Resolves with the result of `work`, or with what `whenLate` returns or throws if there is none within `ms`. The work
 * itself continues.
 *
 * After a stall of the event loop the timer fires before the sockets are read, so a response that has already arrived
 * gets one more turn.
 */
export async function within<T, Late>(ms: number, work: Promise<T>, whenLate: () => Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve(late))), ms);
  });
  try {
    const result = await Promise.race([work, deadline]);
    return result === late ? whenLate() : result;
  } finally {
    clearTimeout(timer);
  }
}
