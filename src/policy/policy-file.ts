import { hash } from 'node:crypto';
import { z } from 'zod';
import { readDuration } from '../core/duration.ts';
import { toCents } from '../core/money.ts';
import { type ApprovalPolicy, type Band, type Cap, CapScope } from './approval-policy.ts';
import { fold, type People, type Policy, type PolicySection } from './policy.ts';
import { type KnownKeys, readYaml } from './read-yaml.ts';

const members = 'expected Slack user ids (U…) or user group ids (S…)';
const member = z.string(members).regex(/^[UWS][A-Z0-9]+$/, members);
const person = z.string('expected a Slack user id (U…)').regex(/^[UW][A-Z0-9]+$/, 'expected a Slack user id (U…)');
const day = z.iso.date('expected a day such as 2026-12-24');

/** Dollars in the file, whole cents in memory. */
const dollars = z
  .number('expected an amount of dollars such as 1000 or 1250.50')
  .nonnegative('expected an amount of dollars that is not negative')
  .max(999_999_999, 'expected less than a billion dollars')
  .refine((amount) => /^\d+(\.\d{1,2})?$/.test(String(amount)), 'expected whole cents, such as 1250.50')
  .transform(toCents);

/** People in a plain list are mentioned in messages. Two lists separate them from people who are only permitted. */
const peopleShape = z.preprocess(
  (given) => (Array.isArray(given) ? { mentioned: given } : given),
  z
    .strictObject(
      { mentioned: z.array(member, members).default([]), permitted: z.array(member, members).default([]) },
      { error: ({ code }) => (code === 'invalid_type' ? `${members}, such as [U01ANA, S01FINANCE]` : undefined) },
    )
    .transform(
      ({ mentioned, permitted }): People => ({ mentioned, permitted: [...new Set([...mentioned, ...permitted])] }),
    ),
);

const bands = z
  .array(
    z.strictObject({
      up_to: dollars.optional(),
      approvals: z.int('expected a number of approvals from 1 to 9').min(1).max(9),
    }),
  )
  .min(1, 'expected at least one amount')
  .superRefine((all, context) => {
    const fault = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message });
    for (const [index, { up_to: upTo, approvals }] of all.entries()) {
      const isLast = index === all.length - 1;
      const previous = all[index - 1];
      const before = previous?.up_to;
      if (isLast && upTo !== undefined) fault([index], 'expected the last one without up_to, for every larger amount');
      if (!isLast && upTo === undefined) fault([index], 'expected up_to: only the last one has none');
      if (upTo !== undefined && before !== undefined && upTo <= before)
        fault([index, 'up_to'], 'expected a larger amount than the one before');
      // Otherwise whoever wants a small raise could ask for a large one, which needs fewer approvals.
      if (previous !== undefined && approvals < previous.approvals)
        fault([index, 'approvals'], 'expected at least as many approvals as for the smaller amount before');
    }
  })
  .transform((all) => all.map(({ up_to: upTo, approvals }): Band => ({ upToCents: upTo ?? null, approvals })));

const cap = z.strictObject({ '24h': dollars.optional(), '30d': dollars.optional() });

const durations = z.strictObject({
  longest: z
    .string('expected a duration such as 7 days')
    .transform((text, context) => {
      const words = text.trim().split(/\s+/);
      const read = readDuration(words);
      if (read !== null && read.words === words.length) return read.ms;
      context.addIssue({ code: 'custom', message: 'expected a duration such as 4h or 7 days' });
      return z.NEVER;
    })
    .optional(),
  permanent: z.boolean('expected true or false').optional(),
});

const section = {
  approvers: peopleShape.optional(),
  operators: peopleShape.optional(),
  amounts: bands.optional(),
  caps: z.strictObject({ person: cap.optional(), card: cap.optional(), program: cap.optional() }).optional(),
  durations: durations.optional(),
  approvals_channel: z
    .string()
    .regex(/^[CG][A-Z0-9]+$/, 'expected a Slack channel id such as C0123ABCD')
    .optional(),
};

const PolicyFile = z.strictObject({
  version: z.literal(1, 'expected version: 1'),
  ...section,
  // A card that is being ordered has no group yet.
  orders: bands.optional(),
  groups: z
    .array(
      z.strictObject({
        cards: z
          // Trimmed as when it is compared: a name of spaces would match every card without a group.
          .array(z.string().trim().min(1, 'expected the name of a card group'), 'expected the names of card groups')
          .min(1, 'expected the names of card groups'),
        ...section,
      }),
    )
    .default([])
    .superRefine((groups, context) => {
      const seen = new Set<string>();
      for (const [index, { cards }] of groups.entries())
        for (const [at, name] of cards.entries()) {
          if (seen.has(fold(name)))
            context.addIssue({ code: 'custom', path: [index, 'cards', at], message: 'expected each card group once' });
          seen.add(fold(name));
        }
    }),
  delegates: z
    .array(
      z
        .strictObject({ for: person, to: person, from: day, until: day })
        .refine(({ for: whom, to }) => whom !== to, { path: ['to'], error: 'expected somebody else' })
        .refine(({ from, until }) => from <= until, {
          path: ['until'],
          error: 'expected a day that is not before from',
        }),
    )
    .default([]),
  own_delegates: z.array(person, 'expected Slack user ids (U…)').default([]),
});
type PolicyFile = z.infer<typeof PolicyFile>;

const keysOfSection = Object.keys(section);
/** The known keys of each place, for suggestions. */
const knownKeys: KnownKeys = [
  [/^$/, ['version', 'orders', 'groups', 'delegates', 'own_delegates', ...keysOfSection]],
  [/^groups$/, ['cards', ...keysOfSection]],
  [/(amounts|orders)$/, ['up_to', 'approvals']],
  [/caps$/, CapScope.options],
  [/caps\.\w+$/, ['24h', '30d']],
  [/durations$/, ['longest', 'permanent']],
  [/(approvers|operators)$/, ['mentioned', 'permitted']],
  [/^delegates$/, ['for', 'to', 'from', 'until']],
];

/**
 * Parses a policy, YAML or JSON.
 *
 * @param name the file, for error messages.
 * @param variables the defaults for everything the file does not set.
 * @throws ConfigError with the line and the reason of each problem.
 */
export function parsePolicy(text: string, name: string, variables: Policy): Policy {
  const file = readYaml({ text, name, schema: PolicyFile, knownKeys });
  const standard = toSection(file, [], variables.standard);
  return {
    hash: hash('sha256', text),
    source: name,
    zone: variables.zone,
    standard,
    groups: file.groups.map((group) => toSection(group, group.cards, standard)),
    delegations: file.delegates,
    ownDelegates: file.own_delegates,
  };
}

type Section = Omit<PolicyFile, 'version' | 'groups' | 'delegates' | 'own_delegates'>;

/** A section inherits what it does not set from the enclosing section. */
function toSection(given: Section, cardGroups: readonly string[], outer: PolicySection): PolicySection {
  const { approval } = outer;
  const { longest, permanent } = given.durations ?? {};
  const own: ApprovalPolicy = {
    bands: given.amounts ?? approval.bands,
    orderBands: given.orders ?? approval.orderBands,
    caps: {
      person: toCap(given.caps?.person, approval.caps.person),
      card: toCap(given.caps?.card, approval.caps.card),
      program: toCap(given.caps?.program, approval.caps.program),
    },
    durations: {
      longestMs: longest ?? approval.durations.longestMs,
      // For good is longer than any longest duration.
      mayStay: permanent ?? (longest === undefined && approval.durations.mayStay),
    },
  };
  return {
    cardGroups,
    approvers: given.approvers ?? outer.approvers,
    operators: given.operators ?? outer.operators,
    approval: own,
    approvalsChannel: given.approvals_channel ?? outer.approvalsChannel,
  };
}

function toCap(given: z.infer<typeof cap> | undefined, outer: Cap): Cap {
  return { dayCents: given?.['24h'] ?? outer.dayCents, monthCents: given?.['30d'] ?? outer.monthCents };
}
