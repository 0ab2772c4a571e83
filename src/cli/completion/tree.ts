import type { Command, Option } from 'commander';

/** A word that is allowed at a position of the command line. */
export interface CompletionWord {
  word: string;
  description: string;
}

/** The value that an option takes: one of a list of words, a file, or something that cannot be completed. */
export type OptionValueCompletion =
  | { option: string; words: readonly string[] }
  | { option: string; is: 'file' | 'unknown' };

/** A command and the words that lead to it, such as `['users', 'list']`; the path of the program itself is empty. */
export interface CommandNode {
  path: readonly string[];
  /** Subcommands. */
  commands: readonly CompletionWord[];
  options: readonly CompletionWord[];
  taken: readonly OptionValueCompletion[];
  takesFiles: boolean;
}

/** Lists every command of a program, recursively. Pure. */
export function listCommandNodes(program: Command, path: readonly string[] = []): CommandNode[] {
  const help = { word: '--help', description: 'display help' };
  const here: CommandNode = {
    path,
    commands: program.commands.map((one) => ({ word: one.name(), description: firstLine(one.description()) })),
    options: [...program.options.map(asWord), help],
    taken: program.options.filter(({ required, optional }) => required || optional).map(takenBy),
    takesFiles: program.registeredArguments.some((one) => isFile(one.name())),
  };
  return [here, ...program.commands.flatMap((one) => listCommandNodes(one, [...path, one.name()]))];
}

const nameOf = ({ long, short }: Option): string => long ?? short ?? '';
const asWord = (option: Option): CompletionWord => ({
  word: nameOf(option),
  description: firstLine(option.description),
});

function takenBy(option: Option): OptionValueCompletion {
  const name = nameOf(option);
  if (option.argChoices) return { option: name, words: option.argChoices };
  return { option: name, is: isFile(option.flags) ? 'file' : 'unknown' };
}

/** Whether an argument is a file, judged by its name in the usage text: `<file.zip>`. */
const isFile = (usage: string): boolean => /\bfiles?\b|\bfolder\b/i.test(usage);

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
