const late = Symbol('late');

/**
 * The result of `work`, or what `whenLate` answers or throws when it is not there within `ms`. The work itself goes on.
 *
 * After a stall of our own event loop the timer fires before the sockets are read, so an answer that already waits there
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
