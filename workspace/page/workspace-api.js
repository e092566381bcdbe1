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
 * Calls back with each change that the user sees, and each time the connection opens. What changed before that was not sent,
 * so load the state then.
 */
export function listen(user, onChange, onOpen) {
  const source = new EventSource(`/page/changes?user=${encodeURIComponent(user)}`);
  source.onmessage = (event) => onChange(JSON.parse(event.data));
  source.onopen = onOpen;
  return () => source.close();
}
