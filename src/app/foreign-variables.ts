/** Secrets that only the other process needs. Whoever takes over a process must not find them in it. */
const foreign = {
  web: ['CARD_API_TOKEN'],
  worker: ['SLACK_SIGNING_SECRET', 'SLACK_APP_TOKEN', 'WEBHOOK_SHARED_SECRET'],
} as const;

/**
 * Deletes from the environment what this process must not have, also for the processes that it may start.
 *
 * @returns a warning for each, which names the variable and never its value.
 */
export function deleteForeign(name: keyof typeof foreign, env: Record<string, string | undefined>): string[] {
  const found = foreign[name].flatMap((variable) => [variable, `${variable}_FILE`]).filter((each) => each in env);
  for (const variable of found) delete env[variable];
  return found.map(
    (variable) =>
      `${variable}: the ${name} process must not have this secret, so it is ignored. Set it for the other process only`,
  );
}
