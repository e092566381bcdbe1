import { expect, it } from 'vitest';
import { parseCommand, readSlashText } from '../../../src/dispatch/command.ts';
import {
  changesCard,
  entryOf,
  helpFor,
  helpNow,
  refusedTo,
  rolesAtClick,
  verbNames,
} from '../../../src/dispatch/verbs.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import type { KnownRoles } from '../../../src/policy/roles.ts';
import { chooseCard } from '../../../templates/directory/choose-card.ts';
import { help } from '../../../templates/dispatch/help.ts';
import { clock } from '../../support/clock.ts';

const everyRole = ['holder', 'operator', 'approver'] as const;

it('help lists what concerns all cards only for people who have the role for all cards', () => {
  const usages = (entries: readonly { readonly usage: string }[]): string[] => entries.map(({ usage }) => usage);
  const { own, others } = helpFor(['approver'], []);

  expect(usages(own)).toContain('unblock CARD [reason]');
  expect(usages(own)).not.toContain('recover [SINCE]');
  expect(usages(others)).toEqual(expect.arrayContaining(['recover [SINCE]', 'digest daily 09:00 [zone]']));
  expect(usages(helpFor(['approver'], ['approver']).own)).toContain('recover [SINCE]');
});

it('help is about the roles of the moment, for the cards of some groups and for all cards', async () => {
  const ofNorth = async (_userId: string, { group }: { readonly group?: string | null } = {}) => ({
    roles: group === undefined ? (['approver'] as Role[]) : [],
    isComplete: true,
  });

  expect(await helpNow('U0NINA', ofNorth)).toEqual({ ...helpFor(['approver'], []), isUnsure: false });
});

it.each<[Role[], boolean]>([
  [[], true],
  [['operator'], true],
  [['approver'], false],
])('help says that something may be missing while Slack does not list a user group: %j', async (roles, isSaid) => {
  const { blocks } = help(await helpNow('U0NINA', async () => ({ roles, isComplete: false })));

  expect(JSON.stringify(blocks).includes('Slack does not say just now which roles you have')).toBe(isSaid);
});

it.each(verbNames)('%s: permission and refusal texts start with a verb phrase', (verb) => {
  // Both follow "Only approvers may" and "do you want to", so they start with a verb and not with a command name.
  const verbs =
    /^(activate|acknowledge|ask|block|change|choose|claim|close|confirm|decide|end|fetch|have|hide|link|look|mute|name|open|order|raise|resend|see|set|show|start|take|unblock|undo|unlink|subscribe|unmute|use|withdraw) ?/;
  expect(entryOf(verb).permission.doing).toMatch(verbs);
  expect(refusedTo(verb)).toMatch(verbs);
  expect(refusedTo(verb)).not.toMatch(/_/);
  // They also follow "Your request to", which speaks to one person.
  expect(`${entryOf(verb).permission.doing} ${refusedTo(verb)}`).not.toMatch(/\b(they|them|theirs?)\b/);
});

it.each(helpFor(everyRole, everyRole).own.map(({ example }) => example))('help example %s can be parsed', (example) => {
  // Slack delivers a person picked from its list as a token.
  const escaped = readSlashText(example.replace('@jane', '<@U0JANE|jane>'));
  expect(parseCommand(escaped, clock).kind).toMatch(/^(read|help)$/);
});

it.each(helpFor(everyRole, everyRole).own.map(({ usage, example }) => `${usage} / ${example}`))(
  'help shows no fixed day, which is over or too far off for most of the year: %s',
  (text) => {
    expect(text).not.toMatch(/\d{4}-\d\d|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d/);
  },
);

it('of the verbs for one card, these loosen or restrict it or ask for that: none that a closed card can take', () => {
  const ofCards = verbNames.filter((verb) => entryOf(verb).isOfCard === true);

  expect(ofCards.filter(changesCard).toSorted()).toEqual(['activate', 'allow', 'ask', 'block', 'limit', 'unblock']);
});

/** How each verb that takes a card asks which card is meant. */
const questions: Readonly<Record<string, string>> = {
  show: 'show',
  activate: 'activate',
  block: 'block',
  unblock: 'unblock',
  'resend-virtual': 'resend the details of',
  limit: 'change a limit of',
  allow: 'change the spending rules of',
  ask: 'ask for a higher limit for',
  claim: 'claim',
  link: 'link',
  unlink: 'unlink',
  declines: 'see the declines of',
  track: 'see the shipments of',
  why: 'see how an alert was routed for',
  mute: 'mute',
  unmute: 'unmute',
  travel: 'set a travel mute for',
};

it.each(verbNames.filter((verb) => questions[verb] !== undefined))(
  '%s: asks in English which card is meant',
  (verb) => {
    const matches = [1, 2].map((count) =>
      chooseCard({ doing: refusedTo(verb), query: 'x', choices: [], matches: count, unread: 0 }),
    );
    expect(matches.map(({ text }) => text)).toEqual([
      `One card matches “x”. Is it the one you want to ${questions[verb]}?`,
      `2 cards match “x”. Which one do you want to ${questions[verb]}?`,
    ]);
  },
);

it('every command that takes a card has an expected question here', () => {
  const ofCards = verbNames.filter((verb) => entryOf(verb).isOfCard === true && entryOf(verb).command !== undefined);
  expect(ofCards.filter((verb) => questions[verb] === undefined)).toEqual([]);
});

it('the need for another approver is worded the same everywhere', () => {
  const said = verbNames.map((verb) => JSON.stringify(entryOf(verb).permission)).join('\n');
  expect(said).toContain('it needs another approver');
  expect(said).not.toMatch(/takes an?|different approver/);
});

it.each<[string, KnownRoles, number]>([
  ['no list of a user group is known', { roles: [], isComplete: false }, 1],
  ['an older list does not have the person, who may have joined since', { roles: [], isComplete: true }, 2],
  ['an older list is enough', { roles: ['operator'], isComplete: true }, 1],
])('at the click on a block, Slack is asked again only for somebody new: %s', async (_what, known, times) => {
  let asked = 0;
  await rolesAtClick('block', 'U0OLGA', async () => {
    asked += 1;
    return known;
  });

  expect(asked).toBe(times);
});
