import { ConfigError } from '../core/errors.ts';
import { DEFAULT_COMMAND } from '../core/installation.ts';
import type { OpsIssue } from '../ops/notify-ops.ts';
import { shared, web, worker } from './environment.ts';
import { type Env, orProblems } from './read-variables.ts';

/** The configuration of each card program. Shared settings are repeated in each of them. */
export type Configs<Config> = readonly [Config, ...Config[]];

/**
 * Several card programs in one Cardbell. The plain variables belong to the first program, which has no name. Another
 * program's variables are prefixed with its name: `EU_CARD_API_TOKEN` for `eu`. None of them default to the first
 * program's values, so that nobody gets a token or may act on cards by accident. Variables not listed here are the same
 * for all programs.
 */
const ownNames: readonly string[] = [
  'SLACK_COMMAND',
  'CARD_SERVICE_TIMEZONE',
  ...Object.keys(shared).filter((name) => name.startsWith('ALERTS_CHANNEL')),
  'OPERATORS',
  'APPROVERS',
  'TWO_PERSON_ABOVE',
  'POLICY_FILE',
  'WEBHOOK_SHARED_SECRET',
  'CARD_API_ASSUMPTIONS',
  ...Object.keys(worker).filter((name) => /^(?:CARD_API|LOW_BALANCE|AUDIT|AWS)_/.test(name)),
];
const ownOrFile = ownNames.flatMap((name) => [name, `${name}_FILE`]);

/** Value of `PROGRAM` that means the first program alone. */
const FIRST = 'first';

/**
 * The secret from which both processes derive the keys of a program. What is signed or sealed for one program is worth nothing
 * in another, although both have the same bot token.
 */
export function secretOf({ slackBotToken, program }: { readonly slackBotToken: string; readonly program: string }) {
  return program === '' ? slackBotToken : `${program} ${slackBotToken}`;
}

/** Prefix of a program's variables. */
export const prefixOf = (program: string): string => (program === '' ? '' : `${program.toUpperCase()}_`);

/** The command of a program that configures none: `/card-eu`. */
const defaultCommand = (program: string): string => `${DEFAULT_COMMAND}-${program}`;

/** Null: they cannot be read, which the schema reports. What is no name must not become part of a variable's name. */
const readList = (env: Env) => shared.PROGRAMS.safeParse(env['PROGRAMS']?.trim() || undefined).data ?? null;
const listIn = (env: Env): readonly string[] => readList(env) ?? [];

/** The name under which a program's variable must be set. */
export function variableOf(program: string, name: string): string {
  return ownOrFile.includes(name) ? `${prefixOf(program)}${name}` : name;
}

/** Adapts a text for a program's operators: its variables as they must be set. */
export function wordsOf(program: string, text: string): string {
  if (program === '') return text;
  return text.replaceAll(/\b[A-Z]+(?:_[A-Z]+)*\b/g, (name) => variableOf(program, name));
}

/**
 * Adapts an issue for people who may run several programs: names the program, and its variables as they must be set.
 * Otherwise they might change the first program's token instead of another one's.
 */
export function issueIn<Issue extends Pick<OpsIssue, 'title' | 'what' | 'means' | 'todo'>>(
  program: string,
  issue: Issue,
): Issue {
  if (program === '') return issue;
  const inWords = (text: string): string => wordsOf(program, text);
  const { title, what, means, todo } = issue;
  return {
    ...issue,
    title: `${program}: ${title}`,
    what: inWords(what),
    means: inWords(means),
    todo: todo === null ? null : inWords(todo),
  };
}

/**
 * The environment with the variables of the program in `PROGRAM` under their plain names.
 *
 * @param problems gets an entry for a program that `PROGRAMS` does not name.
 */
export function ofProgram(env: Env, problems: string[]): Env {
  const program = env['PROGRAM']?.trim();
  if (program === undefined || program === '' || program === FIRST) return { ...env, PROGRAM: undefined };
  const names = readList(env);
  if (names?.includes(program) !== true) {
    if (names !== null) problems.push('PROGRAM: expected one of the names in PROGRAMS, or first');
    return { ...env, PROGRAM: undefined };
  }
  const own = Object.fromEntries(ownOrFile.map((name) => [name, env[variableOf(program, name)]]));
  return { ...env, ...own, SLACK_COMMAND: own['SLACK_COMMAND']?.trim() || defaultCommand(program) };
}

/** The programs with their commands; the first one has an empty name. */
export function programsIn(env: Env): { readonly name: string; readonly command: string }[] {
  const commandOf = (name: string): string | undefined => env[variableOf(name, 'SLACK_COMMAND')]?.trim();
  return [
    { name: '', command: env['SLACK_COMMAND']?.trim() || DEFAULT_COMMAND },
    ...listIn(env).map((name) => ({ name, command: commandOf(name) || defaultCommand(name) })),
  ];
}

/** What is wrong with the programs together, whichever of them is read. */
export function problemsOfPrograms(env: Env): string[] {
  const names = listIn(env);
  const all = Object.keys({ ...shared, ...web, ...worker });
  const clash = names.find((name) => name === FIRST || all.some((variable) => variable.startsWith(prefixOf(name))));
  return [
    ...placesOfTwo(env),
    ...commandsOfTwo(env),
    ...(clash === undefined
      ? []
      : [`PROGRAMS: expected another name than ${clash}, which stands for the first, or begins a variable of all`]),
  ];
}

/** Slack sends a command to one program, so its short forms must be those of no other program either. */
function commandsOfTwo(env: Env): string[] {
  const owners = new Map<string, string>();
  return programsIn(env).flatMap(({ name, command }) => {
    const forms = ['', '-activate', '-block', '-limit'].map((form) => `${command}${form}`);
    const other = forms.map((form) => owners.get(form)).find((owner) => owner !== undefined && owner !== name);
    for (const form of forms) if (!owners.has(form)) owners.set(form, name);
    const of = (program: string): string => variableOf(program, 'SLACK_COMMAND');
    return other === undefined ? [] : [`${of(name)}: expected another command than ${of(other)} and its short forms`];
  });
}

/**
 * Each program numbers its own records from one. If two shared a place, their records would look like forgeries to each
 * other.
 */
function placesOfTwo(env: Env): string[] {
  const placeIn = (name: string): string | undefined => env[name]?.trim().replace(/(?<=.)\/+$/, '') || undefined;
  return ['AUDIT_ARCHIVE', 'AUDIT_SINK'].flatMap((variable) => {
    const names = programsIn(env).map(({ name }) => variableOf(name, variable));
    return names.flatMap((name, index) => {
      const other = names.slice(0, index).find((before) => placeIn(before) === placeIn(name));
      const isShared = other !== undefined && placeIn(name) !== undefined;
      return isShared ? [`${name}: expected another place than ${other}, which is that of another card program`] : [];
    });
  });
}

/**
 * The configuration of each card program that this process serves: of all, or of the one in `PROGRAM`, where `first`
 * means the first program.
 *
 * @throws ConfigError naming every bad variable of every program at once.
 */
export function configsOf<Config>(read: (env: Env) => Config, env: Env): Configs<Config> {
  const problems: string[] = [];
  const configs: Config[] = [];
  const only = env['PROGRAM']?.trim() ?? '';
  const names = only === '' ? programsIn(env).map(({ name }) => name) : [only === FIRST ? '' : only];
  for (const name of names) {
    const config = orProblems(() => read({ ...env, PROGRAM: name }), problems);
    if (config !== null) configs.push(config);
  }
  const [first, ...others] = configs;
  if (first === undefined || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return [first, ...others];
}
