/** A person, a channel, a user group or an address, as Slack writes them into a command with `should_escape`. */
const token = /<([@#!]|https?:|mailto:)([^<>|]*)(?:\|([^<>]*))?>/g;

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/**
 * The text of a command as the person typed it, where Slack escaped it. In `link` people stay tokens (`<@U0123>`),
 * because a name says nothing about who somebody is; everything else is plain text again.
 *
 * https://docs.slack.dev/interactivity/implementing-slash-commands#creating-your-command
 */
export function readSlashText(text: string): string {
  const isAboutPeople = /^\s*link\s/i.test(text);
  return text
    .replaceAll(token, (_whole, kind: string, value: string, label: string | undefined) => {
      if (kind === '@') return isAboutPeople ? `<@${value}>` : `@${label ?? value}`;
      if (kind === '#') return `#${label ?? value}`;
      return label ?? (kind === '!' ? `@${value}` : `${kind}${value}`);
    })
    .replaceAll(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}
