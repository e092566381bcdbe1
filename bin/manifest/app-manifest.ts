import manifest from '../../manifest.json' with { type: 'json' };
import { DEFAULT_COMMAND, slashCommand } from '../../src/core/installation.ts';

/** The address in `manifest.json` until it is replaced with your own. */
const EXAMPLE = 'https://cardbell.example.com';

/**
 * `manifest.json` for this installation, with its slash command and its address.
 *
 * @param address without a trailing slash. Null: keeps the example.
 * @param commands those of all card programs.
 * @param isSocketMode a manifest without it turns Socket Mode off in an existing app.
 */
export function appManifest(
  address: string | null,
  commands: readonly string[] = [slashCommand()],
  isSocketMode = false,
): typeof manifest {
  const { features } = manifest;
  const slash_commands = commands.flatMap((command) =>
    features.slash_commands.map((one) => ({ ...one, command: one.command.replace(DEFAULT_COMMAND, command) })),
  );
  const settings = { ...manifest.settings, socket_mode_enabled: isSocketMode };
  const own = { ...manifest, features: { ...features, slash_commands }, settings };
  return JSON.parse(JSON.stringify(own), (_key, value: unknown) => {
    if (typeof value !== 'string') return value;
    return address !== null && value.startsWith(EXAMPLE) ? `${address}${value.slice(EXAMPLE.length)}` : value;
  });
}

/** Scopes that Cardbell can work without, and the effect of leaving them out. Optional in the manifest. */
export const optionalScopes: Readonly<Record<string, string>> = {
  'files:write': 'rows of a flood are posted as tables, and digests have no file for the controller',
  'users:read.email':
    'an approver confirms each card that somebody links, only linked cards count as one’s own, and an approver can order a virtual card for themselves alone',
  'usergroups:read': 'only people can be named in OPERATORS, APPROVERS and the policy, no user groups',
};

/** Every scope of the bot token, and why it is needed. `manifest.json` asks for the same scopes; README explains them. */
export const scopes: Readonly<Record<string, string>> = {
  'chat:write': 'posts alerts and edits them in place',
  commands: 'the slash command and its short forms',
  'channels:read': 'learns whether a channel is public, private or shared with another company',
  'groups:read': 'the same for private channels that it was invited to',
  'channels:history': 'after an unclear answer of Slack, looks whether its own message is there before it posts again',
  'groups:history': 'the same in private channels that it was invited to',
  'im:history': 'the same in direct messages',
  'files:write': 'attaches every row of a flood as a file, where a message has no room for them',
  'im:write': 'writes to holders about their own card, and answers a person when the channel cannot be used',
  'users:read': 'looks up whether somebody who is to be linked to a card is a guest, a bot or deactivated',
  'users:read.email': 'checks whether the email address of somebody who claims a card is the holder’s',
  'usergroups:read': 'who is in the user groups that OPERATORS and APPROVERS name',
};
