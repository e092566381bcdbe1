/** Sends a user's action. The answer has `ok`, and `error` or `errors` when something was wrong. */
export async function send(deed, body) {
  try {
    const response = await fetch(`/page/${deed}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await response.json();
  } catch {
    return { ok: false, error: 'the local workspace does not answer' };
  }
}

/** Everything that a user sees. */
export async function load(user) {
  const response = await fetch(`/page/state?user=${encodeURIComponent(user)}`);
  return await response.json();
}

/**
 * Calls back on each change that the user sees, and when the connection is restored.
 *
 * @returns `opened` resolves once no change is missed anymore, or if the connection fails.
 */
export function listen(user, onChange, onReturn) {
  const source = new EventSource(`/page/changes?user=${encodeURIComponent(user)}`);
  let broken = false;
  source.onmessage = (event) => onChange(JSON.parse(event.data));
  const opened = new Promise((resolve) => {
    source.onerror = () => {
      broken = true;
      resolve();
    };
    source.onopen = () => {
      if (broken) onReturn();
      broken = false;
      resolve();
    };
  });
  return { opened, stop: () => source.close() };
}
